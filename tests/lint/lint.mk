# SPDX-License-Identifier: GPL-2.0-only OR MIT
# lint.mk - remarks of tools for kernel code; included by the Makefile.

lint:
	@tests/lint/lint.sh

.PHONY: lint
