// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * judge_end.c - what must be true at the end: each object is in one place
 *
 * Layer:   tests; the enumerator.
 * Context: no fibre runs.
 */
#include "judge.h"

/* Note a free object in its place: it must be the pool's, and met only once. */
static void meet(const struct pool *pool, const void *obj)
{
	int at = index_of(obj);

	if (at < 0 || owner[at] != OWNER_POOL || whose[at] != pool->id)
		sched_fail("%p is in a place of %s: %s", obj, pool->name,
			   at < 0 || owner[at] == OWNER_NONE ? "no object" :
			   owner[at] == OWNER_USER ? "a user has it" :
			   owner[at] == OWNER_SEEN ? "in another one, too" :
						     "it is another pool's");
	owner[at] = OWNER_SEEN;
}

static unsigned long meet_cluster(const struct pool *pool,
				  const struct pool_cluster *c)
{
	unsigned int i;

	if (!c->n)
		sched_fail("an empty cluster is on a list");
	for (i = 0; i < c->n; i++)
		meet(pool, c->obj[i]);
	return c->n;
}

/* Meet the objects in the array and in the clusters of a CPU. */
static unsigned long meet_local(const struct pool *pool,
				const struct pool_local *local)
{
	const struct pool_list *node;
	unsigned long n = local->hot.n;
	unsigned int i;

	for (i = 0; i < local->hot.n; i++)
		meet(pool, local->slot[i]);
	if (!local->pool)
		return n;
	for (node = local->by_pool.next; node != &local->by_pool; node = node->next)
		n += meet_cluster(pool, pool_list_entry(node,
							struct pool_cluster,
							by_pool));
	return n;
}

static unsigned long meet_bucket(const struct pool *pool,
				 const struct pool_bucket *b)
{
	const struct pool_cluster *c = b->head;
	unsigned long n = 0;

	if (c == POOL_BUSY)
		sched_fail("a bucket stays BUSY");
	for (; c; c = c->next)
		n += meet_cluster(pool, c);
	return n;
}

static unsigned long meet_parked(const struct pool *pool,
				 const struct pool_parked *parked)
{
	unsigned long n = 0;
	void *obj;

	for (obj = parked->head; obj; obj = *pool_link_of(pool, obj), n++)
		meet(pool, obj);
	return n;
}

static void forget_met(void)
{
	unsigned int i;

	for (i = 0; i < WORLD_GRANULES; i++)
		if (owner[i] == OWNER_SEEN)
			owner[i] = OWNER_POOL;
}

/* Fail unless each object of a pool is in one place, and their number is the pool's. */
static void check_pool(struct pool *pool)
{
	unsigned long cached = 0, shared = 0, parked, users = used[pool->id];
	struct pool_stats s;
	unsigned int i;

	parked = meet_parked(pool, &pool->parked);
	for (i = 0; i < plat_cpus; i++) {
		const struct pool_local *local = plat_local_of(pool, i);

		cached += meet_local(pool, local);
		parked += meet_parked(pool, &local->parked);
		if (pool_is_closed(pool) && local->hot.cap)
			sched_fail("cpu%u: an array of a closed pool accepts %u objects",
				   i, local->hot.cap);
	}
	for (i = 0; i < pool->buckets; i++)
		shared += meet_bucket(pool, &pool->bucket[i]);
	forget_met();
	if (judge_slots(pool) != pool->slots)
		sched_fail("%lu slots of %s are claimed, and no array has them",
			   pool->slots, pool->name);
	pool_stats_get(&pool->head, &s, sizeof(s));
	sched_note("%s: %llu allocated, %llu used, %llu cached, %llu shared",
		   pool->name, s.allocated, s.used, s.cached, s.shared);
	/* The scenarios with a reserve compare s.reserved with the slots of the reserve. */
	users += s.reserved;
	if (users + cached + shared + parked != pool->backend.live)
		sched_fail("%u objects: %lu used, %lu cached, %lu shared, %lu parked",
			   pool->backend.live, users, cached, shared, parked);
	if (s.allocated != pool->backend.live || s.used != users + parked)
		sched_fail("%llu are said to be there, %llu used; they are %u, %lu",
			   s.allocated, s.used, pool->backend.live,
			   users + parked);
	if (s.cached != cached || s.moving)
		sched_fail("%llu are said to be cached, %llu on their way; they are %lu, 0",
			   s.cached, s.moving, cached);
	if (s.shared != shared || s.parked != parked)
		sched_fail("%llu are said to be shared, %llu parked; they are %lu, %lu",
			   s.shared, s.parked, shared, parked);
}

/* Check a CPU's charge where nothing moves. */
static void check_charge(unsigned int cpu)
{
	unsigned long bytes = 0;
	unsigned int i;

	for (i = 0; i < PLAT_LOCALS; i++)
		if (pools[i])
			bytes += charged_in(plat_local_of(pools[i], cpu)) *
				 pools[i]->head.size;
	if (bytes != charged_to(cpu))
		sched_fail("cpu%u: %lu bytes charged, not %lu", cpu,
			   charged_to(cpu), bytes);
}

/* Fail unless exactly the arrays with slots are on the list by age. */
static void check_ages(unsigned int cpu)
{
	const struct pool_cpu *c = plat_cpu_of(cpu);
	const struct pool_list *node;
	unsigned int listed = 0, i;

	for (i = 0; i < PLAT_LOCALS; i++)
		if (pools[i] && plat_local_of(pools[i], cpu)->hot.slots)
			listed++;
	for (node = c->by_age.next; node != &c->by_age; node = node->next) {
		if (!node || !pool_list_entry(node, const struct pool_local,
					      by_age)->hot.slots) {
			sched_fail("cpu%u: an array without slots has an age",
				   cpu);
			return;
		}
		listed--;
	}
	if (listed)
		sched_fail("cpu%u: an array with slots has no age", cpu);
}

static void free_used(struct pool *pool)
{
	unsigned int i;

	for (i = 0; i < WORLD_GRANULES; i++)
		if (owner[i] == OWNER_USER && whose[i] == pool->id)
			s_free(&pool->head, world_at(i));
}

static void end_pool(struct pool *pool)
{
	unsigned int n = pool->users;

	free_used(pool);
	while (n--)
		s_destroy(&pool->head);
}

void judge_end(void)
{
	unsigned int i;

	for (i = 0; i < PLAT_LOCALS; i++)
		if (pools[i])
			check_pool(pools[i]);
	for (i = 0; i < plat_cpus; i++) {
		check_charge(i);
		check_ages(i);
	}
	if (sched->scenario->end)
		sched->scenario->end();
	for (i = 0; i < PLAT_LOCALS; i++)
		if (pools[i])
			end_pool(pools[i]);
	pool_gone_free_all();
	if (world_used() != granules)
		sched_fail("memory is left behind: %d blocks",
			   (int)world_used() - (int)granules);
}
