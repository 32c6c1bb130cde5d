# SPDX-License-Identifier: GPL-2.0-only OR MIT
# package.mk - what is built for users, installed and used; included by the Makefile.

# In a fresh Debian 12 and 13, as root.
check-package:
	@tests/deps.sh check-user
	@$(MAKE) -s all
	@rm -rf build/results
	@tests/package/check.sh $(B)

.PHONY: check-package
