# SPDX-License-Identifier: GPL-2.0-only OR MIT
# lint.mk - remarks of tools for kernel code; included by the Makefile.

lint:
	@mkdir -p build
	@tests/lint/lint.sh >build/lint.log || { grep -v '^ok ' build/lint.log; exit 1; }

.PHONY: lint
