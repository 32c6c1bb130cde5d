// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * prog.c - pools whose objects are in known places, for gdb.sh to look at
 *
 * It knows the structs of libpool, since it is built with the private headers.  So it can
 * say where its objects are, and damage what pools have, as a stray write would.
 */
#include "seam/plat.h"

#include <pthread.h>
#include <stdlib.h>

#define OBJS	180	/* an array and a cluster */
#define PARKED	3
#define KEPT	5
#define LEAKED	7

void placed(void);
void damaged(const char *what);

/* For gdb.sh: where an object is, in each state. */
extern struct places {
	void *use, *hot, *other, *cluster, *shared, *parked, *checked, *uaf, *unmapped;
	void *twin, *slab, *big, *nowhere;
} at;
struct places at;

static struct pool_head *conn, *parks, *checked, *counted, *freed, *guarded;
static struct pool_head *twin, *other_twin, *big;
static pthread_barrier_t barrier;

/* gdb.sh stops at these two. */
__attribute__((__noinline__)) void placed(void)
{
	__asm__ __volatile__("" : : : "memory");
}

__attribute__((__noinline__)) void damaged(const char *what)
{
	__asm__ __volatile__("" : : "r"(what) : "memory");
}

static inline POOL_INLINE void *get(struct pool_head *pool)
{
	void *obj = pool_alloc(pool);

	if (!obj)
		abort();
	return obj;
}

static void say_numbers(struct pool_head *pool)
{
	struct pool_stats now;

	pool_stats_get(pool, &now, sizeof(now));
	printf("%s %u %llu %llu %llu %llu %llu\n", now.name, now.object_size,
	       now.allocated, now.used, now.cached, now.shared, now.parked);
}

/* Returns this thread's part of a pool. */
static struct pool_local *local_of(struct pool_head *pool)
{
	return pool_local_enter(pool_of(pool));
}

static struct pool_cluster *cluster_of(struct pool_head *pool)
{
	return pool_list_entry(local_of(pool)->by_pool.next, struct pool_cluster, by_pool);
}

static struct pool_bucket *bucket_of(struct pool_head *pool)
{
	struct pool_bucket *b = pool_of(pool)->bucket;

	while (!b->head)
		b++;
	return b;
}

/* A thread whose objects go to the shared pool when it exits. */
static void *exits(void *arg)
{
	void *objs[OBJS];
	int i;

	(void)arg;
	for (i = 0; i < OBJS; i++)
		objs[i] = get(conn);
	for (i = 0; i < OBJS; i++)
		pool_free(conn, objs[i]);
	return NULL;
}

/* A thread that has an object in its array while gdb looks. */
static void *stays(void *arg)
{
	void *obj = get(conn);

	(void)arg;
	pool_free(conn, obj);
	at.other = obj;
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return NULL;
}

static void place_conn(void)
{
	void *objs[OBJS];
	pthread_t thread;
	int i;

	conn = create_pool((char *)"conn", 64, MEM_F_EXACT);
	pool_set_min_avail(conn, OBJS);
	for (i = 0; i < OBJS; i++)
		objs[i] = get(conn);
	pthread_create(&thread, NULL, exits, NULL);
	pthread_join(thread, NULL);
	for (i = KEPT; i < OBJS; i++)
		pool_free(conn, objs[i]);
	at.use = objs[0];
	at.hot = local_of(conn)->slot[0];
	at.cluster = cluster_of(conn)->obj[0];
}

/* A signal handler may not call free(), so its objects of malloc() are parked. */
static void place_parked(void)
{
	struct pool_attr attr = { .name = "parks", .size = 128, .mode = POOL_M_NO_CACHE };
	void *objs[PARKED];
	int i;

	parks = create_pool_ext(&attr);
	for (i = 0; i < PARKED; i++)
		objs[i] = get(parks);
	for (i = 0; i < PARKED; i++)
		__pool_free(parks, objs[i], POOL_F_ATOMIC);
	at.parked = objs[0];
}

__attribute__((__noinline__)) static void leak_here(struct pool_head *pool)
{
	int i;

	for (i = 0; i < LEAKED; i++)
		get(pool);
}

__attribute__((__noinline__)) static void *keep_here(struct pool_head *pool)
{
	void *objs[KEPT];
	int i;

	for (i = 0; i < KEPT; i++)
		objs[i] = get(pool);
	pool_free(pool, objs[1]);
	return objs[0];
}

static void place_checked(void)
{
	pool_configure("caller,tag,integrity");
	checked = create_pool((char *)"checked", 100, 0);
	pool_configure("no-caller,no-tag,no-integrity,hot-first,memstats");
	counted = create_pool((char *)"counted", 48, 0);
	pool_configure("no-memstats,uaf");
	guarded = create_pool((char *)"guarded", 72, 0);
	pool_configure("no-uaf,cache");
	leak_here(checked);
	at.checked = keep_here(checked);
	leak_here(counted);
	keep_here(counted);
}

static void place_guarded(void)
{
	at.uaf = get(guarded);
	at.unmapped = get(guarded);
	pool_free(guarded, at.unmapped);
}

/* Two pools share slabs; an object returns to a slab of a third pool. */
static void place_shared_slabs(void)
{
	void *obj;

	twin = create_pool((char *)"twin", 320, MEM_F_EXACT);
	other_twin = create_pool((char *)"other twin", 320, MEM_F_EXACT);
	freed = create_pool((char *)"freed", 320, MEM_F_EXACT);
	big = create_pool((char *)"big", 70000, 0);
	at.twin = get(twin);
	at.big = get(big);
	obj = get(freed);
	pool_free(freed, obj);
	pool_destroy(freed);
	at.slab = obj;
}

/* Damage what pools have, as a stray write would, stop, and mend it. */
#define DAMAGE(what, place, value) do { \
	__typeof__(place) *bad = &(place); \
	__typeof__(place) was = *bad; \
	*bad = value; \
	damaged(what); \
	*bad = was; \
} while (0)

static void damage(void)
{
	struct pool_local *local = local_of(conn);
	struct pool_cluster *c = cluster_of(conn);
	struct pool_parked *list = &local_of(parks)->parked;

	DAMAGE("nothing", local->nested, local->nested);
	DAMAGE("wild", c->by_pool.next, (struct pool_list *)8);
	DAMAGE("many", c->n, 1000);
	DAMAGE("array", local->hot.n, local->hot.slots + 1);
	DAMAGE("circle", *(void **)list->head, list->head);
}

int main(void)
{
	pthread_t thread;

	place_conn();
	place_parked();
	place_checked();
	place_guarded();
	place_shared_slabs();
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, stays, NULL);
	pthread_barrier_wait(&barrier);
	at.shared = bucket_of(conn)->head->obj[0];
	say_numbers(conn);
	say_numbers(parks);
	say_numbers(checked);
	say_numbers(counted);
	say_numbers(guarded);
	say_numbers(twin);
	say_numbers(big);
	fflush(stdout);
	placed();
	damage();
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	return 0;
}
