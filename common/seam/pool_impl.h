/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * pool_impl.h - the structs of pools; private to common/, kernel/ and user/
 *
 * Layer:   the structs of all layers; pool_calls.h has the functions.
 *
 *   pool_alloc()                      pool_free()
 *      | hit  ^                          | hit
 *      v      |                          v
 *  +---------------- hot array -----------------+  pool_hot: hit.c, hot.c
 *      | empty: fill from one cluster    | full: spill the coldest half
 *      v                                 v
 *  +------------- local clusters ---------------+  pool_cpu, pool_local: fill.c, spill.c
 *      | none                            | no room: evict up to 8
 *      v                                 v
 *  +--------------- shared pool ----------------+  pool_bucket: shared.c
 *      | none                            | not needed, BUSY, gc
 *      v                                 v
 *  +---------------- backend -------------------+  struct plat_backend: backend.c
 *
 * Names:  pool     a pool
 *         obj      one object
 *         c        a cluster: pointers to free objects, coldest first
 *         local    what one pool has on one CPU
 *         cpu      what all pools have on one CPU
 *         here     what the pool has on this CPU, entered: in a hot section, array held
 *         flags    POOL_F_* of the call
 *
 * True at every instant, for each CPU, "size" being each pool's object size:
 *
 *   sum over pools of (n + clustered) * size
 *      <= sum over pools of (slots + clustered) * size
 *      <= charged <= the bound, unless the bound was lowered
 *
 * and when quiet, for each pool:
 *
 *   allocated = used + cached + shared
 *   clustered = sum of c->n over by_pool
 *   cached    = sum over CPUs of n + clustered
 *
 * Lock order: Documentation/contexts, "Lock order".  The backend is called under no lock,
 * except by the kernel's shrinker; sources of objects are made and ended under the creation
 * lock.
 */
#ifndef POOL_IMPL_H
#define POOL_IMPL_H

/*
 * Declare a variable whose scope ends with a call of fn(&variable), even if a user's function
 * throws a C++ exception or ends its thread.
 */
#define POOL_AT_END(fn)		__attribute__((cleanup(fn)))

/* Flag bits of our own, above the public ones. */
#define POOL_F_NESTED		0x80000000u	/* the call interrupted the array's holder */
#define POOL_F_NO_LIMIT		0x40000000u	/* __GFP_NOFAIL: ignore the limit, retry for ever */
#define POOL_F_FOREIGN		0x20000000u	/* run no destructor: pool_waits() */

/* Two cache lines, since x86 fetches them in pairs. */
#define POOL_ALIGN		128

/* One visit evicts at most this many clusters; then its object goes to the layers below. */
#define POOL_EVICT_MOST		8

/*
 * Limits on empty clusters: per CPU, for bursts; per pool, for CPUs that spill more, at least and
 * at most.
 */
#define POOL_STASH_MAX		64
#define POOL_SPARES_MIN		16
#define POOL_SPARES_MAX		256

/* Most empty clusters that a spare one carries in its slots: half a stash, if it has the slots. */
#define POOL_BOXED_MAX		(POOL_STASH_MAX / 2 < POOL_CLUSTER_SIZE ? \
				 POOL_STASH_MAX / 2 : POOL_CLUSTER_SIZE)

/*
 * How often a call that may not wait looks for moving objects; other calls: PLAT_LAST_TRIES times.
 */
#define POOL_LAST_LOOKS		4

/* The most arrays of a CPU that one ageing reduces, one by one. */
#define POOL_AGE_MOST		256

/* Milliseconds between two requests of a pool that other CPUs empty their arrays. */
#define POOL_ASK_EVERY		10

/* The length of a span, in evicted objects: need.c. */
#define POOL_NEED_SPAN		2048

/* As a number of bytes to release: release all. */
#define POOL_ALL		(~0ul)

/* How often a caller tries BUSY buckets before it continues without the shared pool. */
#define POOL_BUSY_TRIES		64

/*
 * A cluster: up to POOL_CLUSTER_SIZE pointers to free objects.  It belongs to the
 * code that detached it, to a CPU's lists (CPU lock), or to a bucket (BUSY).
 */
struct pool_cluster {
	struct pool_list by_pool;	/* of its local, newest first */
	struct pool_list by_lru;	/* of its CPU, newest first */
	struct pool_cluster *next;	/* in a bucket, a spare list */
	struct pool_local *local;	/* its part; if it is detached, the last one */
	unsigned long stamp;		/* CPU lock: when it was made the newest */
	unsigned int n;			/* objects in it; 0: it is on no list and in no bucket */
	unsigned int boxed;		/* empty clusters in obj[]; 0 if stashed or not empty */
	void *obj[POOL_CLUSTER_SIZE];	/* coldest first */
};

