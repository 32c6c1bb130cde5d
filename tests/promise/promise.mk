# SPDX-License-Identifier: GPL-2.0-only OR MIT
# promise.mk - mutants of the document's promises; included by the Makefile.

# Each mutant breaks one promise, and a case of that promise's row must fail.
check-promises: export QUICK_CC = $(CC) -O1 $(TEST_CFLAGS) -w
check-promises: export QUICK_OBJECTS = $(QUICK_OBJ)
check-promises: export QUICK_LIBS = $(TEST_LIBS)
check-promises:
	@tests/deps.sh check-user
	@$(MAKE) -s -j2 all $(T)/quick
	@tests/promise/mutants.py $(PROMISE)

# Where each promise is tested, and what breaks it.
map-promises:
	@tests/pages/promises.py map $(PROMISE)

.PHONY: check-promises map-promises
