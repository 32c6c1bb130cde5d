// SPDX-License-Identifier: GPL-2.0-only
/*
 * plat.c - cold half of the seam, kernel
 *
 * Layer:   seam; twin of user/plat.c, in the order of common/seam/plat.h.
 * Context: as common/seam/plat.h says.
 *
 * This world differs from user space in five ways:
 *
 *   1. A CPU is a possible CPU; hotplug.c handles one that is gone.  Code in a hot
 *	section, or that holds a lock, is not descheduled, so locks are waited for.
 *   2. An interrupt is a hardirq, a softirq or an NMI.  All may free; they must
 *	pass POOL_F_ATOMIC to allocate, because they cannot sleep.
 *   3. Interrupts are off in lock and BUSY sections.
 *   4. Objects come from one kmem_cache per pool; those of guarded pools from
 *	vmalloc(), by guard.c, where the caller can sleep.
 *   5. Single pools are listed in debugfs: plat_show() is in debugfs/debugfs.c.
 */
#include "seam/plat.h"
#include "compat.h"
#include "guard.h"
#include "main.h"

#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/string.h>
#include <linux/wait.h>

/* A kmem_cache's name: prefix, pool name, serial number, size, load. */
#define STORE_NAME_LEN	(sizeof("pool--..") + POOL_SHOWN_LEN + 20 + 10 + 16)

const struct plat_policy plat_policies[] = {
	{ "warn", POOL_POLICY_WARN },
	{ "continue", POOL_POLICY_CONTINUE },
	{ "panic", POOL_POLICY_PANIC },
	{ NULL, 0 },
};

DEFINE_PER_CPU(struct pool_cpu, plat_cpus);

/*
 * Tasks that free memory may use the system's last reserve.  Pools never do, because a cache would
 * give an object of the reserve to any task later.  A task that needs one has pool_reserve().
 */
#define AT_HAND	(__GFP_NOWARN | __GFP_NOMEMALLOC)

/* True inside the section of a CPU lock.  Only this CPU writes it, with interrupts off. */
DEFINE_PER_CPU(bool, plat_locking);

const struct pool_local plat_closed;

/* The closed array of CPUs that have no part of a pool.  Nobody may write to it. */
#define CLOSED	((struct pool_hot *)&plat_closed.hot)

/* Per-CPU pointers to a closed array, for pools without caches and users of hardened pools. */
static DEFINE_PER_CPU(struct pool_hot *, closed_words);

/* Lock order: dump, creation, registry, waiters.  What each excludes: common/seam/plat.h. */
static DEFINE_MUTEX(waiters_mutex);
static DEFINE_MUTEX(registry_mutex);
static DEFINE_MUTEX(create_mutex);
static DEFINE_MUTEX(dump_mutex);

static struct mutex *const mutexes[] = {
	[PLAT_WAITERS] = &waiters_mutex,
	[PLAT_REGISTRY] = &registry_mutex,
	[PLAT_CREATE] = &create_mutex,
	[PLAT_DUMP] = &dump_mutex,
};

static struct kmem_cache *cluster_cache, *local_cache;

/*
 * Milliseconds from boot to the load of this module.  Goes into the names of caches, because an
 * earlier load may have left caches with objects in use.
 */
static u64 load_time;

/*
 * Return gfp flags that reclaim nothing, for memory that a free could use.  With interrupts on they
 * may wake kswapd, because Linux 6.18 to 7.1 treats flags without that as kmalloc_nolock(), which
 * fails while a lock of the slab is held, and which kmemleak does not scan.  With interrupts off
 * the caller may hold a lock of the scheduler, which a wakeup of kswapd would lock.  For more than
 * a page kswapd is not woken either.
 */
static gfp_t at_hand_flags(size_t size)
{
	return irqs_disabled() || size > PAGE_SIZE ? AT_HAND : AT_HAND | __GFP_KSWAPD_RECLAIM;
}

