# SPDX-License-Identifier: GPL-2.0-only OR MIT
# install.mk - what users get: files for pkg-config and CMake, installation, the
# archive of the source; included by the Makefile.

# Where headers are, as seen from the library: what was installed may be moved.
INCLUDE_FROM_LIB = $(shell realpath -ms --relative-to='$(LIBDIR)' '$(INCLUDEDIR)')

USER_FILES = libpool.pc pool-config.cmake pool-config-version.cmake
$(USER_FILES:%=$(B)/%): $(B)/%: user/%.in FORCE
	@mkdir -p $(B)
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
	     -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@VERSION@|$(VERSION)|' \
	     -e 's|@SOVER@|$(SOVER)|' -e 's|@INCLUDE_FROM_LIB@|$(INCLUDE_FROM_LIB)|' \
	     $< > $@

user-files: $(USER_FILES:%=$(B)/%)

# The installed ones; tests copy them.
headers:
	@echo $(HEADERS)

# For scripts: the version, and the name that programs are linked with.
version:
	@echo $(VERSION)

soname:
	@echo libpool.so.$(SOVER)

install: all
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(LIBDIR)/cmake/pool \
		$(DESTDIR)$(INCLUDEDIR)/libpool
	install -m 644 $(HEADERS) $(DESTDIR)$(INCLUDEDIR)/libpool
	install -m 644 $(B)/libpool.a $(DESTDIR)$(LIBDIR)
	install -m 755 $(B)/libpool.so.$(SOVER) \
		$(DESTDIR)$(LIBDIR)/libpool.so.$(VERSION)
	ln -sf libpool.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libpool.so.$(SOVER)
	ln -sf libpool.so.$(SOVER) $(DESTDIR)$(LIBDIR)/libpool.so
	install -m 644 $(B)/libpool.pc $(DESTDIR)$(LIBDIR)/pkgconfig
	install -m 644 $(B)/pool-config.cmake $(B)/pool-config-version.cmake \
		$(DESTDIR)$(LIBDIR)/cmake/pool

install-tools: $(B)/poolreplay
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(MANDIR)/man1
	install -m 755 $(B)/poolreplay $(DESTDIR)$(BINDIR)
	install -m 644 Documentation/man/poolreplay.1 $(DESTDIR)$(MANDIR)/man1

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

.PHONY: user-files headers version soname install install-tools install-dkms dist