/* Count an empty cluster, and the clusters in its slots. */
static inline unsigned int pool_count_empty(const struct pool_cluster *c)
{
	return 1 + c->boxed;
}

/*
 * A list of parked objects, which no layer accepted: parked.c.  They are linked through their first
 * words, pushed from any context, and taken only as a whole.
 */
struct pool_parked {
	void *head;
	unsigned long count;
};

/* Bit of a part's "era": the part has no array in this era.  Eras are even. */
#define POOL_ERA_PAST		1ul

/* One pool on one CPU.  All zero until the owner's first slow path. */
struct pool_local {
	struct pool_hot hot;		/* owner, entered; "slots": CPU lock, too */
	void *slot[POOL_HOT_SLOTS];	/* owner, entered */
	struct pool *pool;		/* CPU lock; NULL: not set up, all zero */
	struct pool_cpu *cpu;		/* set with "pool": whose lists and charge it uses */
	struct pool_list by_pool;	/* CPU lock: clusters, newest first */
	struct pool_list by_age;	/* CPU lock: link in pool_cpu.by_age, while it has slots */
	struct pool_list by_cpu;	/* CPU lock: link in pool_cpu.parts, while it is set up */
	unsigned long stamp;		/* CPU lock: when it was made the newest */
	unsigned int most;		/* CPU lock: slots that its array may have */
	unsigned int max;		/* CPU lock: objects in a cluster */
	unsigned int reopen;		/* CPU lock: slots to open the array with: age.c */
	unsigned int surplus;		/* owner, entered: objects got ahead and not needed yet */
	unsigned long era;		/* CPU lock: era for which most and max were computed */
	unsigned long clustered;	/* CPU lock; read by any CPU: objects in its clusters */
	unsigned long fills;		/* CPU lock; read by any CPU */
	unsigned long spills;		/* CPU lock; read by any CPU */
	unsigned long evictions;	/* CPU lock; read by any CPU */
	unsigned long departures;	/* CPU lock; read by any CPU: times that
					 * objects left its clusters
					 */
	unsigned long grown;		/* owner, entered: objects that it got from
					 * the backend since the array opened
					 */
	unsigned long nested;		/* any CPU: calls that found HELD */
	unsigned long moving;		/* any CPU: objects moving */
	struct pool_parked parked;	/* any CPU */
} __attribute__((aligned(64)));

/* All pools on one CPU. */
struct pool_cpu {
	struct plat_lock lock;
	struct pool_list by_lru;	/* CPU lock: clusters, newest first */
	struct pool_list by_age;	/* CPU lock: open arrays, newest first */
	struct pool_list parts;		/* CPU lock: the pool_local that are set up */
	unsigned int set_up;		/* CPU lock; read by any CPU: length of parts */
	unsigned int stashed;		/* CPU lock: clusters in the stash */
	unsigned long visits;		/* CPU lock: slow paths so far, the CPU's clock */
	unsigned long aged;		/* CPU lock: visits at its last ageing: idle.c */
	unsigned long hot_bytes;	/* CPU lock; read by any CPU: sum of slots * size */
	unsigned long charged;		/* CPU lock; read by any CPU: bytes it caches, see bound */
	unsigned long refunded;		/* any CPU adds bytes; set to 0 under the CPU lock */
	void *stash[POOL_STASH_MAX];	/* CPU lock: emptied clusters */
} __attribute__((aligned(POOL_ALIGN)));

/* One list of the shared pool.  Unless said otherwise, fields change only while head is BUSY. */
struct pool_bucket {
	struct pool_cluster *head;	/* newest cluster; NULL: none; or POOL_BUSY */
	unsigned long objs;		/* objects in it; read by any CPU */
	unsigned long gets;		/* times that objects were taken; read by any CPU */
	unsigned long get_objs;		/* objects taken, ever; read by any CPU */
	unsigned long puts;		/* times that objects were put; read by any CPU */
	unsigned long put_objs;		/* objects put, ever; read by any CPU */
	unsigned long least;		/* least of objs since the last ageing: idle.c */
	unsigned long need_remaining;	/* any CPU: objects until this span ends; 0: none began */
	unsigned long need_peak;	/* any CPU: the highest need of this span: need.c */
	struct pool_cluster *fork_head;	/* the head while a fork holds the bucket */
} __attribute__((aligned(POOL_ALIGN)));

