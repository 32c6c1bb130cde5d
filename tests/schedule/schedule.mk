# SPDX-License-Identifier: GPL-2.0-only OR MIT
# schedule.mk - the schedule enumerator; included by the Makefile.

# Mutants are another folder with the same files.
COMMON	?= common

# No red zone: a stack is saved from where it begins to be in use.  What no scenario
# reaches goes, so that the rest of the seam need not be there.
SCHEDULE_CFLAGS = -std=gnu11 -g -O2 -D_GNU_SOURCE -DPOOL_NO_INLINE -I$(COMMON) \
	-Itests/schedule -Wall -Wextra -Werror -fno-pie -mno-red-zone \
	-ffunction-sections -fdata-sections -include tests/schedule/point.h \
	-DPOOL_CLUSTER_SIZE=4 -DPOOL_BUCKETS=2
SCHEDULE_SRC = $(wildcard $(COMMON)/*.c tests/schedule/*.c)

$(T)/schedule: $(SCHEDULE_SRC) $(wildcard $(COMMON)/*.h tests/schedule/*.h) \
	       tests/schedule/schedule.mk
	@mkdir -p $(@D)
	$(CC) $(SCHEDULE_CFLAGS) -no-pie -Wl,--gc-sections -o $@ $(SCHEDULE_SRC)

# Some states of each scenario, as check-user does.
check-schedule: $(T)/schedule
	@$< -s 30000

.PHONY: check-schedule
