# SPDX-License-Identifier: GPL-2.0-only OR MIT
# install.mk - what users get: files for pkg-config and CMake, installation, the
# archive of the source; included by the Makefile.

# Copies to where things are installed, and lists what "make uninstall" is to remove.
INSTALLED = $(PREFIX)/share/libpool/installed
PLACE = DESTDIR='$(DESTDIR)' scripts/place '$(INSTALLED)'

# A path is used with DESTDIR before it, and by the linker as it is.
INSTALL_DIRS = PREFIX LIBDIR INCLUDEDIR BINDIR MANDIR GDBDIR
ifneq ($(filter install install-% uninstall,$(MAKECMDGOALS)),)
$(foreach name,$(INSTALL_DIRS),$(if $(filter-out /%,$($(name))),\
	$(error $(name)=$($(name)) is not an absolute path without spaces)))
endif

# Where headers are, as seen from the library: what was installed may be moved.
INCLUDE_FROM_LIB = $(shell realpath -ms --relative-to='$(LIBDIR)' '$(INCLUDEDIR)')

# Written where they are installed, since each installation may have other folders.
install-filled = sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
	-e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@VERSION@|$(VERSION)|' \
	-e 's|@SOVER@|$(SOVER)|' -e 's|@INCLUDE_FROM_LIB@|$(INCLUDE_FROM_LIB)|' \
	user/$(1).in | $(PLACE) as 644 $(2)/$(1) -

# Commands of gdb, which loads a script by the name of the library that it reads.
GDB_SCRIPT = $(B)/libpool.so.$(SOVER)-gdb.py
$(GDB_SCRIPT): user/gdb.py common/pool.h user/install.mk
	@mkdir -p $(B)
	@sed -e 's|@VERSION@|$(VERSION)|' $< > $@.$$$$ && mv $@.$$$$ $@

# The installed ones; tests copy them.
headers:
	@echo $(HEADERS)

# For scripts: the version, and the name that programs are linked with.
version:
	@echo $(VERSION)

# What CHANGELOG.md says of this version.
release-notes:
	@awk '/^## / { on = $$2 == "$(VERSION)" } on' CHANGELOG.md

soname:
	@echo libpool.so.$(SOVER)

# Manual pages, of the comments in headers, of options.rst and of the files of debugfs.
MAN_FROM = $(wildcard Documentation/man/*) $(filter common/%,$(HEADERS)) README.md \
	   Documentation/options.rst Documentation/ABI/testing/debugfs-pool
build/man/done: $(MAN_FROM)
	@rm -rf build/man
	@python3 -B Documentation/man/man.py build/man
	@touch $@

man: build/man/done

# Without Python there are no pages, and the rest is installed.
PYTHON	:= $(shell command -v python3)
install-man: $(if $(PYTHON),man)
	$(foreach s,$(if $(PYTHON),3 5 7),\
		$(PLACE) into 644 $(MANDIR)/man$(s) build/man/man$(s)/* &&) true

install-gdb: $(GDB_SCRIPT)
	$(PLACE) as 644 $(GDBDIR)$(LIBDIR)/libpool.so.$(VERSION)-gdb.py $<

install: all install-gdb install-man
	$(PLACE) into 644 $(INCLUDEDIR)/libpool $(HEADERS)
	$(PLACE) into 644 $(LIBDIR) $(B)/libpool.a
	$(PLACE) as 755 $(LIBDIR)/libpool.so.$(VERSION) $(B)/libpool.so.$(SOVER)
	$(PLACE) link libpool.so.$(VERSION) $(LIBDIR)/libpool.so.$(SOVER)
	$(PLACE) link libpool.so.$(SOVER) $(LIBDIR)/libpool.so
	$(call install-filled,libpool.pc,$(LIBDIR)/pkgconfig)
	$(call install-filled,pool-config.cmake,$(LIBDIR)/cmake/pool)
	$(call install-filled,pool-config-version.cmake,$(LIBDIR)/cmake/pool)

# What pooltrace preloads: it looks there, as seen from its own folder.
TOOLLIBDIR = $(abspath $(BINDIR)/../lib/libpool)
install-tools: tools
	$(PLACE) into 755 $(BINDIR) $(addprefix $(B)/,poolctl poolreplay pooltrace)
	$(PLACE) into 644 $(TOOLLIBDIR) $(B)/libpooltrace.so
	$(PLACE) into 644 $(MANDIR)/man1 \
		$(addprefix Documentation/man/,poolctl.1 poolreplay.1 pooltrace.1)

# What "install" and "install-tools" wrote, of any version; not the files of DKMS.
uninstall:
	$(PLACE) remove

# What DKMS builds pool.ko of, for each kernel: no test, nothing of user space.
DKMS_TO	  = $(DESTDIR)$(SRCDIR)/pool-$(VERSION)
DKMS_FROM = Kbuild $(wildcard common/*.h common/*/*.[ch] kernel/*.[ch] kernel/debugfs/*.[ch])
install-dkms:
	install -d $(addprefix $(DKMS_TO)/,$(sort $(dir $(DKMS_FROM))))
	$(foreach f,$(DKMS_FROM),install -m 644 $(f) $(DKMS_TO)/$(f) &&) true
	sed 's/#MODULE_VERSION#/$(VERSION)/' dkms.conf >$(DKMS_TO)/dkms.conf
	chmod 644 $(DKMS_TO)/dkms.conf

# Of what is committed.  Git gives all files the time of the commit and root as owner,
# so it is the same file wherever it is made.
DIST	  = libpool-$(VERSION)
dist:
	@mkdir -p build
	git -c tar.umask=0022 archive --format=tar --prefix=$(DIST)/ HEAD | \
		xz -9 -T1 >build/$(DIST).tar.xz
	@echo build/$(DIST).tar.xz

.PHONY: headers version release-notes soname install install-gdb install-man install-tools install-dkms uninstall man dist
