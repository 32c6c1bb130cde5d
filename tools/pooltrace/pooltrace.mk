# SPDX-License-Identifier: GPL-2.0-only OR MIT
# The recorder of traces; included by tools.mk.

POOLTRACE_DIR = tools/pooltrace
POOLTRACE_DEP = $(wildcard $(POOLTRACE_DIR)/*.[ch]) tests/replay/trace.c \
		$(wildcard tests/replay/*.h) $(B)/settings.mk
POOLTRACE_SRC = $(addprefix $(POOLTRACE_DIR)/,pooltrace.c collect.c convert.c table.c) \
		tests/replay/trace.c
POOLTRACE_LIB = $(addprefix $(POOLTRACE_DIR)/,interpose.c recorder.c site.c early.c)
POOLTRACE_CFLAGS = $(POOL_CFLAGS) -I$(POOLTRACE_DIR) -Itests/replay

$(B)/pooltrace: $(POOLTRACE_DEP)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(POOLTRACE_CFLAGS) $(LDFLAGS) -o $@ $(POOLTRACE_SRC)

$(B)/pooltrace-asan: $(POOLTRACE_DEP)
	@mkdir -p $(@D)
	$(CC) -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all \
		$(POOLTRACE_CFLAGS) -o $@ $(POOLTRACE_SRC)

# The compiler is not to know what malloc() does, since these functions are it.
$(B)/libpooltrace.so: $(POOLTRACE_DEP)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(POOLTRACE_CFLAGS) -fPIC -fvisibility=hidden \
		-fno-builtin $(LDFLAGS) -shared -static-libgcc -Wl,-z,defs -Wl,-z,now -o $@ \
		$(POOLTRACE_LIB)
