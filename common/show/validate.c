// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * validate.c - look whether the lists of a live pool are whole
 *
 * Layer:   above the core, whose lists it reads; those without a lock it takes and puts back.
 * Context: process context; neither guard nor lock held.
 *
 * A lock, or a bucket, is held for HOLD clusters at most.  Then it is let go, and the walk
 * goes on where it was if nothing has changed meanwhile.  What is taken from the list of a part
 * raises its departures, and what is added, how many objects it has; a bucket counts gets and
 * puts.  So a walk that finds these as they were follows a link that is still good.  Else it
 * begins again.
 * A place that changes each time is looked at in part, and its sums are not compared.
 *
 * What a holder may expect holds at each instant, so a pool in use gives no false alarm.
 * Links are followed as the core would follow them: one that leads to no memory is fatal.
 */
#include "seam/plat.h"
#include "validate.h"

/* Clusters that are looked at before a lock or a bucket is let go. */
#define HOLD	5

/* Parked objects whose links are followed before their list is put back. */
#define PARKED_SEEN	256

/* How often a walk may begin anew, or find a bucket BUSY. */
#define TURNS	8

/* A walk along the clusters of one place. */
struct walk {
	struct pool *pool;
	struct pool_finding seen;
	unsigned long mark[3];		/* counts of changes, when it was held last */
	struct pool_list *list;		/* the last node that was looked at */
	struct pool_cluster *next;	/* in a chain */
	bool begun;
	unsigned int turns;
};

/* Note what is wrong; only the first thing is shown. */
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
		same = same && w->mark[i] == now[i];
		w->mark[i] = now[i];
	}
	if (same)
		return false;
	w->begun = true;
	w->turns++;
	w->seen.clusters = 0;
	w->seen.objs = 0;
	return true;
}

/* Look at a cluster that has objects. */
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

/* Look at the cluster behind w->list; false: there is none.  CPU lock held. */
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

/* CPU lock held.  n may change at any time, since its owner needs no lock. */
static void see_array(struct pool_finding *s, struct pool_cpu *cpu,
		      struct pool_local *local)
{
	unsigned long size = local->pool->head.size;
	unsigned int room = plat_read(&local->hot.room);

	expect(s, is_linked(&cpu->by_lru), "by_lru links that match", 0, 1);
	expect(s, is_linked(&cpu->by_age) && (!room || is_linked(&local->by_age)),
	       "by_age links that match", 0, 1);
	expect_most(s, "room of the array", room, POOL_HOT_SLOTS);
	expect_most(s, "objects in the array", plat_read(&local->hot.n), room);
	expect_most(s, "bytes of arrays", room * size, cpu->hot_bytes);
	expect_most(s, "bytes charged for", cpu->hot_bytes +
		    local->clustered * size, pool_charged(cpu));
}

/* Look at up to HOLD clusters; true: at the end, or something is wrong.  CPU lock held. */
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
 * Look at up to HOLD empty clusters of a CPU, from the @i-th on.  Between two holds others may take
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
 * Look at up to HOLD clusters of a bucket that this caller holds.  A chain that leads back
 * to itself soon has more than objs.  True: at the end, or something is wrong.
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
		w->turns++;
	}
	plat_busy_leave(irq);
	return done;
}

/*
 * A count is raised before its list gets something, and lowered afterwards.  So it is
 * never below 0, however many are on their way.
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
 * The spares are taken as the core takes them, and put back.  So the platform gets those
 * that are more than a pool keeps.
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

/* True if a list has objects while its count is 0, at each of many looks. */
static bool miscounted(const struct pool_parked *parked)
{
	unsigned int i;

	for (i = 0; i < TURNS; i++) {
		if (!plat_read(&parked->head) || plat_read(&parked->count))
			return false;
		plat_pause(true);
	}
	return true;
}

/* How far a pointer, sealed or not, is from where an object could be. */
static unsigned long misaligned(const struct pool *pool, const void *obj)
{
	unsigned long seal = pool_seal_of(obj);

	return ((unsigned long)obj - (seal & POOL_SEAL ? seal : 0)) & (pool->align - 1);
}

/*
 * Follow the links of a list that was taken, as the core takes it.  Its objects are counted
 * until it is put back.  A list that leads back to itself soon has more than that.
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

/* False if the walk has restarted too often.  Pauses before a restart, so that others finish. */
static bool goes_on(struct walk *w, unsigned int turns)
{
	w->seen.partial = w->turns >= TURNS;
	if (w->turns > turns)
		plat_pause(true);
	return !w->seen.partial;
}

static void see_cpu(struct walk *w)
{
	struct pool_local *local = plat_local_of(w->pool, w->seen.nr);
	struct pool_cpu *cpu = plat_cpu_of(w->seen.nr);
	unsigned int turns;

	do
		turns = w->turns;
	while (!hold_local(w, cpu, local) && goes_on(w, turns));
	see_stash(w, cpu);
	see_parked(w, &local->parked);
}

static void see_bucket(struct walk *w)
{
	struct pool_bucket *b = &w->pool->bucket[w->seen.nr];
	unsigned int turns;

	do
		turns = w->turns;
	while (!hold_bucket(w, b) && goes_on(w, turns));
}

static void see_own_parked(struct walk *w)
{
	w->seen.objs = plat_read(&w->pool->parked.count);
	see_parked(w, &w->pool->parked);
}

/* One place; returns in how many something is wrong. */
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
 * Look whether the lists of a live pool, which does not end meanwhile, are whole.  @say is called
 * after each place: CPUs, buckets, the spares, the pool's parked objects.  Returns in how many
 * places something is wrong.  May sleep.
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
