# SPDX-License-Identifier: GPL-2.0-only OR MIT
# torture.mk - everything at once on pool.ko, in many kernels; included by the Makefile.

MINUTES	?= 5
TORTURE_KERNELS ?= debug debug-rt kcsan kasan i386 arm64 \
		   stock-6.1 stock-6.12 stock-6.12-rt $$(tests/vm/kernel.sh newest || echo stock-newest)

torture:
	@status=0; \
	for kernel in $(TORTURE_KERNELS); do \
		tests/vm/torture.sh $$kernel $$(($(MINUTES) * 60)) || status=1; \
	done; \
	exit $$status

.PHONY: torture
