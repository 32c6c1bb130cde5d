# SPDX-License-Identifier: GPL-2.0-only OR MIT
# real.mk - real programs with and without pools; included by the Makefile.

# Fetches and builds HAProxy on first use.
check-real: all
	@tests/real/check.sh $(B)

bench-real: all
	@tests/real/measure.sh $(B) build/bench

# Writes the last figures into the page.
bench-real-doc:
	@tests/real/chart.py build/bench write

.PHONY: check-real bench-real bench-real-doc
