# SPDX-License-Identifier: GPL-2.0-only OR MIT
# bugs.mk - which option finds which bug; included by the Makefile.

BUGS_SRC = $(LIB_SRC) $(addprefix tests/proof/bugs/bugs,.c _cell.c _user.c)

$(T)/bugs: $(BUGS_SRC) $(wildcard common/*.h common/*/*.h user/*.h user/*/*.h) \
	   $(wildcard tests/proof/bugs/*.h) tests/user.mk tests/proof/bugs/bugs.mk
	@mkdir -p $(T)
	$(CC) -O2 $(TEST_CFLAGS) -o $@ $(BUGS_SRC) -pthread

bug-matrix: $(T)/bugs
	@tests/deps.sh vm
	@tests/proof/bugs/matrix.sh

bug-matrix-accept:
	@tests/proof/bugs/matrix.sh accept

.PHONY: bug-matrix bug-matrix-accept
