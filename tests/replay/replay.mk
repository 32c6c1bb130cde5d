# SPDX-License-Identifier: GPL-2.0-only OR MIT
# The replay in user space; included by the top Makefile.

REPLAY_SRC = $(addprefix tests/replay/,poolreplay.c advise.c crew.c textfile.c \
	     trace.c plan.c replay.c on_pools.c report.c session.c)
REPLAY_DEP = $(REPLAY_SRC) $(wildcard tests/replay/*.h common/*.h common/*/*.h user/*.h user/*/*.h)
REPLAY_CFLAGS = $(POOL_CFLAGS) -Itests/replay -pthread

$(B)/poolreplay: $(REPLAY_DEP) $(B)/libpool.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(REPLAY_CFLAGS) $(LDFLAGS) -o $@ $(REPLAY_SRC) \
		$(B)/libpool.a

# Compiled with the library's sources, so that the sanitizer sees all of the program.
$(B)/poolreplay-asan: $(REPLAY_DEP) $(LIB_SRC)
	@mkdir -p $(@D)
	$(CC) -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all \
		$(REPLAY_CFLAGS) -DPOOL_NO_INLINE -o $@ $(REPLAY_SRC) $(LIB_SRC)

$(B)/poolreplay-tsan: $(REPLAY_DEP) $(LIB_SRC)
	@mkdir -p $(@D)
	$(CC) -O1 -g -fsanitize=thread $(REPLAY_CFLAGS) -DPOOL_NO_INLINE -o $@ \
		$(REPLAY_SRC) $(LIB_SRC)

check-traces: $(B)/poolreplay $(B)/poolreplay-asan
	tests/replay/bad-traces.sh $(B)/poolreplay-asan
	tests/replay/programs.sh $(B)
	tests/replay/advise.sh $(B)

twin-check: $(B)/poolreplay
	tests/vm/twin-check.sh

.PHONY: check-traces twin-check
