// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * helpers.c - functions that many cases need
 *
 * Layer:   tests, both worlds.
 * Context: the case's own thread, except for test_random().
 */
#include "test.h"

void *test_objs[TEST_OBJS];

static struct pool_options saved_options;
static unsigned int saved_fail_every;

/*
 * Subtract the refunds of earlier cases' pools from each CPU's charge.  A visit that finds the
 * bound used up would do so, but other threads might read too high a charge meanwhile:
 * pool_charged().
 */
static void take_refunds(void)
{
	unsigned int i;

	for (i = 0; i < test_nr_cpus(); i++) {
		struct pool_cpu *cpu = plat_cpu_of(i);

		if (!cpu)
			continue;
		plat_cpu_lock(cpu);
		pool_charge(cpu, plat_xchg_acquire(&cpu->refunded, 0ul));
		plat_cpu_unlock(cpu);
	}
}

/*
 * Prepare each case.  Options of tools are cleared, so that hot arrays are tested under tools, too;
 * cases of tools set them again.
 */
void test_begin(void)
{
	saved_options = pool_options;
	saved_fail_every = pool_fail_every;
	pool_options.debug &= ~pool_start.debug | POOL_DEBUG_DEFAULT;
	take_refunds();
}

/*
 * Restore the options after each case, and check that no pool, no charge and no empty cluster is
 * left.  Removes the pools of a failed case, so that the next case can run.
 */
bool test_end(void)
{
	struct pool *left = pool_registry_next(NULL);
	bool clean = !left;

	pool_options = saved_options;
	pool_bound_fit();
	pool_fail_every = saved_fail_every;
	if (left)
		pool_registry_put(left);
	pool_destroy_every();
	return clean && !test_charged() && !test_cpu()->stashed;
}

/* Set the bound, and the size of clusters as far as the build allows it. */
void test_options(unsigned long hot_size, unsigned int cluster)
{
	pool_options.hot_size = hot_size;
	pool_bound_fit();
	pool_options.cluster = cluster < POOL_CLUSTER_SIZE ?
			       cluster : POOL_CLUSTER_SIZE;
}

/* Set the options of pools that are created from now on. */
void test_mode(unsigned int mode)
{
	pool_options.debug = mode;
}

void test_nothing_on(void)
{
	pool_options.debug = 0;
	pool_options.fail_percent = 0;
	pool_options.fail_every = 0;
}

void test_inject(unsigned int every)
{
	pool_fail_every = every;
}

unsigned int test_round(void)
{
	return POOL_SIZE_ROUND;
}

unsigned int test_cluster(void)
{
	return pool_options.cluster;
}

void test_destroy_every(void)
{
	pool_destroy_every();
}

bool test_readable(const void *p)
{
	char byte;

	return plat_peek(&byte, p, 1);
}

/* Create a pool of objects of exactly @size bytes. */
struct pool *test_pool(unsigned int size)
{
	struct pool_head *head = head_make(size);

	return head ? pool_of(head) : NULL;
}

struct pool *test_within(unsigned long hot_size, unsigned int cluster, unsigned int size)
{
	test_options(hot_size, cluster);
	return test_pool(size);
}

struct pool *test_bare(unsigned int size)
{
	test_nothing_on();
	return test_pool(size);
}

/* Create a pool with these options; pools that are created later do not have them. */
struct pool *test_in_mode(unsigned int debug, unsigned int size)
{
	unsigned int was = pool_options.debug;
	struct pool *pool;

	pool_options.debug = debug;
	pool = test_pool(size);
	pool_options.debug = was;
	return pool;
}

struct pool *test_made(const struct pool_attr *attr)
{
	struct pool_head *head = create_pool_ext(attr);

	return head ? pool_of(head) : NULL;
}

struct pool *test_sure(unsigned int size)
{
	pool_fail_every = 0;
	return test_pool(size);
}

struct pool *test_sure_within(unsigned long hot_size, unsigned int cluster, unsigned int size)
{
	pool_fail_every = 0;
	return test_within(hot_size, cluster, size);
}

