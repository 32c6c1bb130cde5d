# SPDX-License-Identifier: GPL-2.0-only OR MIT
# user.mk - the cases of user space, in builds that differ in compiler, checkers and
# limits; included by the Makefile.

T	 = build/tests
TEST_SRC = $(LIB_SRC) $(addprefix tests/lib/,runner_check.c helpers.c heads.c) \
	   $(wildcard $(foreach d,promise inside worlds/user,tests/$(d)/*.c))
STEP_SRC = $(addprefix tests/proof/step/,step.c step_last.c step_visit.c stepper.c)
JUMP_SRC = tests/proof/step/jump.c
TEST_DEP = $(TEST_SRC) $(STEP_SRC) $(JUMP_SRC) \
	   $(wildcard common/*.h common/*/*.h user/*.h user/*/*.h) \
	   $(foreach d,lib promise inside worlds/user proof/step,$(wildcard tests/$(d)/*.h tests/$(d)/*.list))
# Cases free twice, and look at free objects, on purpose: compilers are not to know.
TEST_CFLAGS = -DPOOL_FREED= -std=gnu11 -g -fexceptions -D_GNU_SOURCE -foptimize-sibling-calls -DPOOL_NO_INLINE -Icommon -Iuser \
	   -Itests/lib -Wall -Wextra -Werror $(DEBUG) $(CHECK_CFLAGS)
CHECK_LIBS = $(shell pkg-config --libs check)
# Wrapped, since tests/worlds/user/dump.c counts the library's allocations.
TEST_LIBS = $(CHECK_LIBS) -pthread \
	   -Wl,--wrap=malloc -Wl,--wrap=aligned_alloc

# Single steps use the trap flag of x86-64, and their handler must not overwrite a red zone.
ifneq ($(filter x86_64-%,$(shell $(CC) -dumpmachine 2>/dev/null)),)
STEP	 = -DTEST_STEP -mno-red-zone $(STEP_SRC)
JUMP	 = $(STEP) -DTEST_JUMP $(JUMP_SRC)
endif

HOSTILE	 = -DPOOL_CLUSTER_SIZE=2 -DPOOL_BUCKETS=1 -DPOOL_HOT_MAX=2 \
	   -DPOOL_FAIL_EVERY=7 -DPOOL_TWO_STORES

# In tests/worlds/user: space.c looks at names of mappings, trim.c at locks meanwhile; node.c says
# which CPU a thread is on; ctl_files.c counts accept4(); tick.c is the coarse clock.
TEST_LIBS += -Wl,--wrap=prctl -Wl,--wrap=madvise -Wl,--wrap=munmap -Wl,--wrap=sched_getcpu \
	   -Wl,--wrap=malloc_trim \
	   -Wl,--wrap=accept4 -Wl,--wrap=clock_gettime

FLAVOURS = plain clang asan tsan hostile hostile-asan
flavour_plain	= $(CC) -O2 $(JUMP)
flavour_clang	= clang -O2
flavour_asan	= $(CC) -O1 -fsanitize=address,undefined \
		  -fno-sanitize-recover=all -DTEST_SCALE=2 -DSTEP_LESS=4 $(STEP)
flavour_tsan	= $(CC) -O1 -fsanitize=thread -DTEST_SCALE=4
flavour_hostile	= $(CC) -O2 $(HOSTILE) -DSTEP_LESS=2 $(JUMP)
flavour_hostile-asan = $(CC) -O1 -fsanitize=address,undefined \
		  -fno-sanitize-recover=all -DTEST_SCALE=2 $(HOSTILE)

$(FLAVOURS:%=$(T)/%): $(T)/%: $(TEST_DEP) tests/user.mk
	@mkdir -p $(T)
	$(flavour_$*) $(TEST_CFLAGS) -o $@ $(TEST_SRC) $(TEST_LIBS)

test-builds: $(FLAVOURS:%=$(T)/%)

# As plain without single steps, object by object, so that little is compiled at a save.
QUICK_OBJ = $(TEST_SRC:%.c=$(T)/quick.o/%.o)
$(T)/quick.o/%.o: %.c tests/user.mk
	@mkdir -p $(@D)
	$(CC) -O1 $(TEST_CFLAGS) -MMD -MP -c -o $@ $<

$(T)/quick: $(QUICK_OBJ)
	$(CC) -o $@ $^ $(TEST_LIBS)

-include $(QUICK_OBJ:.o=.d)

# At each save: in a minute, without a virtual machine.
check-quick:
	@tests/deps.sh check-user
	@tests/check-quick.sh

# What the jobs of tests/jobs.sh find built.  Those that begin at once must not build the
# same; a build of the cases belongs to its job.
builds-check: all man $(T)/bugs $(B)/poolreplay $(B)/visits \
		$(addprefix $(B)/peers/,empty pool pool-so)
	@$(MAKE) -s B=build/user-control DEBUG="$(DEBUG) -DPOOL_HOT_MAX=48" \
		build/user-control/poolreplay
	@$(MAKE) -s B=build/user-static LDFLAGS=-static \
		CURSES_LIBS='-lncursesw -ltinfo' build/user-static/poolctl

builds-all-check: builds-check $(B)/poolreplay-asan $(B)/poolctl $(B)/poolctl-asan \
		$(B)/pooltrace-asan $(B)/libpooltrace.so $(if $(STEP),$(B)/longest) \
		$(addprefix $(B)/,bound cost fillspill limit wait idlepools manypools manypools-malloc threads start start-bare start-empty memory/pool)

check-user:
	@tests/check.sh user

# The same in a fresh Debian 13, as root; and the cases on other machines and C
# libraries, by qemu-user.  CROSS has names of tests/cross.sh; else all run.
check-trixie:
	@tests/check-debian.sh trixie

# The commands of README and the guide, on Debians that have nothing.
FIRST = bookworm trixie
check-first: $(FIRST:%=check-first-%)
check-first-%:
	@tests/vm/chroot.sh clone $* first-$* tests/install/first.sh \
		"$$(tests/pages/commands.py root user module program)"

check-cross: export WERROR = -Werror
check-cross:
	@tests/deps.sh cross
	@tests/cross.sh $(CROSS)

# Writes the tables of Documentation/options.rst; check-user fails if they are out of date.
doc-options: all
	@tests/install/options-doc.sh $(B) write

# Records Documentation/poolctl-top.svg; check-user fails if its columns are not today's.
doc-top: all tools
	@tests/deps.sh check-user
	@tests/install/poolctl-picture.sh $(B) write

.PHONY: test-builds builds-check builds-all-check check-quick check-user check-trixie check-first check-cross doc-options doc-top
