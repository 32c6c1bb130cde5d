# SPDX-License-Identifier: GPL-2.0-only OR MIT
# schedule.mk - the schedule enumerator; included by the Makefile.

# Mutants are another folder with the same files.
COMMON	?= common

# No red zone: a stack is saved from where it begins to be in use.  What no scenario
# reaches goes, so that the rest of the seam need not be there.
SCHEDULE_CFLAGS = -std=gnu11 -g -O2 -D_GNU_SOURCE -DPOOL_NO_INLINE -I$(COMMON) \
	-Itests/schedule -Wall -Wextra -Werror -fno-pie -mno-red-zone \
	-ffunction-sections -fdata-sections -include tests/schedule/point.h \
	-DPOOL_CLUSTER_SIZE=4 -DPOOL_BUCKETS=2 -DPOOL_SIZE_ROUND=8
# What the judge looks at before the rest of common/ goes on: judge_bound.c.
SCHEDULE_WRAP = pool_cluster_detach pool_cluster_settled pool_hot_detach
SCHEDULE_OBJ = $(patsubst $(COMMON)/%.c,$(T)/schedule.o/common/%.o, \
		 $(wildcard $(COMMON)/*/*.c)) \
	       $(patsubst tests/schedule/%.c,$(T)/schedule.o/%.o, \
		 $(wildcard tests/schedule/*.c))

$(T)/schedule.o/common/%.o: $(COMMON)/%.c tests/schedule/schedule.mk
	@mkdir -p $(@D)
	$(CC) $(SCHEDULE_CFLAGS) -MMD -MP -c -o $@ $<

$(T)/schedule.o/%.o: tests/schedule/%.c tests/schedule/schedule.mk
	@mkdir -p $(@D)
	$(CC) $(SCHEDULE_CFLAGS) -MMD -MP -c -o $@ $<

$(T)/schedule: $(SCHEDULE_OBJ)
	$(CC) -no-pie -Wl,--gc-sections $(SCHEDULE_WRAP:%=-Wl,--wrap=%) -o $@ $^

-include $(SCHEDULE_OBJ:.o=.d)

# As check-user has it.
check-schedule: $(T)/schedule
	@tests/schedule/check.sh $<

check-long: $(T)/schedule
	@rm -rf build/results
	@tests/schedule/long.sh

.PHONY: check-schedule check-long
