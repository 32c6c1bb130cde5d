# SPDX-License-Identifier: GPL-2.0-only OR MIT
# libpool and pool.ko.  kbuild reads Kbuild, this file is for people:
# make help.

VERSION	:= $(shell sed -n 's/^.define POOL_VERSION[^"]*"\(.*\)"/\1/p' common/pool.h)
SOVER	 = 0

CC	?= cc
CFLAGS	?= -O2 -g
PREFIX	?= /usr/local
LIBDIR	?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
BINDIR	?= $(PREFIX)/bin
MANDIR	?= $(PREFIX)/share/man
GDBDIR	?= $(PREFIX)/share/gdb/auto-load
SRCDIR	?= /usr/src
KDIR	?= /lib/modules/$(shell uname -r)/build

# Build options of the document, for both worlds: make DEBUG="-DDEBUG_NO_POOLS"
DEBUG	?=

# -Werror in our own checks; a compiler of tomorrow may warn of more.
WERROR	?=
WARN	 = -Wall -Wextra -Wconversion -Wno-sign-conversion -Wmissing-prototypes \
	   -Wstrict-prototypes $(WERROR)
# An exported function jumps to its slow half, so that reports name the caller.
POOL_CFLAGS = -std=gnu11 $(WARN) -fexceptions -foptimize-sibling-calls \
	      -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Icommon -Iuser $(DEBUG)
# No LTO, since the names of such objects cannot be made local, as in libpool.a.
LIB_CFLAGS  = $(POOL_CFLAGS) -DPOOL_NO_INLINE -fPIC -fvisibility=hidden -fno-lto
# What the library calls of itself is its own, also where a program has such a name.
LIB_LDFLAGS = -shared -Wl,-soname,libpool.so.$(SOVER) -Wl,-z,defs \
	      -Wl,-z,relro,-z,nodelete \
	      -Wl,-Bsymbolic-functions -Wl,--version-script=user/libpool.map

B	 = build/user

# Installs what was built, with the flags that it was built with.
ifneq ($(filter install install-tools,$(MAKECMDGOALS)),)
-include $(B)/settings.mk
endif

# For the compiler's target.
ifeq ($(origin AR),default)
AR	:= $(shell $(CC) -print-prog-name=ar 2>/dev/null)
endif
OBJCOPY	?= $(shell $(CC) -print-prog-name=objcopy 2>/dev/null)

LIB_SRC	 = $(wildcard common/*/*.c user/*.c user/*/*.c)
HEADERS	 = $(addprefix common/,pool.h pool_attr.h pool_bulk.h pool_debug.h pool_hot.h \
	   pool_memory.h pool_memstats.h pool_stats.h) user/pool_malloc.h user/libpool.hpp
LIB_OBJ	 = $(LIB_SRC:%.c=$(B)/%.o)
# 32-bit ARM has an unwinder of its own kind.
SO_SRC	 = $(if $(filter arm-% armv%,$(shell $(CC) -dumpmachine)),,user/extra/so/unwinder.c)
SO_OBJ	 = $(SO_SRC:%.c=$(B)/%.o)
LIB	 = $(B)/libpool.a $(B)/libpool.so.$(SOVER)

all: $(LIB) $(B)/libpool.so.$(SOVER)-gdb.py

help:
	@echo 'Build'
	@echo '  all              libpool.a and libpool.so, in $(B)'
	@echo '  modules          pool.ko and its example, for KDIR=$(KDIR)'
	@echo '  modules_install  pool.ko alone, in that kernel; INSTALL_MOD_PATH is honoured'
	@echo '  install          DESTDIR, PREFIX, LIBDIR and INCLUDEDIR are honoured'
	@echo '  tools            poolctl, which needs curses, poolreplay and pooltrace'
	@echo '  install-tools    these, in BINDIR; install-dkms: pool.ko, for DKMS, in SRCDIR'
	@echo '  uninstall        removes what these wrote, by DESTDIR and PREFIX; not pool.ko'
	@echo '  release-notes    what CHANGELOG.md says of this version'
	@echo '  dist             build/libpool-$(VERSION).tar.xz, of what is committed'
	@echo '  clean            removes build/'
	@echo '  DEBUG="-D..."    build options, for both worlds: Documentation/options.rst'
	@echo 'Try'
	@echo '  demo             a recorded kernel trace, on the library and on pool.ko'
	@echo 'Test'
	@echo '  check            in 15 minutes: sanitizers, schedules, kernels with load and without'
	@echo '  check-all        every test, in every world; check is its first part'
	@echo '  check-quick      at each save: a minute, and seconds if little has changed'
	@echo '  check-user       those that need no virtual machine'
	@echo '  kunit            those inside kernels: User-Mode Linux and QEMU'
	@echo '  twin-check       both worlds make the same decisions'
	@echo '  check-schedule   interleavings of CPUs and handlers'
	@echo '  check-promises   mutants that break what document-here.rst promises; PROMISE=87: one'
	@echo '  check-long       many more of them, more kernels (PREEMPT_RT), packages'
	@echo '  check-trixie     check-user in a fresh Debian 13'
	@echo '  check-first      commands of README and the guide, in a fresh Debian 12 and 13'
	@echo '  lint             what tools for kernel code remark; prints nothing when that is nothing'
	@echo '  check-cross      the cases on other machines, and with musl'
	@echo '  torture          everything at once on pool.ko, MINUTES=5 in each kernel'
	@echo '  check-package    Debian packages, on 12 and 13: built twice, installed, used'
	@echo '  check-real       HAProxy and a chat server, with and without pools: asked, counted'
	@echo '  check-traces     bad input for the replay, and traces of programs'
	@echo '  bug-matrix       which option finds which bug; bug-matrix-accept keeps the result'
	@echo 'Measure'
	@echo '  bench            all of it, in both worlds; bench-user: the library only'
	@echo '  bench-programs   recorded programs, on every peer'
	@echo '  bench-gate       instructions and slow paths, in seconds'
	@echo '  bench-scale      instructions of calls: many pools, threads that ended'
	@echo '  bench-memory     what is resident after a burst, beside others'
	@echo '  bench-cxx        containers of C++ with allocators; writes the table of cxx.rst'
	@echo '  bench-real       HAProxy and a chat server, with and without pools'
	@echo '  bench-verify     the same work, each object looked at'
	@echo 'Write pages'
	@echo '  html             Documentation/ and each function as a site, in build/html'
	@echo '  man              manual pages, in build/man'
	@echo '  map              the folders of the source and their calls, in build/map.svg'
	@echo '  map-promises     tests and mutants of each promise; PROMISE=87: of one'
	@echo '  where            F=NAME: a function, its callers, its cases, and pages that name it'
	@echo '  doc-options      the tables of options.rst'
	@echo '  doc-top          the picture of poolctl top'
	@echo '  bench-doc        keep the last figures in tests/bench/figures; bench-goals: the goals'

