// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * validate.c - check the lists of a live pool
 *
 * Layer:   above the core, whose lists it reads; lists without a lock are taken and put back.
 * Context: process context; outside of hot sections, no lock held.
 *
 * A walk holds a lock or a bucket for at most HOLD clusters, then releases it and holds it again.
 * It continues where it was if the place has not changed meanwhile, else it restarts.  To see that,
 * it compares counts: a part's departures and number of objects, a bucket's gets and puts.  A place
 * that changes each time is checked incompletely, and its sums are not compared.
 *
 * Only what is true at each instant under the lock is checked, so a pool in use gives no false
 * alarm.  Links are followed as the core follows them: one that leads to no memory is fatal.
 */
#include "seam/plat.h"
#include "validate.h"

/* The most clusters that are checked in one hold of a lock or a bucket. */
#define HOLD	5

/* Parked objects whose links are followed before their list is put back. */
#define PARKED_SEEN	256

/* How many times a walk may restart, or find a bucket BUSY. */
#define TRIES	8

/* A walk along the clusters of one place. */
struct walk {
	struct pool *pool;
	struct pool_finding seen;
	unsigned long changes[3];		/* counts of changes when the place was held last */
	struct pool_list *list;		/* the last node that was checked */
	struct pool_cluster *next;	/* the next to be checked, in a chain */
	bool begun;
	unsigned int tries;
};

/* Record the first thing that is wrong at a place. */
static void expect(struct pool_finding *s, bool good, const char *what,
		   unsigned long found, unsigned long expected)
{
	if (good || s->wrong)
		return;
	s->wrong = what;
	s->found = found;
	s->expected = expected;
}

static void expect_same(struct pool_finding *s, const char *what,
			unsigned long found, unsigned long expected)
{
	expect(s, found == expected, what, found, expected);
}

static void expect_most(struct pool_finding *s, const char *what,
			unsigned long found, unsigned long most)
{
	expect(s, found <= most, what, found, most);
}

/* True if the walk must begin, or restart because a count has changed. */
static bool begins(struct walk *w, const unsigned long now[3])
{
	bool same = w->begun;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		same = same && w->changes[i] == now[i];
		w->changes[i] = now[i];
	}
	if (same)
		return false;
	w->begun = true;
	w->tries++;
	w->seen.clusters = 0;
	w->seen.objs = 0;
	return true;
}

static void see_cluster(struct pool_finding *s, const struct pool_cluster *c)
{
	s->clusters++;
	s->objs += c->n;
	expect(s, c->n, "objects in a cluster", c->n, 1);
	expect_most(s, "objects in a cluster", c->n, POOL_CLUSTER_SIZE);
}

/* True if the neighbours of a node point back at it.  CPU lock held. */
static bool is_linked(const struct pool_list *node)
{
	return node->next->prev == node && node->prev->next == node;
}

/* Check the cluster behind w->list; false: there is none.  CPU lock held. */
static bool see_linked(struct walk *w, struct pool_local *local)
{
	struct pool_finding *s = &w->seen;
	struct pool_list *node = w->list->next;
	struct pool_cluster *c;

	expect(s, node->prev == w->list, "by_pool links that match", s->clusters,
	       s->clusters + 1);
	if (s->wrong || node == &local->by_pool)
		return false;
	c = pool_list_entry(node, struct pool_cluster, by_pool);
	see_cluster(s, c);
	expect(s, c->local == local, "clusters of this part", s->clusters - 1,
	       s->clusters);
	expect(s, is_linked(&c->by_lru), "by_lru links that match",
	       s->clusters - 1, s->clusters);
	expect_most(s, "objects in clusters", s->objs, local->clustered);
	w->list = node;
	return !s->wrong;
}

/* Check an array.  CPU lock held, but n may change at any time, since its owner needs no lock. */
static void see_array(struct pool_finding *s, struct pool_cpu *cpu,
		      struct pool_local *local)
{
	unsigned long size = local->pool->head.size;
	unsigned int slots = plat_read(&local->hot.slots);

	expect(s, is_linked(&cpu->by_lru), "by_lru links that match", 0, 1);
	expect(s, is_linked(&cpu->by_age) && (!slots || is_linked(&local->by_age)),
	       "by_age links that match", 0, 1);
	expect_most(s, "slots of the array", slots, POOL_HOT_SLOTS);
	expect_most(s, "objects in the array", plat_read(&local->hot.n), slots);
	expect_most(s, "bytes of arrays", slots * size, cpu->hot_bytes);
	expect_most(s, "bytes charged for", cpu->hot_bytes +
		    local->clustered * size, pool_charged(cpu));
}

