// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * plat.c - cold half of the seam, user space
 *
 * Layer:   seam; twin of kernel/plat.c, in the order of common/seam/plat.h.
 * Context: as common/seam/plat.h says.
 *
 * This world differs from the kernel in five ways:
 *
 *   1. A CPU is a thread with an area (thread.c).  There may be more of them
 *	than processors, and their holders may be descheduled at any point.  So
 *	owners only try locks, and BUSY buckets are skipped.  Calls that may wait
 *	for a CPU lock sleep until it is free (lock.c).
 *   2. An interrupt is a signal handler.  It must pass POOL_F_ATOMIC, because
 *	it may have interrupted malloc().
 *   3. Nothing is masked in lock and BUSY sections.
 *   4. Objects of up to 64 KiB come from slabs, by slab.c; others from malloc(), or
 *	posix_memalign() where malloc() is not aligned enough; those of guarded pools
 *	from mmap(), by guard.c.
 *   5. Single pools are not listed anywhere: plat_show() has nothing to do.
 */
#include "main.h"
#include "slab/slab.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const struct plat_policy plat_policies[] = {
	{ "abort", POOL_POLICY_ABORT },
	{ "continue", POOL_POLICY_CONTINUE },
	{ NULL, 0 },
};

/* The locks, and waiting for them, are in lock.c. */

/* Set errno, behind a barrier because clang assumes that malloc() and free() keep errno. */
static inline void put_errno(int error)
{
	pool_barrier();
	errno = error;
}

/* Clusters move between CPUs, so they fill whole cache lines, and share none with other data. */
#define LINE	64

/* Get memory for a cluster.  Callers work without it, so errno is kept. */
__attribute__((__noinline__))
static void *at_hand(size_t size)
{
	int error = errno;
	void *p = aligned_alloc(LINE, (size + LINE - 1) / LINE * LINE);

	put_errno(error);
	return p;
}

/* Get zeroed memory.  Callers work without it, so errno is kept. */
static void *zeroed(size_t size)
{
	int error = errno;
	void *p = calloc(1, size);

	put_errno(error);
	return p;
}

static unsigned long mem_bytes;

unsigned long pool_mem_bytes(void)
{
	return plat_read(&mem_bytes);
}

static void *counted(void *p)
{
	plat_word_add(&mem_bytes, malloc_usable_size(p));
	return p;
}

/*
 * Get memory of a kind.  aligned_alloc() is allowed for PLAT_MEM_AT_HAND, since it reclaims
 * nothing.  Memory of calloc() has no pages before it is used.
 */
static void *of_kind(size_t size, enum plat_mem how)
{
	void *p;

	if (how == PLAT_MEM_AT_HAND)
		return counted(at_hand(size));
	if (how == PLAT_MEM_NO_IO)
		return counted(zeroed(size));
	size = (size + POOL_ALIGN - 1) / POOL_ALIGN * POOL_ALIGN;
	p = aligned_alloc(POOL_ALIGN, size);
	return p ? counted(memset(p, 0, size)) : NULL;
}

void *plat_mem_alloc(size_t size, enum plat_mem how)
{
	struct plat_irq irq = plat_busy_enter();
	void *p = of_kind(size, how);

	plat_busy_leave(irq);
	return p;
}

void plat_mem_free(void *p)
{
	struct plat_irq irq = plat_busy_enter();

	pool_word_sub(&mem_bytes, malloc_usable_size(p));
	free(p);
	plat_busy_leave(irq);
}

/*
 * Return the slabs for a pool; NULL: it uses blocks of malloc(), as documented for pools without
 * caches and for pools that a tool watches.
 */
static struct slab_class *slabs_for(unsigned int size, unsigned int align,
				    unsigned int debug)
{
	if ((debug & (POOL_D_UAF | POOL_D_TOOLS | POOL_D_NO_CACHE)) ||
	    tool_sees_blocks())
		return NULL;
	return pool_slab_class(size, align);
}

bool plat_backend_create(struct plat_backend *backend, const char *name, unsigned long long id,
			 unsigned int size, const struct pool_attr *attr,
			 unsigned int debug, const char **why)
{
	bool guarded = debug & POOL_D_UAF;
	unsigned int align = attr->align;

	(void)name;
	(void)why;
	backend->size = size;
	backend->align = guarded || align > alignof(max_align_t) ? align : 0;
	backend->guarded = guarded;
	backend->slabs = slabs_for(size, align, debug);
	backend->tool_id = debug & POOL_D_TOOLS ? id : 0;
	backend->lent = (debug & POOL_D_HARDEN) && backend->slabs ?
			(unsigned char)(id % UCHAR_MAX + 1) : 0;
	if (backend->tool_id)
		tool_begin(backend->tool_id);
	return true;
}