/* Return how many pools exist. */
unsigned int test_count_pools(void)
{
	struct pool *pool = NULL;
	unsigned int n = 0;

	while ((pool = pool_registry_next(pool)))
		n++;
	return n;
}

/* Create a pool that has these options and only counts its faults. */
struct pool *test_checked(unsigned int size, unsigned int debug)
{
	pool_options.debug = debug;
	pool_options.policy = POOL_POLICY_CONTINUE;
	return test_pool(size);
}

struct pool *test_checked_within(unsigned long hot_size, unsigned int cluster, unsigned int size,
				 unsigned int debug)
{
	test_options(hot_size, cluster);
	return test_checked(size, debug);
}

/*
 * Allocate until the backend returns an object that a user gave to the backend past its checked
 * pool.  True if the checks have reported exactly that object.
 */
bool test_reports_elsewhere(struct pool *pool)
{
	unsigned int n = 0;
	bool well;

	while (n < TEST_OBJS && !test_faults(pool))
		test_objs[n++] = test_alloc(pool);
	well = plat_read(&pool->faults[POOL_FAULT_ELSEWHERE]) == 1 && test_faults(pool) == 1 &&
	       plat_read(&pool->abandoned) == 1;
	test_free_many(pool, test_objs, n);
	return well;
}

/*
 * Create a pool with full clusters.  Two waves are needed, because objects that were got ahead
 * (ahead.c) keep the first fills from moving objects to the array.
 */
struct pool *test_clustered_pool(void)
{
	struct pool *pool;

	test_options(1 << 20, POOL_CLUSTER_SIZE);
	pool = test_pool(64);
	if (!pool)
		return NULL;
	pool_fail_every = 0;
	test_wave(pool, 400);
	test_wave(pool, 400);
	return pool;
}

struct pool *test_whole(unsigned int *n)
{
	struct pool *pool = test_clustered_pool();

	if (!pool)
		return NULL;
	*n = 400;
	test_alloc_many(pool, test_objs, *n);
	while (test_local(pool)->hot.n < POOL_HOT_MAX)
		test_free(pool, test_objs[--*n]);
	return pool;
}

unsigned long test_crowd(unsigned int n, void (*fn)(unsigned int i, void *arg), struct pool *pool)
{
	struct crowd crowd = { .pool = pool };

	test_threads(n, fn, &crowd);
	return plat_read(&crowd.bad);
}

/* Allocate @n objects, check that each is @good, and free them. */
bool test_wave_good(struct pool *pool, unsigned int n,
		    bool (*good)(const unsigned char *obj))
{
	unsigned int i, seen = 0;

	test_alloc_many(pool, test_objs, n);
	for (i = 0; i < n; i++)
		seen += test_objs[i] && good(test_objs[i]);
	test_free_many(pool, test_objs, n);
	return seen == n;
}

/* Create a source of objects like a pool's; @id must be unique. */
bool test_backend(struct plat_backend *backend, unsigned int id, unsigned int size,
		  unsigned int align, unsigned int debug)
{
	struct pool_attr attr = { .size = size, .align = align };
	const char *why;

	return plat_backend_create(backend, "test", id, size, &attr, debug,
				   &why);
}

/* Get one object of a source; NULL: there is none. */
void *test_backend_alloc(struct plat_backend *backend, unsigned int flags)
{
	void *obj;

	return plat_backend_alloc(backend, 1, &obj, flags) ? obj : NULL;
}

/* Return one object to its source; returns the fault that the source finds, or POOL_FAULT_KINDS. */
enum pool_fault test_backend_free(struct plat_backend *backend, void *obj)
{
	enum pool_fault fault = POOL_FAULT_KINDS;

	plat_backend_free(backend, 1, &obj, &fault);
	return fault;
}

/* Take a cluster of the shared part, and count its objects as arrived. */
struct pool_cluster *test_take_shared(struct pool *pool)
{
	struct pool_cluster *c = pool_refill_local_from_shared(pool, &pool->moving);

	if (c)
		pool_arrive(&pool->moving, c->n);
	return c;
}

/* Set up and return this CPU's part of a pool; the case must stay on its CPU. */
struct pool_local *test_local(struct pool *pool)
{
	struct pool_local *local;