/* The value of "head" while a call updates the bucket. */
#define POOL_BUSY		((struct pool_cluster *)1)

/* In "used_up" of a pool with a limit: nothing has become free since a call was refused. */
#define POOL_USED_UP		1ul

/* The top bit of "allocated": a declared pool is made anew, see renew.c. */
#define POOL_RENEWING		(~(~0ul >> 1))

/* Longest name as it is shown: three characters for each of its bytes. */
#define POOL_SHOWN_LEN		(3 * POOL_NAME_LEN)
#define POOL_EXACT_LEN		(POOL_SHOWN_LEN + 21)	/* "~", and an id */

/* Bytes of the end of a file's name that a registration records. */
#define POOL_FILE_LEN		39

/* One call of create_pool() that a pool serves. */
struct pool_reg {
	struct pool_list list;		/* registry mutex */
	char name[POOL_NAME_LEN + 1];	/* as asked for */
	unsigned long long name_sum;	/* hash of the whole name: pool_name_sum() */
	char file[POOL_FILE_LEN + 1];	/* end of the name of the file of the call */
	int line;
	unsigned int size;		/* as asked for */
	unsigned int flags;
	unsigned int align;		/* of the objects */
	const void *owner;
	const struct pool_decl *decl;	/* its declaration; NULL: none */
	bool vacated;			/* its declaration has moved to another pool */
};

static inline struct pool_reg *pool_reg_of(struct pool_list *node)
{
	return pool_list_entry(node, struct pool_reg, list);
}

struct pool {
	/*
	 * Read-mostly: set by creation, and again by renew.c while a declared pool has
	 * never had an object.  After the first object the size never changes.  The registry's
	 * link is first, so that valgrind finds a pointer to the beginning of each pool.
	 */
	struct pool_list by_registry;	/* registry mutex */
	struct pool_head own;		/* creation: its "hot" leads to the arrays.  That of
					 * "head" leads to closed ones if the pool is
					 * hardened: harden.c
					 */
	unsigned long long id;		/* serial number, never reused */
	void (*ctor)(void *obj, void *arg);
	void (*dtor)(void *obj, void *arg);
	struct pool_head head __attribute__((aligned(POOL_ALIGN / 2)));	/* pool_tag_of() */
	void *arg;
	char name[POOL_NAME_LEN + 1];
	unsigned int align;		/* bytes, a power of two */
	unsigned int link;		/* where parked objects are: layout.c */
	unsigned int limit;		/* read by any CPU; 0: none */
	unsigned int min_avail;		/* read by any CPU */
	unsigned int debug;		/* option bits; read by any CPU: debug.h */
	unsigned int waiting;		/* waiters mutex; read by any CPU: calls in the queue */
	unsigned int buckets;		/* a power of two; read by any CPU */
	unsigned int near;		/* buckets of each node; read by any CPU */
	unsigned int cluster;		/* most objects in a cluster */
	bool cached;			/* may have local parts */
	struct plat_backend backend;
	struct plat_view view;

	/* Changed per backend call. */
	unsigned long allocated __attribute__((aligned(POOL_ALIGN)));
	unsigned long store_gets;		/* objects the backend gave */
	unsigned long store_puts;		/* objects the backend received back */
	unsigned long failed;		/* allocations that found the backend without memory */
	unsigned long refused;		/* allocations refused by the limit */
	unsigned long injected;		/* allocations failed on purpose */
	unsigned long reserved;		/* objects in reserves */
	unsigned long moving;		/* objects moving that no CPU counts */

	/* Read per evicted cluster, and seldom changed; lost updates do no harm: need.c. */
	unsigned long need_target __attribute__((aligned(POOL_ALIGN)));
	unsigned long need_top;		/* the target before it fell */
	unsigned int need_fallen;	/* spans since the target fell; 0: it has not */
	unsigned int need_patience;	/* how many times spans were doubled */