/* Announce to tools that a source ends, unless it has objects in use. */
void plat_backend_destroy(struct plat_backend *backend, unsigned long lost)
{
	if (backend->tool_id && !lost)
		tool_end(backend->tool_id);
}

/* Allocate one object from malloc(), mmap() or posix_memalign(), not from slabs. */
static void *alloc_one(struct plat_backend *backend)
{
	void *obj;

	if (backend->guarded)
		return pool_guard_alloc(backend);
	if (!backend->align)
		return malloc(backend->size);
	return posix_memalign(&obj, backend->align, backend->size) ? NULL : obj;
}

/*
 * Allocate objects of a hardened pool.  All are from slabs and have marks, so that a pointer
 * without a mark is known to be wrong.  Objects for which marks lack memory are freed again.
 */
static unsigned int alloc_lent(struct plat_backend *backend, unsigned int n, void **objs)
{
	unsigned int got = pool_slab_alloc(backend->slabs, n, objs);
	unsigned int ready = pool_lent_ready(got, objs);
	enum pool_fault fault;

	if (ready < got)
		plat_backend_free(backend, got - ready, objs + ready, &fault);
	return ready;
}

static unsigned int alloc_some(struct plat_backend *backend, unsigned int n, void **objs)
{
	unsigned int got = 0, of_slabs;

	if (backend->lent)
		return alloc_lent(backend, n, objs);
	if (backend->slabs && !backend->guarded)
		got = pool_slab_alloc(backend->slabs, n, objs);
	for (of_slabs = got; got < n; got++) {
		objs[got] = alloc_one(backend);
		if (!objs[got])
			break;
	}
	if (got > of_slabs && !backend->guarded)
		pool_heap_add((unsigned long)(got - of_slabs) * backend->size);
	return got;
}

static void give_back_memory(void)
{
	pool_slab_trim();
	pool_areas_trim();
}

static unsigned long coarse_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (unsigned long)now.tv_sec * 1000 + (unsigned long)now.tv_nsec / 1000000 + 1;
}

/* Return milliseconds, without a system call; never 0.  Tests replace this to stop the clock. */
unsigned long (*pool_coarse_time)(void) = coarse_time;

/* The time of the last shrink that freed nothing useful; 0: objects were freed since. */
static unsigned long in_vain;

/*
 * False if a shrink would release nothing: the last one, in this millisecond, released nothing, and
 * no object was freed since.
 */
static bool may_shrink(void)
{
	struct plat_area *area = plat_this_area();

	return plat_read(&in_vain) != pool_coarse_time() ||
	       (area && pool_clustered_bytes(&area->cpu));
}

/* Shrink all pools, then retry.  Runs no destructors, which may lock what the caller holds. */
static unsigned int alloc_shrunk(struct plat_backend *backend, unsigned int n, void **objs)
{
	unsigned int got;

	if (!may_shrink())
		return 0;
	if (pool_shrink_bytes(POOL_ALL, POOL_F_FOREIGN))
		give_back_memory();
	got = alloc_some(backend, n, objs);
	if (!got)
		plat_write(&in_vain, pool_coarse_time());
	return got;
}

/*
 * Allocate objects.  If the system has no memory and the caller may wait, first return unused
 * memory of pools, as the shrinker does in the kernel; even less than a page helps.  After a
 * success errno is as before, whatever the system has refused meanwhile.
 */
unsigned int plat_backend_alloc(struct plat_backend *backend, unsigned int n, void **objs,
				unsigned int flags)
{
	struct plat_irq irq = plat_busy_enter();
	int error = errno;
	unsigned int got = alloc_some(backend, n, objs);

	if (!got && plat_may(PLAT_WAIT, flags))
		got = alloc_shrunk(backend, n, objs);
	if (got)
		put_errno(error);
	plat_busy_leave(irq);
	return got;
}

/*
 * Free objects.  An object of slabs returns to its slab, whatever pool it is freed to.  errno is
 * kept, because free() before glibc 2.33 and madvise() change it.
 */
unsigned int plat_backend_free(struct plat_backend *backend, unsigned int n, void **objs,
			       enum pool_fault *fault)
{
	struct plat_irq irq = plat_busy_enter();
	unsigned int done = 0;
	unsigned long gave = 0;
	int error = errno;