# Objects depend on the flags they were made with.
SETTINGS = CC CPPFLAGS CFLAGS LDFLAGS DEBUG WERROR
define settings
# What the objects here were made with; "make install" reads it.
$(foreach name,$(SETTINGS),$(name) = $(subst #,\#,$(subst $$,$$$$,$($(name))))
)
endef
# Unchanged it is not written, since several makes may use these objects at once.
same = $(and $(findstring $(1),$(2)),$(findstring $(2),$(1)))
$(B)/settings.mk: FORCE
	$(if $(call same,$(strip $(file <$@)),$(strip $(settings))),,\
		$(shell mkdir -p $(B))$(file >$@,$(settings)))@:

$(B)/%.o: %.c $(B)/settings.mk Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LIB_CFLAGS) -MMD -MP -c -o $@ $<

# The archive is one object.  It shows nothing but the interface, and hides that from all
# but the program or plugin that it is linked into, so each has a libpool for itself.
# objcopy makes names local that are hidden; interface.s hides those of the interface.  Sections
# that are one for a whole program, as that which leads to the unwinder, are the archive's own:
# the linker would drop one of two, and what refers to a local name in it.
$(B)/interface.s: user/libpool.map Makefile
	@mkdir -p $(B)
	sed -nE 's/^\t\t(\w+);$$/\t.globl \1\n\t.hidden \1/p' $< > $@
	echo '	.type pool_thread_area, %tls_object' >> $@
	echo '	.section .note.GNU-stack,"",%progbits' >> $@

JOIN = $(CC) $(filter -m%,$(CFLAGS)) -r -nostdlib -Wl,--force-group-allocation
$(B)/libpool.a: $(LIB_OBJ) $(B)/interface.s
	$(JOIN) -o $(B)/all.o $(LIB_OBJ)
	$(OBJCOPY) --localize-hidden $(B)/all.o
	$(JOIN) -o $(B)/libpool.o $(B)/all.o $(B)/interface.s
	rm -f $@ $(B)/all.o
	$(AR) rcs $@ $(B)/libpool.o

$(B)/libpool.so.$(SOVER): $(LIB_OBJ) $(SO_OBJ) user/libpool.map
	$(CC) $(CFLAGS) $(LDFLAGS) $(LIB_LDFLAGS) -o $@ $(LIB_OBJ) $(SO_OBJ) -pthread
	ln -sf libpool.so.$(SOVER) $(B)/libpool.so

modules:
	$(MAKE) -C $(KDIR) M=$(CURDIR) DEBUG='$(DEBUG)' $(KMAKE) modules
	$(MAKE) -C $(KDIR) M=$(CURDIR)/kernel/example DEBUG='$(DEBUG)' $(KMAKE) \
		KBUILD_EXTRA_SYMBOLS=$(CURDIR)/Module.symvers modules

# pool.ko alone: the example is in a folder of its own, and tests are built for tests only.
modules_install:
	$(MAKE) -C $(KDIR) M=$(CURDIR) $(KMAKE) modules_install

clean:
	rm -rf build

FORCE:
.PHONY: all help modules modules_install clean FORCE
-include $(LIB_OBJ:.o=.d) $(SO_OBJ:.o=.d)

demo:
	@tests/demo.sh

check:
	@tests/check.sh check

check-all:
	@tests/check.sh all

kunit:
	@tests/check.sh kunit

# A warning is an error, since most are of references that lead nowhere.
html:
	@tests/deps.sh html
	@python3 -B Documentation/man/functions.py build/site
	@rm -rf build/html
	sphinx-build -q -W --keep-going -b html -c Documentation -d build/doctrees \
		build/site/pages build/html

# The folders of the source and their calls.
map:
	@mkdir -p build
	@tests/pages/folders.py map build/map.svg
	@echo build/map.svg

# What there is about a function: make where F=pool_flush
where:
	@scripts/where $(F)

.PHONY: demo check check-all kunit html map where

include user/install.mk
include tools/tools.mk
include tests/user.mk
include tests/promise/promise.mk
include tests/package/package.mk
include tests/proof/bugs/bugs.mk
include tests/proof/schedule/schedule.mk
include tests/replay/replay.mk
include tests/bench/bench.mk
include tests/lint/lint.mk
include tests/proof/torture/torture.mk
include tests/real/real.mk