bool plat_local_alloc(struct pool *pool)
{
	struct pool_hot * __percpu *words = alloc_percpu(struct pool_hot *);
	unsigned int cpu;

	if (words)
		for_each_possible_cpu(cpu)
			WRITE_ONCE(*per_cpu_ptr(words, cpu), CLOSED);
	pool->own.hot = words ?: &closed_words;
	pool->head.hot = pool->debug & POOL_D_HARDEN ? &closed_words :
						       pool->own.hot;
	return words;
}

void plat_local_free(struct pool *pool)
{
	struct pool_local *local;
	unsigned int cpu;

	pool_each_part(pool, cpu, local)
		kmem_cache_free(local_cache, local);
	free_percpu(pool->own.hot);
	pool->own.hot = &closed_words;
	pool->head.hot = &closed_words;
}

/*
 * Make this CPU's part of a pool, without reclaim, since the caller may be a free.  If there is no
 * memory, or the caller may not ask for it, this CPU works without a part until its next miss.  The
 * exchange is needed because an interrupt may set the word meanwhile.
 */
void plat_local_make(struct pool *pool, unsigned int flags)
{
	struct pool_hot **word = raw_cpu_ptr(pool->own.hot);
	struct pool_hot *none = CLOSED;
	struct pool_local *local;
	bool mapped;

	if (!pool->cached || !plat_may(PLAT_ALLOC, flags))
		return;
	mapped = pool_slab_enter();
	local = kmem_cache_alloc(local_cache, at_hand_flags(sizeof(*local)) | __GFP_ZERO);
	/* Pairs with plat_local_of(), and with pool_hot_enter() on that CPU. */
	if (local && !plat_cmpxchg(word, &none, &local->hot))
		kmem_cache_free(local_cache, local);
	pool_slab_leave(mapped);
}

static DECLARE_WAIT_QUEUE_HEAD(registry_changed);

void plat_mutex_lock(enum plat_mutex mutex)
{
	mutex_lock(mutexes[mutex]);
}

/* Try to lock the registry, for callers that may not wait, as in reclaim. */
bool pool_registry_trylock(void)
{
	return mutex_trylock(&registry_mutex);
}

/* Unlock, after a wakeup under the mutex, so that a task about to wait cannot miss the wakeup. */
void plat_mutex_unlock(enum plat_mutex mutex)
{
	if (mutex == PLAT_REGISTRY)
		wake_up_all(&registry_changed);
	mutex_unlock(mutexes[mutex]);
}

void plat_registry_wait(void)
{
	DEFINE_WAIT(wait);

	prepare_to_wait(&registry_changed, &wait, TASK_UNINTERRUPTIBLE);
	mutex_unlock(&registry_mutex);
	schedule();
	finish_wait(&registry_changed, &wait);
	mutex_lock(&registry_mutex);
}

/* Get memory without reclaim.  Clusters have a cache, since kmalloc() would waste two fifths. */
static void *at_hand(size_t size)
{
	bool cluster = size == sizeof(struct pool_cluster);
	gfp_t gfp = at_hand_flags(size);
	bool mapped;
	void *p;

	if (cluster)
		pool_age_wake();
	mapped = pool_slab_enter();
	p = cluster ? kmem_cache_alloc(cluster_cache, gfp) : kmalloc(size, gfp);
	pool_slab_leave(mapped);
	return p;
}

/*
 * Get memory of a kind.  Sizes are rounded to powers of two, which the slab aligns to their size.
 * With PLAT_MEM_NO_IO the caller may be a file system or a driver, whose gfp flags are not known
 * here, or a task that frees memory.  It does not get the system's last reserve, since checks work
 * without this memory.
 */
void *plat_mem_alloc(size_t size, enum plat_mem how)
{
	if (how == PLAT_MEM_AT_HAND)
		return at_hand(size);
	if (how == PLAT_MEM_NO_IO)
		return kvzalloc(size, GFP_NOIO | __GFP_NOWARN | __GFP_NOMEMALLOC);
	size = roundup_pow_of_two(max_t(size_t, size, POOL_ALIGN));
	return kvzalloc(size, GFP_KERNEL);
}

