# SPDX-License-Identifier: GPL-2.0-only OR MIT
# libpool and pool.ko.  kbuild reads Kbuild, this file is for people:
# make help.

VERSION	 = 0.1.0
SOVER	 = 0

CC	?= cc
AR	?= ar
CFLAGS	?= -O2 -g
PREFIX	?= /usr/local
LIBDIR	?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
BINDIR	?= $(PREFIX)/bin
KDIR	?= /lib/modules/$(shell uname -r)/build

# Build options of the document, for both worlds: make DEBUG="-DDEBUG_NO_POOLS"
DEBUG	?=

WARN	 = -Wall -Wextra -Wconversion -Wno-sign-conversion -Wmissing-prototypes \
	   -Wstrict-prototypes -Werror
# What is exported jumps to its slow half, which tells reports who called.
POOL_CFLAGS = -std=gnu11 $(WARN) -D_GNU_SOURCE -foptimize-sibling-calls \
	      -Icommon -Iuser $(DEBUG)
LIB_CFLAGS  = $(POOL_CFLAGS) -DPOOL_NO_INLINE -fPIC -fvisibility=hidden
LIB_LDFLAGS = -shared -Wl,-soname,libpool.so.$(SOVER) -Wl,-z,defs \
	      -Wl,-z,relro,-z,now,-z,nodelete \
	      -Wl,--version-script=user/libpool.map

B	 = build/user
LIB_SRC	 = $(wildcard common/*.c user/*.c)
HEADERS	 = $(addprefix common/,pool.h pool_attr.h pool_bulk.h pool_debug.h pool_hot.h \
	   pool_memstats.h pool_stats.h) user/pool_malloc.h
LIB_OBJ	 = $(LIB_SRC:%.c=$(B)/%.o)
LIB	 = $(B)/libpool.a $(B)/libpool.so.$(SOVER)

all: $(LIB) $(B)/libpool.pc

help:
	@echo 'all              libpool.a and libpool.so, in $(B)'
	@echo 'install          DESTDIR, PREFIX, LIBDIR, INCLUDEDIR are honoured'
	@echo 'modules          pool.ko for KDIR=$(KDIR)'
	@echo 'demo             the main job on real input, in both worlds'
	@echo 'check            every test; check-user: those that need no VM'
	@echo 'kunit            the kernel tests, in User-Mode Linux and QEMU'
	@echo 'bug-matrix       which option finds which bug; bug-matrix-accept'
	@echo 'twin-check       both worlds make the same decisions'
	@echo 'bench            what it costs, beside malloc and kmem_cache'
	@echo 'doc-options      writes the tables of Documentation/options.rst'
	@echo 'clean            removes build/'

# Objects depend on the flags they were made with.
FLAGS = $(CC) $(CFLAGS) $(LIB_CFLAGS)
$(B)/flags: FORCE
	@mkdir -p $(B)
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' > $@

$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LIB_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/libpool.a: $(LIB_OBJ)
	rm -f $@
	$(AR) rcs $@ $^

$(B)/libpool.so.$(SOVER): $(LIB_OBJ) user/libpool.map
	$(CC) $(CFLAGS) $(LDFLAGS) $(LIB_LDFLAGS) -o $@ $(LIB_OBJ) -pthread
	ln -sf libpool.so.$(SOVER) $(B)/libpool.so

$(B)/libpool.pc: user/pool.pc.in FORCE
	@mkdir -p $(B)
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
	     -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@VERSION@|$(VERSION)|' \
	     $< > $@

# The installed ones; tests copy them.
headers:
	@echo $(HEADERS)

install: all
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCLUDEDIR)/libpool
	install -m 644 $(HEADERS) $(DESTDIR)$(INCLUDEDIR)/libpool
	install -m 644 $(B)/libpool.a $(DESTDIR)$(LIBDIR)
	install -m 755 $(B)/libpool.so.$(SOVER) \
		$(DESTDIR)$(LIBDIR)/libpool.so.$(VERSION)
	ln -sf libpool.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libpool.so.$(SOVER)
	ln -sf libpool.so.$(SOVER) $(DESTDIR)$(LIBDIR)/libpool.so
	install -m 644 $(B)/libpool.pc $(DESTDIR)$(LIBDIR)/pkgconfig

modules:
	$(MAKE) -C $(KDIR) M=$(CURDIR) DEBUG='$(DEBUG)' $(KMAKE) modules

clean:
	rm -rf build

FORCE:
.PHONY: all help headers install modules clean FORCE
-include $(LIB_OBJ:.o=.d)

demo:
	@tests/demo.sh

check:
	@tests/check.sh

kunit:
	@tests/check.sh kunit

.PHONY: demo check kunit

include tests/user.mk
include tests/bugs/bugs.mk
include tests/replay/replay.mk
include tests/bench/bench.mk
