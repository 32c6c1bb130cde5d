# SPDX-License-Identifier: GPL-2.0-only OR MIT
# The benchmarks; included by the top Makefile.

BENCH_DIR = tests/bench
BENCH_WORKS = $(addprefix $(BENCH_DIR)/peer/,works.c helper.c work_order.c \
	      work_live.c work_pools.c work_threads.c work_trace.c) \
	      tests/replay/trace.c tests/replay/plan.c
BENCH_SRC = $(addprefix $(BENCH_DIR)/peer/,worker.c work_tail.c work_grow.c) \
	    $(BENCH_WORKS)
BENCH_DEP = $(BENCH_SRC) $(wildcard $(BENCH_DIR)/*.[ch] $(BENCH_DIR)/*/*.[ch] \
	    tests/replay/*.h common/pool*.h) $(B)/settings.mk $(B)/libpool.so.$(SOVER)
BENCH_CFLAGS = $(POOL_CFLAGS) -I$(BENCH_DIR) -I$(BENCH_DIR)/peer -Itests/replay \
	       -fno-builtin -pthread

# There is a program per peer.  These are its header, and its other sources and flags.
BENCH_OWN = empty floor pool pool-so layout glibc
BENCH_LIBPOOL = -L$(B) -lpool '-Wl,-rpath,$$ORIGIN/..:$$ORIGIN/../..'
peer_empty	= peer_empty.h $(BENCH_DIR)/peer/peer_empty.c
peer_floor	= peer_floor.h $(BENCH_DIR)/peer/peer_floor.c
peer_pool	= peer_pool.h $(BENCH_LIBPOOL)
peer_pool-so	= peer_pool.h -DPOOL_NO_INLINE $(BENCH_LIBPOOL)
peer_layout	= peer_layout.h $(BENCH_DIR)/peer/peer_layout.c
peer_glibc	= peer_malloc.h -DPEER_LIBRARY='"libc.so"'
peer_jemalloc	= peer_malloc.h -DPEER_LIBRARY='"jemalloc"' -ljemalloc
peer_mimalloc	= peer_malloc.h -DPEER_LIBRARY='"mimalloc"' -lmimalloc
peer_tcmalloc	= peer_malloc.h -DPEER_LIBRARY='"tcmalloc"' -ltcmalloc_minimal
peer_dpdk	= peer_dpdk.h $(BENCH_DIR)/peer/peer_dpdk.c \
		  $(patsubst -I%,-isystem %,$(shell pkg-config --cflags libdpdk)) \
		  -lrte_mempool -lrte_eal -lrte_mempool_ring
peer_gslice	= peer_gslice.h \
		  $(patsubst -I%,-isystem %,$(shell pkg-config --cflags glib-2.0)) \
		  -lglib-2.0

# A library that replaces malloc() is linked although nothing refers to it.  In peers/N/ are
# the same programs with their code N bytes higher.
peer = $(peer_$(@F))
$(B)/peers/%: $(BENCH_DEP)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(BENCH_CFLAGS) \
		'-DBENCH_PEER="$(firstword $(peer))"' $(LDFLAGS) \
		$(if $(findstring /,$*),-DBENCH_PLACE=$(*D)) \
		-Wl,--no-as-needed -o $@ $(BENCH_SRC) \
		$(wordlist 2,$(words $(peer)),$(peer)) -ldl

$(B)/bound $(B)/cost $(B)/fillspill $(B)/limit $(B)/wait: $(B)/%: $(BENCH_DIR)/%.c $(BENCH_DEP)
	$(CC) $(CFLAGS) $(POOL_CFLAGS) $(LDFLAGS) -pthread -o $@ $< -L$(B) \
		-lpool '-Wl,-rpath,$$ORIGIN'

# How much memory each of them keeps.  A rule with several patterns would be taken to make all at once.
define memory_program
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(BENCH_CFLAGS) -pthread \
		'-DBENCH_PEER="$(firstword $(peer_$*))"' $(LDFLAGS) \
		-Wl,--no-as-needed -o $@ $(BENCH_DIR)/$(@D:$(B)/%=%).c \
		$(wordlist 2,$(words $(peer_$*)),$(peer_$*)) -ldl
endef
$(B)/memory/%: $(BENCH_DEP)
	$(memory_program)
$(B)/survivors/%: $(BENCH_DEP)
	$(memory_program)
$(B)/phases/%: $(BENCH_DEP)
	$(memory_program)

$(B)/visits: $(BENCH_DIR)/gate/visits.c $(BENCH_DEP)
	$(CC) $(CFLAGS) $(BENCH_CFLAGS) '-DBENCH_PEER="peer_pool.h"' \
		$(LDFLAGS) -o $@ $< $(BENCH_WORKS) -L$(B) -lpool \
		'-Wl,-rpath,$$ORIGIN'

# Single steps use the trap flag of x86-64, and their handler must not overwrite a red zone.
LONGEST_SRC = $(addprefix $(BENCH_DIR)/longest/longest,.c _call.c _table.c)
$(B)/longest: $(LONGEST_SRC) tests/lib/trap.h $(BENCH_DEP)
	$(CC) $(CFLAGS) $(POOL_CFLAGS) -I$(BENCH_DIR) -Itests/lib -mno-red-zone \
		$(LDFLAGS) -pthread -Wl,-z,now -o $@ $(LONGEST_SRC) -L$(B) -lpool \
		'-Wl,-rpath,$$ORIGIN'

# The peers that need no package.
$(B)/bench: $(BENCH_OWN:%=$(B)/peers/%)
	@printf '%s\n' $(BENCH_OWN) > $@

bench-peers: $(B)/bench $(B)/bound $(B)/cost $(B)/fillspill $(B)/limit $(B)/wait \
	     $(B)/poolreplay
	@$(MAKE) -s $$($(BENCH_DIR)/peer/peers.sh | sed 's|^|$(B)/peers/|')

# bench.py has them, too.
BENCH_PLACES = 16 32
bench-user:
	@tests/deps.sh build
	@tests/deps.sh bench || echo "# what is missing is left out"
	@$(MAKE) -s bench-peers
	@$(MAKE) -s $$(for place in $(BENCH_PLACES); do \
		$(BENCH_DIR)/peer/peers.sh | sed "s|^|$(B)/peers/$$place/|"; done)
	$(BENCH_DIR)/bench.py $(BENCH_FLAGS) $(B)/peers build/bench
	@$(BENCH_DIR)/machine.sh > build/bench/machine.txt
	@for what in bound cost limit wait; do \
		$(B)/$$what > build/bench/$$what.txt || exit; \
		cat build/bench/$$what.txt; \
	done
	@rm -f build/bench/fillspill.txt
	@$(BENCH_DIR)/fillspill.sh $(B)/fillspill > build/bench/fillspill.new && \
		mv build/bench/fillspill.new build/bench/fillspill.txt || \
		echo "# a fill and a spill could not be counted"

# Keeps the last figures, of which "make html" makes a page with charts.
bench-doc:
	$(BENCH_DIR)/page.py build/bench
	$(BENCH_DIR)/chart.py Documentation

# The recorded programs on every peer, in two minutes; bench-programs-doc keeps the figures.
bench-programs:
	@tests/deps.sh bench || echo "# what is missing is left out"
	@$(MAKE) -s bench-peers
	$(BENCH_DIR)/programs.py $(B)/peers build/bench

bench-programs-doc:
	$(BENCH_DIR)/programs.py --keep build/bench

# Does the same work and checks each object when it is freed; takes no times.
bench-verify:
	@$(MAKE) -s B=build/bench-verify DEBUG=-DBENCH_VERIFY bench-peers
	$(BENCH_DIR)/peer/verify.sh build/bench-verify/peers

# Fails if the hit path has become longer, or slow paths are taken more often.  It counts
# instructions and calls, so it takes seconds.
bench-gate: $(addprefix $(B)/peers/,empty pool pool-so) $(B)/visits
	@$(BENCH_DIR)/gate/gate-object.sh
	@$(BENCH_DIR)/gate/gate.sh $(B)/peers
	@$(BENCH_DIR)/gate/gate-visits.sh $(B)/visits

# Many pools, and threads that have ended, in instructions; fails above scale.table.
SCALE = $(B)/manypools $(B)/manypools-malloc $(B)/idlepools $(B)/threads
$(B)/threads: $(BENCH_DIR)/scale/threads.c
$(B)/idlepools: $(BENCH_DIR)/scale/idlepools.c
$(B)/manypools $(B)/manypools-malloc: $(BENCH_DIR)/scale/manypools.c
$(SCALE): $(B)/settings.mk $(B)/libpool.so.$(SOVER)
	$(CC) $(CFLAGS) $(POOL_CFLAGS) $(if $(findstring malloc,$@),-DSCALE_MALLOC) $(LDFLAGS) \
		-o $@ $(filter %.c,$^) -L$(B) -lpool -pthread '-Wl,-rpath,$$ORIGIN'

# What libpool adds to a program that is linked with it, beside a library that does nothing.
START = $(BENCH_DIR)/scale/start.c $(B)/settings.mk
SCALE_START = $(B)/start $(B)/start-bare $(B)/start-empty
$(B)/start: $(START) $(B)/libpool.so.$(SOVER)
	$(CC) $(CFLAGS) $(POOL_CFLAGS) -DSTART_POOL $(LDFLAGS) -o $@ $< -L$(B) \
		-Wl,--no-as-needed -lpool '-Wl,-rpath,$$ORIGIN'
$(B)/start-bare: $(START)
	$(CC) $(CFLAGS) $(POOL_CFLAGS) $(LDFLAGS) -o $@ $<
$(B)/libempty.so: $(START)
	$(CC) $(CFLAGS) $(POOL_CFLAGS) -DSTART_EMPTY $(LDFLAGS) -shared -fPIC -o $@ $<
$(B)/start-empty: $(START) $(B)/libempty.so
	$(CC) $(CFLAGS) $(POOL_CFLAGS) $(LDFLAGS) -o $@ $< -L$(B) -Wl,--no-as-needed -lempty \
		'-Wl,-rpath,$$ORIGIN'
bench-scale: $(SCALE) $(SCALE_START)
	@$(BENCH_DIR)/scale/scale.sh $(B)

# What is resident after a burst; the chart goes into Documentation.
MEMORY_PEERS = pool glibc jemalloc mimalloc tcmalloc
bench-memory:
	@tests/deps.sh bench || echo "# what is missing is left out"
	@rm -rf $(B)/memory $(B)/survivors $(B)/phases
	@$(MAKE) -s $$($(BENCH_DIR)/peer/peers.sh $(MEMORY_PEERS) | \
		sed 's|.*|$(B)/memory/& $(B)/survivors/& $(B)/phases/&|')
	@mkdir -p build/bench
	@$(BENCH_DIR)/memory.py $(B)/memory $(B)/survivors $(B)/phases build/bench

bench-memory-doc:
	$(BENCH_DIR)/memory.py build/bench

# Containers of C++ with allocators; writes the table of cxx.rst.
CXX_SRC = $(BENCH_DIR)/cxx/containers.cc
CXX_MAKE = $(CXX) -std=c++17 $(CFLAGS) -I$(B)/cxx $(LDFLAGS) -pthread -o $@ $(CXX_SRC) \
	   -L$(B) -lpool '-Wl,-rpath,$$ORIGIN/..'
$(B)/cxx/containers $(B)/cxx/containers-mimalloc: $(CXX_SRC) $(BENCH_DIR)/cxx/families.h \
		$(HEADERS) $(B)/settings.mk $(B)/libpool.so.$(SOVER)
	@mkdir -p $(B)/cxx/libpool && cp $(HEADERS) $(B)/cxx/libpool
	$(CXX_MAKE) $(if $(findstring -,$(@F)),-DBENCH_MIMALLOC -lmimalloc)

bench-cxx:
	@tests/deps.sh bench
	@$(MAKE) -s $(B)/cxx/containers $(B)/cxx/containers-mimalloc
	@$(BENCH_DIR)/cxx/containers.py $(B)/cxx/containers $(B)/cxx/containers-mimalloc

# The longest call of each cause.
bench-longest: $(B)/longest
	@$(BENCH_DIR)/longest/longest.sh show $(B)/longest

bench-longest-doc: $(B)/longest
	@$(BENCH_DIR)/longest/longest.sh write $(B)/longest

# Compares the last figures with the goals, and keeps the table.
bench-goals:
	@$(BENCH_DIR)/goals.py write build/bench

bench: bench-user bench-programs
	tests/vm/bench.sh
	tests/vm/waits.sh
	@$(MAKE) -s bench-goals

.PHONY: bench bench-scale bench-cxx bench-peers bench-user bench-doc bench-verify bench-gate bench-goals \
	bench-longest bench-longest-doc bench-memory bench-memory-doc \
	bench-programs bench-programs-doc