	/* Changed by rare events and by faults. */
	unsigned int pins __attribute__((aligned(POOL_ALIGN)));	/* registry mutex: current pins */
	bool orphan;			/* child of a fork: the thread that ended it is gone */
	unsigned int asked;		/* any CPU: time of the last request to empty arrays */
	unsigned int wakes;		/* any CPU: wakeups of the oldest waiter: queue.c */
	unsigned long used_up;		/* any CPU: POOL_USED_UP, or the @mine of a look: reach.c */
	unsigned int refills;		/* any CPU: wakeups of waiters that have a reserve */
	struct pool_list waiters;	/* waiters mutex: the queue, oldest first */
	bool warned;			/* registry mutex: the log has "limit is shared" */
	unsigned int users;		/* registry mutex: length of regs; 0: the pool ends */
	unsigned int vacated;		/* registry mutex: how many of regs are vacated */
	unsigned long joins;		/* registry mutex: registrations ever */
	unsigned int flags;		/* registry mutex: MEM_F_* of all registrations ever */
	struct pool_list regs;		/* registry mutex: newest first */
	char shown[POOL_SHOWN_LEN + 1];	/* creation: the name as one word */
	unsigned long long name_sum;	/* creation: hash of the whole name */
	struct pool_list by_dump;	/* registry mutex: link in the list of a dump */
	struct pool_list by_size;	/* registry mutex: link among pools of about its size */
	struct pool_stats snap;		/* dump mutex: the numbers that this dump shows */
	struct pool_parked parked;	/* any CPU: for CPUs without a part or with a full list */
	unsigned long nested;		/* any CPU: nested calls without a part, or of CPUs gone */
	unsigned long gone_fills;	/* any CPU: fills of CPUs that are gone */
	unsigned long gone_spills;	/* any CPU: spills of CPUs that are gone */
	unsigned long gone_evictions;	/* any CPU: evictions of CPUs that are gone */
	unsigned long allocs;		/* any CPU: allocations that profile.c counted */
	unsigned long seen_fills;	/* any CPU: largest sum that a reader got: stats.c */
	unsigned long seen_spills;	/* any CPU: as seen_fills */
	unsigned long seen_evictions;	/* any CPU: as seen_fills */
	unsigned long seen_nested;	/* any CPU: as seen_fills */
	unsigned long gone_departures;	/* any CPU: those of CPUs that are gone, the jumps of
					 * reclaim.c, and one for each parked list taken
					 */
	unsigned long slots;		/* any CPU: slots claimed for all arrays; limits cap them */
	unsigned long settled;		/* any CPU: departures when nothing moved: reach.c */
	unsigned long abandoned;	/* objects lost by a fork, or freed elsewhere */
	unsigned long quarantined;	/* any CPU: objects found corrupted */
	unsigned long reports;		/* any CPU: faults that were reported */
	unsigned long faults[POOL_FAULT_KINDS];	/* any CPU: faults found, by kind */
	struct pool_object_table object_table;	/* object_table.c; registry mutex to begin */

/* Empty clusters for all CPUs, a list that is taken as a whole, and about how many: spare.c. */
	struct pool_cluster *spare __attribute__((aligned(POOL_ALIGN)));
	unsigned long spares;
	unsigned long noted;		/* bytes that it adds to all.bytes of shared.c */

	/* Bit b: bucket b is not empty.  Changed while b is BUSY. */
	unsigned long filled __attribute__((aligned(POOL_ALIGN)));
	struct pool_bucket bucket[];
};

/* A walk that calls a user's function at each pool: registry.c. */
struct pool_walk {
	struct pool_list list;		/* registry mutex: link in pool_walks */
	struct pool *at;		/* registry mutex: the pool that the walk has pinned */
	const void *thread;		/* the thread that walks */
};

extern struct pool_list pool_walks;

/* Return where the link of a parked object is, sealed or not. */
static inline void **pool_link_of(const struct pool *pool, void *obj)
{
	return (void **)(void *)((unsigned char *)obj - pool_seal_of(obj) +
				 pool->link);
}

static inline struct pool *pool_of(struct pool_head *head)
{
	return pool_list_entry(head, struct pool, head);
}

/*
 * Return the tag of objects in use: the address of their pool's head.  Its first byte in memory
 * must not be 0, because a text that is one character too long writes a 0 there.  On little-endian
 * machines that is the lowest byte, and a head begins in the middle of POOL_ALIGN bytes.  On
 * big-endian ones it is the highest byte, so the address is changed.
 */
static inline const void *pool_tag_of(const struct pool *pool)
{
	unsigned long mask = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ~0ul / 0xff * 0x5a : 0;

	static_assert(offsetof(struct pool, head) % POOL_ALIGN, "the lowest byte may be 0");
	return (const void *)((unsigned long)&pool->head ^ mask);
}

