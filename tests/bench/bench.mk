# SPDX-License-Identifier: GPL-2.0-only OR MIT
# The benchmarks; included by the top Makefile.

BENCH_DIR = tests/bench
BENCH_SRC = $(addprefix $(BENCH_DIR)/,bench.c helper.c stats.c)
BENCH_OBJ = $(patsubst %,$(B)/bench-work-%.o,POOL POOL_SO MALLOC EMPTY)
BENCH_DEP = $(BENCH_SRC) $(wildcard $(BENCH_DIR)/*.h common/pool*.h)

$(B)/bench-work-%.o: $(BENCH_DIR)/work.c $(BENCH_DEP) $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(POOL_CFLAGS) -DBENCH_$* -c -o $@ $<

# As a user's program: linked to the shared library.
$(B)/bench: $(BENCH_DEP) $(BENCH_OBJ) $(B)/libpool.so.$(SOVER)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(POOL_CFLAGS) -pthread $(LDFLAGS) -o $@ $(BENCH_SRC) \
		$(BENCH_OBJ) -L$(B) -lpool -lm '-Wl,-rpath,$$ORIGIN'

bench-user: $(B)/bench
	$(B)/bench
	$(BENCH_DIR)/instructions.sh $(B)/bench

bench: bench-user
	tests/vm/bench.sh

.PHONY: bench bench-user
