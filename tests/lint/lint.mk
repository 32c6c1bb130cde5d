# SPDX-License-Identifier: GPL-2.0-only OR MIT
# lint.mk - remarks of tools for kernel code; included by the Makefile.

# Prints nothing but what is wrong.
lint:
	@mkdir -p build
	@for job in lint/lint vm/into-tree; do \
		tests/$$job.sh >build/lint.log 2>&1 || { grep -v '^ok ' build/lint.log; exit 1; }; \
	done

.PHONY: lint