	plat_cpu_ready(pool, 0);
	local = pool_local_enter(pool);
	pool_hot_leave();
	return local;
}

/* Allocate an empty cluster without an owner, for plat_mem_free(). */
struct pool_cluster *test_cluster_new(void)
{
	struct pool_cluster *c = plat_mem_alloc(sizeof(*c), PLAT_MEM_AT_HAND);

	if (c) {
		c->n = 0;
		c->boxed = 0;
	}
	return c;
}

struct pool_cluster *test_cluster_box(void)
{
	struct pool_cluster *c = test_cluster_new();
	struct pool_cluster *other = test_cluster_new();

	if (c && other) {
		c->obj[c->boxed++] = other;
		return c;
	}
	plat_mem_free(c);
	plat_mem_free(other);
	return NULL;
}

struct pool_cpu *test_cpu(void)
{
	return plat_cpu_of(plat_cpu_hint());
}

unsigned long test_charged(void)
{
	return pool_charged(test_cpu());
}

/* Count the objects in the clusters of a CPU's part of a pool. */
static unsigned long count_clusters(struct pool_local *local)
{
	struct pool_list *node;
	unsigned long n = 0;

	if (!local->pool)
		return 0;
	for (node = local->by_pool.next; node != &local->by_pool; node = node->next)
		n += pool_list_entry(node, struct pool_cluster, by_pool)->n;
	return n;
}

/* True if an array is on the list of ages, as each array with slots must be. */
static bool has_age(struct pool_local *local)
{
	return local->pool && !pool_list_empty(&local->by_age);
}

/* True if the lists of all CPUs' parts of a quiet pool agree with their counts. */
static bool counts_are_true(struct pool *pool)
{
	unsigned int cpus = pool->cached ? test_nr_cpus() : 0;
	unsigned int i;

	for (i = 0; i < cpus; i++) {
		struct pool_local *local = plat_local_of(pool, i);

		if (!local)
			continue;
		if (has_age(local) != !!local->hot.slots ||
		    count_clusters(local) != local->clustered ||
		    local->hot.n > local->hot.slots ||
		    (local->pool && local->hot.open == POOL_HELD) ||
		    plat_read(&local->moving))
			return false;
	}
	return true;
}

unsigned long test_quarantined;

/*
 * True if the numbers of a quiet pool add up, with @used objects in use.  Some of the free objects
 * may be parked, because a call that finds no object makes other CPUs park objects of their arrays.
 */
bool head_quiet(struct pool_head *pool, unsigned long used)
{
	struct pool_stats now;

	head_numbers(pool, &now);
	return now.used == used + now.parked &&
	       now.allocated == now.used + now.cached + now.shared &&
	       now.store_gets - now.store_puts == now.allocated &&
	       counts_are_true(pool_of(pool));
}

/* True if no more bytes are cached here than charged, and no more charged than the bound. */
bool test_bound_holds(void)
{
	unsigned long charged = test_charged();
	unsigned int cpu = plat_cpu_hint();
	unsigned long held = 0;
	struct pool *pool = NULL;

	while ((pool = pool_registry_next(pool))) {
		struct pool_local *local = plat_local_of(pool, cpu);

		if (pool->cached && local)
			held += (local->hot.slots + local->clustered +
				 plat_read(&local->moving)) *
				pool->head.size;
	}
	return held <= charged && charged <= pool_bound;
}

/* Return the next number of a xorshift sequence, which is the same everywhere. */
unsigned long test_random(unsigned long *state)
{
	unsigned long x = *state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	*state = x;
	return x >> 3;
}

/* Allocate a list of @n objects, linked by their first words. */
void *test_alloc_list(struct pool *pool, unsigned long n)
{
	void *list = NULL;

	while (n--) {
		void **obj = pool_alloc(&pool->head);

		if (!obj)
			break;
		*obj = list;
		list = obj;
	}
	return list;
}

/* Free the objects of a list; return how many there were. */
unsigned long test_free_list(struct pool *pool, void *list)
{
	unsigned long n = 0;

	while (list) {
		void *next = *(void **)list;

		pool_free(&pool->head, list);
		list = next;
		n++;
	}
	return n;
}