/* Free memory of plat_mem_alloc(), clusters too.  Mapped memory is not freed in interrupts. */
void plat_mem_free(void *p)
{
	bool mapped = pool_slab_enter();

	kvfree(p);
	pool_slab_leave(mapped);
}

static slab_flags_t slab_flags(const struct pool_attr *attr)
{
	return attr->flags & MEM_F_TYPESAFE ?
	       SLAB_NO_MERGE | SLAB_TYPESAFE_BY_RCU : SLAB_NO_MERGE;
}

/*
 * Create the cache of a pool.  Unless the pool restricts it, whole objects may be copied from and
 * to user space, as those of kmalloc() may.  What options put behind objects may not be copied,
 * because it contains kernel addresses.
 */
bool plat_backend_create(struct plat_backend *backend, const char *name, unsigned long long id,
			 unsigned int size, const struct pool_attr *attr,
			 unsigned int debug, const char **why)
{
	bool some = attr->flags & MEM_F_USERCOPY;
	char text[STORE_NAME_LEN];

	/* When built in, callers may run before our init, or after it failed. */
	if (!local_cache) {
		*why = "pools have not started";
		return false;
	}
	if (some && (attr->usersize > attr->size ||
		     attr->useroffset > attr->size - attr->usersize)) {
		*why = "useroffset and usersize reach beyond the object";
		return false;
	}
	*backend = (struct plat_backend){
		.size = size, .align = attr->align, .guarded = debug & POOL_D_UAF,
	};
	scnprintf(text, sizeof(text), "pool-%s-%llu.%u.%llx", name, id, size,
		  load_time);
	backend->cache = kmem_cache_create_usercopy(text, size, attr->align,
						    slab_flags(attr),
						    some && attr->usersize ?
						    attr->useroffset : 0,
						    some ? attr->usersize :
							   attr->size, NULL);
	return backend->cache;
}

/* Destroy the cache.  With objects in use it stays, because the kernel would only complain. */
void plat_backend_destroy(struct plat_backend *backend, unsigned long lost)
{
	if (!lost)
		kmem_cache_destroy(backend->cache);
}

/*
 * Return the gfp flags of a call.  A caller without POOL_F_ATOMIC must be able to sleep; debug
 * kernels warn of callers that cannot.  With interrupts off kswapd is not woken: at_hand_flags().
 */
static gfp_t flags_for(unsigned int flags)
{
	gfp_t gfp = GFP_NOWAIT | __GFP_NOWARN;

	if (!(flags & POOL_F_ATOMIC)) {
		might_alloc(GFP_KERNEL);
		if (!in_interrupt() && !irqs_disabled())
			gfp = GFP_KERNEL;
	}
	if (irqs_disabled())
		gfp &= ~__GFP_KSWAPD_RECLAIM;
	return gfp | __GFP_NOMEMALLOC;
}

/*
 * Get objects from the slab.  Its bulk call gives all or none, and is made only with interrupts on,
 * because it may turn them on.  /proc/allocinfo shows this function for callers without a tag.
 */
unsigned int plat_backend_alloc(struct plat_backend *backend, unsigned int n, void **objs,
				unsigned int flags)
{
	bool bulk = n > 1 && !backend->guarded && !irqs_disabled();
	gfp_t gfp = flags_for(flags);
	bool mapped = pool_slab_enter();

	if (bulk) {
		n = pool_compat_tagged(kmem_cache_alloc_bulk, backend->cache, gfp, n, objs) ?
		    n : 0;
	} else {
		objs[0] = backend->guarded ? pool_guard_alloc(backend, gfp) :
			  pool_compat_tagged(kmem_cache_alloc, backend->cache, gfp);
		n = objs[0] ? 1 : 0;
	}
	pool_slab_leave(mapped);
	return n;
}

static void free_each(struct plat_backend *backend, unsigned int n, void **objs)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (guard_owns(backend, objs[i]))
			pool_guard_free(backend, objs[i]);
		else
			kmem_cache_free(backend->cache, objs[i]);
}

