// SPDX-License-Identifier: GPL-2.0-only
/*
 * guard.c - objects with pages of their own, kernel
 *
 * Layer:   seam; twin of user/guard.c.
 * Context: process context, except for pool_guard_alloc(), plat_guard_check() and
 *	    plat_peek().
 *
 * An area of vmalloc() per object:
 *
 *	... none | pages, object at their end | none ...
 *
 * Each area has a page without access behind it.  The page before it is that of the previous area,
 * or a hole.  Areas of vm_map_ram() have no such page, so an area next to one of these is not used.
 *
 * vfree() removes the pages from the page table, but a CPU may have them in its TLB until
 * vm_unmap_aliases() flushes it, which also frees the addresses.  To keep these from being reused,
 * as many pages without access are mapped there at once.  vmap() cannot be asked for an address,
 * but as a rule it returns the addresses that were freed last.  If it does not, the address is
 * remembered as loose: areas at the last few loose addresses are refused when vmalloc() offers
 * them.
 *
 * All addresses are loose on User-Mode Linux, which has no pages without access, and on machines
 * where no test has seen that an access to such a page is reported.  On 32-bit x86 it is not:
 * vmalloc_fault() finds the page present and repeats the access for ever.  Some other machines let
 * the kernel read and write the page.
 */
#include "compat.h"
#include "guard.h"
#include "main.h"

#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

/* At most this many other addresses of vmap() are refused until it returns the wanted one. */
#define TRIES	8

/* Number of loose addresses that are remembered. */
#define LOOSE	8

/*
 * At most this many areas of vmalloc() are refused.  More than there are loose addresses, since a
 * loose address of several pages may overlap with several areas.
 */
#define REFUSALS	(4 * LOOSE)

/* The flags that __vmalloc() gets, if the caller has them. */
#define MAPPED	(GFP_USER | __GFP_HIGH | __GFP_NOWARN | __GFP_NORETRY | \
		 __GFP_NOFAIL | __GFP_NOLOCKDEP)

/*
 * MAY_KEEP: tests have shown that an access to a page which is mapped without access is reported.
 * Machines without PAGE_NONE have no such mapping.
 */
#ifdef PAGE_NONE
#define NO_ACCESS	PAGE_NONE
#define MAY_KEEP	(!IS_ENABLED(CONFIG_UML) && \
			 (IS_ENABLED(CONFIG_X86_64) || IS_ENABLED(CONFIG_ARM64)))
#else
#define NO_ACCESS	PAGE_KERNEL
#define MAY_KEEP	false
#endif

/* A range of addresses that is kept: mapped, without access. */
struct span {
	struct list_head list;
	void *at;
	unsigned long bytes;
	struct page *page[];		/* the pages that are mapped */
};

/*
 * Protects all that follows.  Nests in no lock, and none in it; never held over vmalloc() and
 * vfree(), which sleep long.
 */
static DEFINE_MUTEX(kept_mutex);
static LIST_HEAD(kept);			/* freed spans, oldest first */
static unsigned long kept_bytes;	/* read without the mutex, too */
static struct {
	const unsigned char *at;
	size_t bytes;
} loose[LOOSE];				/* a ring of the last loose ranges */
static unsigned int loose_next;

static unsigned int pages_of(const struct plat_backend *backend)
{
	return DIV_ROUND_UP(backend->size, PAGE_SIZE);
}

static void *start_of(const void *obj)
{
	return (void *)((unsigned long)obj & PAGE_MASK);
}

/* True if a piece of this range is remembered as loose. */
static bool is_loose(const unsigned char *at, size_t bytes)
{
	bool found = false;
	unsigned int i;

	mutex_lock(&kept_mutex);
	for (i = 0; i < LOOSE && !found; i++)
		found = at < loose[i].at + loose[i].bytes &&
			loose[i].at < at + bytes;
	mutex_unlock(&kept_mutex);
	return found;
}

static void put_loose(const unsigned char *at, size_t bytes)
{
	mutex_lock(&kept_mutex);
	loose[loose_next].at = at;
	loose[loose_next].bytes = bytes;
	loose_next = (loose_next + 1) % LOOSE;
	mutex_unlock(&kept_mutex);
}

/* Remove the oldest kept address; NULL: at most @keep bytes are kept. */
static struct span *take_oldest(unsigned long keep)
{
	struct span *span = NULL;

	mutex_lock(&kept_mutex);
	if (kept_bytes > keep) {
		span = list_first_entry(&kept, struct span, list);
		list_del(&span->list);
		WRITE_ONCE(kept_bytes, kept_bytes - span->bytes);
	}
	mutex_unlock(&kept_mutex);
	return span;
}

static void unmap_oldest(unsigned long keep)
{
	struct span *span;

	while ((span = take_oldest(keep))) {
		vunmap(span->at);
		kfree(span);
	}
}

static void put_newest(struct span *span)
{
	mutex_lock(&kept_mutex);
	list_add_tail(&span->list, &kept);
	WRITE_ONCE(kept_bytes, kept_bytes + span->bytes);
	mutex_unlock(&kept_mutex);
}

