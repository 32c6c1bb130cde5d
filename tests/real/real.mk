# SPDX-License-Identifier: GPL-2.0-only OR MIT
# real.mk - real programs with and without pools; included by the Makefile.

# Fetches and builds each release line of HAProxy on first use; check-long has only 2.6.
check-real: all
	@tests/real/check.sh $(B) 2.6 3.0

bench-real: all
	@tests/real/measure.sh $(B) build/bench

# Writes the last figures into the page.
bench-real-doc:
	@tests/real/chart.py build/bench write

.PHONY: check-real bench-real bench-real-doc