/* Check up to HOLD clusters; true: at the end, or something is wrong.  CPU lock held. */
static bool see_some(struct walk *w, struct pool_local *local)
{
	struct pool_cpu *cpu = local->cpu;
	unsigned long now[3] = {
		local->clustered, local->departures,
		plat_read(&w->pool->gone_departures),
	};
	unsigned int i;

	if (begins(w, now)) {
		w->list = &local->by_pool;
		see_array(&w->seen, cpu, local);
	}
	for (i = 0; i < HOLD; i++)
		if (!see_linked(w, local)) {
			expect_same(&w->seen, "objects in clusters",
				    w->seen.objs, local->clustered);
			return true;
		}
	return false;
}

static bool hold_local(struct walk *w, struct pool_cpu *cpu,
		       struct pool_local *local)
{
	bool done = true;

	plat_cpu_lock(cpu);
	if (local->pool)
		done = see_some(w, local);
	plat_cpu_unlock(cpu);
	return done;
}

/*
 * Check up to HOLD empty clusters of a CPU, from the @i-th on.  Between two holds others may take
 * some and put others there.  Returns how many there are.
 */
static unsigned int see_empty(struct walk *w, struct pool_cpu *cpu, unsigned int i)
{
	unsigned int end = i + HOLD;
	unsigned int stashed;

	plat_cpu_lock(cpu);
	stashed = cpu->stashed;
	expect_most(&w->seen, "clusters in the stash", stashed, POOL_STASH_MAX);
	for (; i < end && i < stashed && !w->seen.wrong; i++) {
		const struct pool_cluster *c = cpu->stash[i];

		expect_same(&w->seen, "objects in an empty cluster", c->n, 0);
		expect_same(&w->seen, "clusters in a stashed one", c->boxed, 0);
	}
	plat_cpu_unlock(cpu);
	return stashed;
}

static void see_stash(struct walk *w, struct pool_cpu *cpu)
{
	unsigned int i;

	for (i = 0; i < POOL_STASH_MAX && !w->seen.wrong; i += HOLD)
		if (see_empty(w, cpu, i) <= i)
			break;
}

/*
 * Check up to HOLD clusters of a bucket that the caller holds.  Finds a chain that leads back to
 * itself, because it has more objects than the bucket counts.  True: at the end, or something is
 * wrong.
 */
static bool see_chain(struct walk *w, const struct pool_bucket *b,
		      struct pool_cluster *head)
{
	struct pool_finding *s = &w->seen;
	unsigned long now[3] = { b->gets, b->puts, 0 };
	unsigned int i;

	if (begins(w, now))
		w->next = head;
	expect_same(s, "bit of the bucket in filled",
		    plat_read(&w->pool->filled) >> s->nr & 1, !!head);
	for (i = 0; i < HOLD && w->next && !s->wrong; i++) {
		see_cluster(s, w->next);
		expect_most(s, "objects in clusters", s->objs, b->objs);
		w->next = w->next->next;
	}
	if (w->next && !s->wrong)
		return false;
	expect_same(s, "objects in clusters", s->objs, b->objs);
	return true;
}

static bool hold_bucket(struct walk *w, struct pool_bucket *b)
{
	struct plat_irq irq = plat_busy_enter();
	struct pool_cluster *head = plat_xchg_acquire(&b->head, POOL_BUSY);
	bool done = false;

	if (head != POOL_BUSY) {
		done = see_chain(w, b, head);
		plat_write_release(&b->head, head);
	} else {
		w->tries++;
	}
	plat_busy_leave(irq);
	return done;
}

/*
 * Check that a count is not below 0.  It never is, since it is raised before its list gets an
 * entry, and lowered after the entry was taken.
 */
static void see_count(struct pool_finding *s, const char *what, unsigned long count)
{
	expect(s, (long)count >= 0, what, count, 0);
}

static void see_spare(struct pool_finding *s, const struct pool_cluster *c)
{
	s->clusters++;
	expect_same(s, "objects in an empty cluster", c->n, 0);
}

/*
 * Check the spares: take all, as the core does, and put them back.  Spares beyond the pool's limit
 * are freed then.
 */