/* Prepare to keep @n pages at an address; NULL: not possible.  The zero page is mapped there. */
static struct span *span_new(void *at, unsigned int n)
{
	struct span *span = NULL;
	unsigned int i;

	if (MAY_KEEP && plat_read(&pool_options.uaf_keep))
		span = kmalloc(struct_size(span, page, n), GFP_KERNEL | __GFP_NOWARN |
			       __GFP_NORETRY | __GFP_NOMEMALLOC);
	if (!span)
		return NULL;
	span->at = at;
	span->bytes = (n + 1ul) * PAGE_SIZE;
	for (i = 0; i < n; i++)
		span->page[i] = ZERO_PAGE(0);
	return span;
}

/* Map a span's pages at its address; false: vmap() returned other addresses. */
static bool occupy(struct span *span, unsigned int n)
{
	void *wrong[TRIES];
	unsigned int tries = 0;
	void *got;

	while ((got = vmap(span->page, n, VM_MAP, NO_ACCESS)) &&
	       got != span->at && tries < TRIES)
		wrong[tries++] = got;
	if (got && got != span->at)
		vunmap(got);
	while (tries--)
		vunmap(wrong[tries]);
	return got == span->at;
}

/*
 * Free an object of a guarded backend; never fails.  No I/O is started, since reclaim may wait for
 * the caller.
 */
void pool_guard_free(const struct plat_backend *backend, void *obj)
{
	unsigned int noio = memalloc_noio_save();
	unsigned int n = pages_of(backend);
	void *at = start_of(obj);
	struct span *span = span_new(at, n);

	vfree(at);
	vm_unmap_aliases();
	if (span && occupy(span, n)) {
		put_newest(span);
	} else {
		kfree(span);
		put_loose(at, (size_t)n * PAGE_SIZE);
	}
	unmap_oldest(plat_read(&pool_options.uaf_keep));
	memalloc_noio_restore(noio);
}

/* True if a guarded object may have this area. */
static bool is_good(const unsigned char *at, size_t bytes)
{
	unsigned char byte;

	return !is_loose(at, bytes) && !plat_peek(&byte, at - 1, 1) &&
	       !plat_peek(&byte, at + bytes, 1);
}

/*
 * Map pages.  Areas that are not good are freed last, so that vmalloc() does not offer them again.
 * From Linux 6.19 on __vmalloc() warns of flags that it does not know, so two flags are not passed.
 * Without __GFP_NOMEMALLOC guarded objects may use up the system's last reserve.
 * __GFP_RETRY_MAYFAIL, known only later, becomes __GFP_NORETRY, which fails sooner, and has no task
 * killed either.
 */
static void *map_pages(size_t bytes, gfp_t gfp)
{
	void *bad[REFUSALS];
	unsigned int tries = 0;
	void *at;

	if (gfp & __GFP_RETRY_MAYFAIL)
		gfp |= __GFP_NORETRY;
	gfp &= MAPPED;
	while ((at = pool_compat_tagged(__vmalloc, bytes, gfp)) && !is_good(at, bytes) &&
	       tries < REFUSALS)
		bad[tries++] = at;
	while (tries--)
		vfree(bad[tries]);
	return at;
}

/*
 * Allocate an object of a guarded backend; NULL: no memory.  A caller that cannot sleep gets an
 * ordinary object, since an option must not make calls fail that succeed without it.
 */
void *pool_guard_alloc(const struct plat_backend *backend, gfp_t gfp)
{
	size_t bytes = (size_t)pages_of(backend) * PAGE_SIZE;
	void *pages, *obj;

	if (!gfpflags_allow_blocking(gfp) || !guard_may_map(0))
		return pool_compat_tagged(kmem_cache_alloc, backend->cache, gfp);
	pages = map_pages(bytes, gfp);
	if (!pages)
		return NULL;
	obj = pages + pool_guard_fill_before(bytes, backend->size, backend->align);
	pool_guard_fill_put(pages, bytes, obj, backend->size);
	return obj;
}

/* Unmap all kept addresses.  The module ends, and all pools are destroyed. */
void pool_guard_exit(void)
{
	unmap_oldest(0);
}

bool plat_guard_check(const struct plat_backend *backend, const void *obj, long *where)
{
	return !guard_owns(backend, obj) ||
	       pool_guard_fill_check(start_of(obj),
				     (size_t)pages_of(backend) * PAGE_SIZE, obj,
				     backend->size, where);
}

/* Return the bytes of kept address space, guard pages included. */
unsigned long pool_guard_kept(void)
{
	return READ_ONCE(kept_bytes);
}

/* True if @p is mapped; always true except in User-Mode Linux, which a fault would kill. */
static bool is_mapped(const void *p)
{
	if (!IS_ENABLED(CONFIG_UML))
		return true;
	return is_vmalloc_addr(p) ? !!vmalloc_to_page(p) : virt_addr_valid(p);
}

bool plat_peek(void *to, const void *from, size_t bytes)
{
	return is_mapped(from) && is_mapped(from + bytes - 1) &&
	       !copy_from_kernel_nofault(to, from, bytes);
}
