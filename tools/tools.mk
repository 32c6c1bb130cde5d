# SPDX-License-Identifier: GPL-2.0-only OR MIT
# The tools that are installed, and their tests' builds; included by the top Makefile.
# The library needs none of it, and so no curses.

POOLCTL_SRC = $(wildcard tools/poolctl/*.c) \
	      $(addprefix common/show/,dump_table.c dump_text.c dump_prom.c dump_names.c dump_memory.c \
				     dump_numbers.c) \
	      common/base/names.c
POOLCTL_DEP = $(POOLCTL_SRC) $(wildcard tools/poolctl/*.h common/*.h common/*/*.h user/*.h user/*/*.h)
POOLCTL_CFLAGS = $(POOL_CFLAGS) -DPOOL_NO_INLINE -Itools/poolctl
CURSES_LIBS ?= $(shell pkg-config --libs ncursesw 2>/dev/null || echo -lncursesw)

$(B)/poolctl: $(POOLCTL_DEP) $(B)/settings.mk
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(POOLCTL_CFLAGS) $(LDFLAGS) -o $@ $(POOLCTL_SRC) \
		$(CURSES_LIBS)

$(B)/poolctl-asan: $(POOLCTL_DEP)
	@mkdir -p $(@D)
	$(CC) -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all \
		$(POOLCTL_CFLAGS) -o $@ $(POOLCTL_SRC) $(CURSES_LIBS)

include tools/pooltrace/pooltrace.mk

tools: $(B)/poolreplay $(B)/poolctl $(B)/pooltrace $(B)/libpooltrace.so

.PHONY: tools