/* Return the options that these MEM_F_* forbid, since readers of RCU may see free objects. */
static inline unsigned int pool_never(unsigned int flags)
{
	return flags & MEM_F_TYPESAFE ? POOL_D_TOUCH : 0;
}

/* Return the options that a pool of these MEM_F_* keeps, whatever options are switched. */
static inline unsigned int pool_always(unsigned int flags)
{
	return flags & MEM_F_UAF ? POOL_D_NO_CACHE : 0;
}

/*
 * True if free objects must be parked until a call of their own pool, because the present call is
 * of another pool, and its caller may hold a lock under which their destructor must not run.
 */
static inline bool pool_waits(const struct pool *pool, unsigned int flags)
{
	return (flags & POOL_F_FOREIGN) && pool->dtor;
}

/*
 * Stay on this CPU until pool_hot_leave(), and return its part of the pool.  For pools without
 * caches and threads without an area the part is zeros, which must not be written.
 */
static inline struct pool_local *pool_local_enter(const struct pool *pool)
{
	return pool_list_entry(pool_hot_enter(&pool->own),
			       struct pool_local, hot);
}

/* The work that a visit leaves to pool_carry(), after the hot section and the CPU lock. */
struct pool_carried {
	struct pool_cluster *down;	/* evicted: a chain, each counted as moving */
	unsigned long bytes;		/* bytes of "down", still charged */
	struct pool_cluster *empty;	/* a chain of emptied clusters */
	struct pool_cluster *rest;	/* the rest of a fill that the CPU cannot keep: moving */
	unsigned int rounds;		/* arrays reduced and clusters evicted so far */
	bool restock;			/* the stash has few clusters */
	bool parked;			/* objects are parked on this CPU or in the pool's list */
	bool some;			/* any of these is set */
};

/* A piece of memory that was not needed: pass.c. */
struct pool_step {
	struct pool_cluster *cluster;	/* taken from a CPU; or NULL */
	struct pool *pool;		/* its shared objects are released; or NULL */
	unsigned long most;
};

/* The length to which fail_site compares a function's name. */
#define POOL_SITE_LEN		47

/*
 * Options; options.c.  Written under the registry mutex, except hot_size.  Slow paths
 * read some without it: single words, each independent of the others, and a name whose
 * last byte is always 0.
 */
struct pool_options {
	unsigned long hot_size;
	unsigned long max_cached;	/* bytes, of all CPUs together; 0: no bound */
	unsigned long uaf_keep;		/* bytes of addresses that freed uaf objects block */
	unsigned int debug;		/* POOL_D_*, of new pools */
	unsigned int buckets;		/* 0: by the number of CPUs */
	unsigned int cluster;
	unsigned int fail_percent;	/* 0 to 100 */
	unsigned int fail_every;	/* fail every n-th allocation; 0: none */
	unsigned int poison;		/* the byte to fill with */
	unsigned int policy;		/* enum pool_policy */
	char fail_site[POOL_SITE_LEN + 1]; /* fail only for this caller; "": any */
};

extern struct pool_options pool_options;

/* bound.c: bytes that each CPU may cache, of all pools */
extern unsigned long pool_bound;

/*
 * Take the freshest object out of a cluster, and clear its pointer there, because in a checked pool
 * the pointer would hide a leak of this object from leak checkers.
 */
static inline void *pool_cluster_pop(struct pool_cluster *c)
{
	void *obj = c->obj[--c->n];

	c->obj[c->n] = NULL;
	return obj;
}

/* True if the pointers of the caller's cluster, not empty, are sealed: all or none. */
static inline bool pool_cluster_sealed(const struct pool_cluster *c)
{
	return pool_seal_of(c->obj[0]);
}

/* True if the caller's cluster, not empty, accepts one more object of this kind. */
static inline bool pool_cluster_accepts(const struct pool_cluster *c,
					unsigned int max, const void *obj)
{
	return c->n < max && !pool_cluster_sealed(c) == !pool_seal_of(obj);
}

/* A reserve: slots.c. */
struct pool_reserved {
	struct pool *pool;
	unsigned int size;		/* slots */
	unsigned long have;		/* objects in slots, except those claimed */
	unsigned long room;		/* empty slots, except those claimed */
	void *slot[];			/* objects, perhaps sealed; or NULL */
};

/* Why an allocation got nothing. */
enum pool_cause {
	POOL_GOT,
	POOL_FAILED,
	POOL_REFUSED,
	POOL_INJECTED,
};

#endif /* POOL_IMPL_H */