static void see_spares(struct walk *w)
{
	struct pool_cluster *chain = pool_spares_take(w->pool);
	struct pool_cluster *c;
	unsigned int i;

	for (c = chain; c; c = c->next) {
		see_spare(&w->seen, c);
		for (i = 0; i < c->boxed && i < POOL_BOXED_MAX; i++)
			see_spare(&w->seen, c->obj[i]);
	}
	see_count(&w->seen, "count of spares", plat_read(&w->pool->spares));
	pool_cluster_put_all(w->pool, chain, 0);
}

/* True if a list has objects while its count is 0, in each of several reads. */
static bool miscounted(const struct pool_parked *parked)
{
	unsigned int i;

	for (i = 0; i < TRIES; i++) {
		if (!plat_read(&parked->head) || plat_read(&parked->count))
			return false;
		plat_pause(true);
	}
	return true;
}

/* Return how far a pointer, sealed or not, is above an aligned address. */
static unsigned long misaligned(const struct pool *pool, const void *obj)
{
	unsigned long seal = pool_seal_of(obj);

	return ((unsigned long)obj - (seal & POOL_SEAL ? seal : 0)) & (pool->align - 1);
}

/*
 * Follow the links of a list that was taken.  Its count stays until it is put back, so a list that
 * leads back to itself is found because it is longer.
 */
static void see_links(struct walk *w, struct pool_parked *parked)
{
	struct pool_finding *s = &w->seen;
	void *head = pool_parked_take(w->pool, parked);
	unsigned long n = 0, wild = 0;
	void *obj = head;

	while (obj && !wild && n < PARKED_SEEN) {
		wild = misaligned(w->pool, obj);
		if (!wild)
			obj = *pool_link_of(w->pool, obj);
		n++;
	}
	expect_same(s, "alignment of a parked object", wild, 0);
	expect_most(s, "parked objects", n, plat_read(&parked->count));
	s->partial = s->partial || (obj && !s->wrong);
	if (head)
		pool_parked_leave(w->pool, parked, head);
}

static void see_parked(struct walk *w, struct pool_parked *parked)
{
	struct pool_finding *s = &w->seen;

	see_count(s, "count of parked objects", plat_read(&parked->count));
	expect(s, !miscounted(parked), "count of parked objects", 0, 1);
	see_links(w, parked);
}

/* True if the walk may restart, after a pause so that others finish; false: it has too often. */
static bool goes_on(struct walk *w, unsigned int tries)
{
	w->seen.partial = w->tries >= TRIES;
	if (w->tries > tries)
		plat_pause(true);
	return !w->seen.partial;
}

static void see_cpu(struct walk *w)
{
	struct pool_local *local = plat_local_of(w->pool, w->seen.nr);
	struct pool_cpu *cpu = plat_cpu_of(w->seen.nr);
	unsigned int tries;

	do
		tries = w->tries;
	while (!hold_local(w, cpu, local) && goes_on(w, tries));
	see_stash(w, cpu);
	see_parked(w, &local->parked);
}

static void see_bucket(struct walk *w)
{
	struct pool_bucket *b = &w->pool->bucket[w->seen.nr];
	unsigned int tries;

	do
		tries = w->tries;
	while (!hold_bucket(w, b) && goes_on(w, tries));
}

static void see_own_parked(struct walk *w)
{
	w->seen.objs = plat_read(&w->pool->parked.count);
	see_parked(w, &w->pool->parked);
}

/* Check one place; returns 1 if something is wrong, else 0. */
static unsigned int see_one(struct walk w, unsigned int nr,
			    void (*see)(struct walk *w), pool_finding_fn *say,
			    void *arg)
{
	w.seen.nr = nr;
	see(&w);
	say(&w.seen, arg);
	return w.seen.wrong ? 1 : 0;
}

/*
 * Check the lists of a live pool, which must not end meanwhile.  Calls @say after each place: CPUs,
 * buckets, the spares, the pool's parked objects.  Returns the number of places in which something
 * is wrong.  May sleep.
 */
unsigned int pool_validate(struct pool *pool, pool_finding_fn *say, void *arg)
{
	struct walk w = { .pool = pool, .seen.place = "cpu" };
	struct pool_local *local;
	unsigned int bad = 0, i;

	pool_each_part(pool, i, local)
		bad += see_one(w, i, see_cpu, say, arg);
	w.seen.place = "bucket";
	for (i = 0; i < plat_read(&pool->buckets); i++)
		bad += see_one(w, i, see_bucket, say, arg);
	w.seen.place = "spares";
	bad += see_one(w, 0, see_spares, say, arg);
	w.seen.place = "parked";
	return bad + see_one(w, 0, see_own_parked, say, arg);
}