	while (done < n) {
		struct slab *slab = NULL;

		if (!backend->guarded)
			slab = pool_arena_slab(objs[done]);
		if (slab) {
			done += pool_slab_free(slab, n - done, objs + done,
					       fault);
			if (*fault != POOL_FAULT_KINDS)
				break;
		} else if (backend->guarded) {
			pool_guard_free(backend, objs[done++]);
		} else {
			free(objs[done++]);
			gave += backend->size;
		}
	}
	if (gave)
		pool_heap_sub(gave);
	if (plat_read(&in_vain))
		plat_write(&in_vain, 0);
	put_errno(error);
	plat_busy_leave(irq);
	return done;
}

/* Compare slabs as plat.h says; false for objects of a page or more, whose pages go back anyway. */
bool plat_backend_denser(const struct plat_backend *backend, const void *old,
			 const void *new)
{
	if (!backend->slabs || backend->size >= pool_start.page)
		return false;
	return old ? pool_slab_denser(old, new) : pool_slab_sparse(backend->slabs);
}

/* plat_guard_check() and plat_peek() are in guard.c. */

/*
 * Return memory to the system; if the user @asked, also malloc()'s.  plat_backend_alloc() must not
 * call this, because reaping areas may run destructors.
 */
void plat_trim(bool asked)
{
	pool_reap();
	give_back_memory();
	if (asked)
		pool_heap_trim();
}

/* plat_pause() is in lock.c. */

/* Do nothing: see 5. above. */
void plat_show(struct pool *pool, bool shown)
{
	(void)pool;
	(void)shown;
}

void plat_where(char *buf, size_t size)
{
	snprintf(buf, size, "thread %ld", (long)gettid());
}

/* End the program, unless the policy is to continue; user space has no warnings. */
void plat_fault(enum pool_policy policy)
{
	if (policy != POOL_POLICY_CONTINUE)
		abort();
}

/* Retries of a look-up that dlclose() disturbs; then the bare address is printed. */
#define NAME_TRIES	16

/* A look-up by dladdr(). */
struct naming {
	uintptr_t at;
	const Dl_info *found;
	unsigned long long unloads;	/* the loader's count of unloads before dladdr() */
	char *buf;
	size_t size, len;
	bool done;
};

static int read_unloads(struct dl_phdr_info *info, size_t size, void *unloads)
{
	(void)size;
	*(unsigned long long *)unloads = info->dlpi_subs;
	return 1;
}

static size_t format_name(const struct naming *n)
{
	const char *name = n->found->dli_fname;
	const char *slash = strrchr(name, '/');
	uintptr_t from = (uintptr_t)n->found->dli_fbase;

	if (slash)
		name = slash + 1;
	if (n->found->dli_sname) {
		name = n->found->dli_sname;
		from = (uintptr_t)n->found->dli_saddr;
	}
	return snprintf(n->buf, n->size, "%s+0x%lx", name, (unsigned long)(n->at - from));
}

/*
 * Format the name if its file is still loaded.  The name is in memory of the file, which another
 * thread may unload.  The loader unloads nothing during this callback, so the file is there if the
 * number of unloads has not changed since dladdr().
 */
static int name_if_loaded(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct naming *n = arg;

	(void)size;
	n->done = info->dlpi_subs == n->unloads;
	if (n->done)
		n->len = format_name(n);
	return 1;
}

/*
 * Excludes forks during dl_iterate_phdr(), whose children would have the loader's list locked for
 * ever.  A fork locks it last; only the loader's lock nests in it.  Not held over dladdr(), because
 * a constructor, which holds the lock that dladdr() needs, may fork.
 */
static pthread_mutex_t list_mutex START_DATA = PTHREAD_MUTEX_INITIALIZER;

void pool_names_fork_hold(void)
{
	pthread_mutex_lock(&list_mutex);
}

void pool_names_fork_release(void)
{
	pthread_mutex_unlock(&list_mutex);
}

void pool_look_at_list(int (*fn)(struct dl_phdr_info *info, size_t size, void *arg),
		       void *arg)
{
	pthread_mutex_lock(&list_mutex);
	dl_iterate_phdr(fn, arg);
	pthread_mutex_unlock(&list_mutex);
}

/* Print a symbol, or the bare address if no loaded file contains it (JIT code, for example). */
size_t plat_symbol(char *buf, size_t size, const void *addr)
{
	Dl_info found;
	struct naming n = {
		.at = (uintptr_t)addr, .found = &found, .buf = buf, .size = size,
	};
	unsigned int tries = NAME_TRIES;

	while (tries-- && !n.done) {
		pool_look_at_list(read_unloads, &n.unloads);
		if (!dladdr(addr, &found))
			break;
		pool_look_at_list(name_if_loaded, &n);
	}
	return n.done ? n.len : (size_t)snprintf(buf, size, "0x%lx", (unsigned long)n.at);
}

/* plat_print() and plat_log() are in log.c. */