/*
 * Free objects.  The slab itself reports wrong pointers.  Its bulk call is made only with
 * interrupts on, as for allocations.
 */
unsigned int plat_backend_free(struct plat_backend *backend, unsigned int n, void **objs,
			       enum pool_fault *fault)
{
	bool mapped = pool_slab_enter();

	if (n > 1 && !backend->guarded && !irqs_disabled())
		kmem_cache_free_bulk(backend->cache, n, objs);
	else
		free_each(backend, n, objs);
	pool_slab_leave(mapped);
	return n;
}

/* Always false, because how full the pages of the slab are is not known. */
bool plat_backend_denser(const struct plat_backend *backend, const void *old,
			 const void *new)
{
	return false;
}

/* plat_guard_check() and plat_peek() are in guard.c. */

void plat_trim(bool asked)
{
	struct pool *pool = NULL;

	while ((pool = pool_registry_next(pool)))
		kmem_cache_shrink(pool->backend.cache);
	kmem_cache_shrink(cluster_cache);
	kmem_cache_shrink(local_cache);
	pool_reclaimable_count();
}

/* plat_empty_arrays() is in remote.c. */

void plat_where(char *buf, size_t size)
{
	snprintf(buf, size, "CPU %u, %s[%d]", raw_smp_processor_id(),
		 current->comm, current->pid);
}

void plat_fault(enum pool_policy policy)
{
	if (policy == POOL_POLICY_PANIC)
		panic("pool: a fault was found, see above");
	WARN(policy == POOL_POLICY_WARN, "pool: a fault was found, see above\n");
}

size_t plat_symbol(char *buf, size_t size, const void *addr)
{
	return snprintf(buf, size, "%pS", addr);
}

/* Report nothing, because the kernel itself accounts for kmalloc(): /proc/allocinfo. */
void plat_places(bool (*show)(const struct pool_place *place, void *arg),
		 void *arg)
{
}

/* Report nothing, because the kernel itself accounts for slabs: /proc/slabinfo. */
unsigned int plat_memory(unsigned int i, unsigned long long *bytes)
{
	return 0;
}

void plat_print(char *text)
{
	char *line;

	while ((line = strsep(&text, "\n"))) {
		if (text)
			pr_info("%s\n", line);
		cond_resched();
	}
}

void plat_log(enum plat_level level, const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	vaf.va = &args;
	if (level == PLAT_ERR)
		pr_err("pool: %pV\n", &vaf);
	else if (level == PLAT_WARN)
		pr_warn("pool: %pV\n", &vaf);
	else
		pr_info("pool: %pV\n", &vaf);
	va_end(args);
}

/* Set up a CPU.  All locks are initialized here, so they are one class for lockdep. */
static void cpu_start(struct pool_cpu *cpu)
{
	raw_spin_lock_init(&cpu->lock.spin);
	pool_cpu_init(cpu);
}

static void destroy_caches(void)
{
	kmem_cache_destroy(cluster_cache);
	kmem_cache_destroy(local_cache);
	local_cache = NULL;
}

/* Set up all CPUs, and the caches of clusters and local parts.  Called first. */
int plat_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		cpu_start(per_cpu_ptr(&plat_cpus, cpu));
		per_cpu(closed_words, cpu) = CLOSED;
	}
	pool_wait_init();
	load_time = div_u64(ktime_get_boottime_ns(), NSEC_PER_MSEC);
	cluster_cache = kmem_cache_create("pool_cluster", sizeof(struct pool_cluster), 0,
					  SLAB_NO_MERGE, NULL);
	local_cache = KMEM_CACHE(pool_local, SLAB_NO_MERGE);
	if (cluster_cache && local_cache)
		return 0;
	destroy_caches();
	return -ENOMEM;
}

/* Free what plat_init() made, as the last step, when no pool exists any more. */
void plat_exit(void)
{
	unsigned int cpu;

	pool_wait_exit();
	for_each_possible_cpu(cpu)
		pool_cpu_gone(cpu);
	pool_guard_exit();
	destroy_caches();
}
