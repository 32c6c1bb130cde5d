# SPDX-License-Identifier: GPL-2.0-only OR MIT
# schedule.mk - the schedule enumerator; included by the Makefile.

# A mutant is a copy of the folder with one change.
COMMON	?= common

# The enumerator saves a stack from the stack pointer on, so there must be no red zone.
# The linker drops what no scenario reaches, so that schedule/ need not have all of the
# seam.
SCHEDULE_CFLAGS = -DPOOL_FREED= -std=gnu11 -g -O2 -D_GNU_SOURCE -DPOOL_NO_INLINE -I$(COMMON) \
	-Itests/proof/schedule -Wall -Wextra -Werror -fno-pie -mno-red-zone \
	-ffunction-sections -fdata-sections -include tests/proof/schedule/point.h \
	-DPOOL_CLUSTER_SIZE=2 -DPOOL_BUCKETS=2 -DPOOL_SIZE_ROUND=8 -DPOOL_HOT_MAX=4 -DPOOL_HOT_LEAST=2 \
	'-DPOOL_LIMIT_SLOTS(limit)=(4 * (limit))' -DPOOL_LOOK_EVERY=POOL_FOREVER
# The judge looks at these calls before the rest of common/ goes on: judge_bound.c.
SCHEDULE_WRAP = pool_cluster_detach pool_cluster_settled pool_cluster_settled_locked pool_hot_detach
SCHEDULE_OBJ = $(patsubst $(COMMON)/%.c,$(T)/schedule.o/common/%.o, \
		 $(wildcard $(COMMON)/*/*.c)) \
	       $(patsubst tests/proof/schedule/%.c,$(T)/schedule.o/%.o, \
		 $(wildcard tests/proof/schedule/*.c))

$(T)/schedule.o/common/%.o: $(COMMON)/%.c tests/proof/schedule/schedule.mk
	@mkdir -p $(@D)
	$(CC) $(SCHEDULE_CFLAGS) -MMD -MP -c -o $@ $<

$(T)/schedule.o/%.o: tests/proof/schedule/%.c tests/proof/schedule/schedule.mk
	@mkdir -p $(@D)
	$(CC) $(SCHEDULE_CFLAGS) -MMD -MP -c -o $@ $<

$(T)/schedule: $(SCHEDULE_OBJ)
	$(CC) -no-pie -Wl,--gc-sections $(SCHEDULE_WRAP:%=-Wl,--wrap=%) -o $@ $^

-include $(SCHEDULE_OBJ:.o=.d)

# The part of check-user that runs schedules.
check-schedule: $(T)/schedule
	@tests/proof/schedule/check.sh $<

check-long:
	@tests/deps.sh check-user
	@$(MAKE) -s all $(T)/schedule
	@rm -rf build/results
	@tests/proof/schedule/long.sh $(B)

.PHONY: check-schedule check-long
