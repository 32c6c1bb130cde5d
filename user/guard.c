// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * guard.c - objects with pages of their own, user space
 *
 * Layer:   seam; twin of kernel/guard.c.
 * Context: plain threads, except for plat_guard_check() and plat_peek().
 *
 * A mapping per object:
 *
 *	| none | pages, object at their end | none |
 *
 * A free maps the whole span anew, without access, so that its memory is released while its
 * addresses stay occupied.  The last of these spans are kept in a ring.  The ring is static, so
 * that a free needs no memory, and apart from the spans, so that a stray write does not reach it.
 * The kernel joins adjacent spans without access to one mapping.  So each object in use needs two
 * of vm.max_map_count, and kept spans need nearly none.
 *
 * At that limit mappings can no longer be split, and most system calls may fail.  Spans that cannot
 * be unmapped then stay, without access and memory, as address space that is never used again.
 */
#include "main.h"
#include "seam/plat.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The most spans in the ring, whose pages get memory only as it fills. */
#define KEPT	32768

struct span {
	void *at;
	size_t bytes;
};

/*
 * Protects the ring of kept spans.  Nests in no lock but those of a fork, and no lock in it; never
 * held over a system call.
 */
static pthread_mutex_t kept_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct span kept[KEPT];		/* a ring of freed spans, oldest at "first" */
static unsigned int first, count;
static unsigned long kept_bytes;	/* read without the mutex, too */

static unsigned long in_use;		/* bytes of pages of objects in use */

void pool_guard_fork_hold(void)
{
	pthread_mutex_lock(&kept_mutex);
}

void pool_guard_fork_release(void)
{
	pthread_mutex_unlock(&kept_mutex);
}

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Return the bytes of the pages of an object. */
static size_t pages_of(const struct plat_backend *backend)
{
	size_t page = page_size();

	return (backend->size + page - 1) / page * page;
}

static unsigned char *start_of(const void *obj)
{
	return (unsigned char *)((unsigned long)obj & ~(page_size() - 1));
}

/* Remove the oldest span; false: at most @keep bytes are kept. */
static bool take_oldest(struct span *span, unsigned long keep)
{
	bool take;

	pthread_mutex_lock(&kept_mutex);
	take = count && (kept_bytes > keep || count == KEPT);
	if (take) {
		*span = kept[first];
		first = (first + 1) % KEPT;
		count--;
		plat_write(&kept_bytes, kept_bytes - span->bytes);
	}
	pthread_mutex_unlock(&kept_mutex);
	return take;
}

/* Unmap the oldest spans until at most @keep bytes are kept; true: there were some. */
static bool unmap_oldest(unsigned long keep)
{
	struct span span;
	bool any = false;

	while (take_oldest(&span, keep)) {
		munmap(span.at, span.bytes);
		any = true;
	}
	return any;
}

static bool try_put_newest(void *at, size_t bytes)
{
	bool done;

	pthread_mutex_lock(&kept_mutex);
	done = count < KEPT;
	if (done) {
		kept[(first + count++) % KEPT] = (struct span){
			.at = at, .bytes = bytes,
		};
		plat_write(&kept_bytes, kept_bytes + bytes);
	}
	pthread_mutex_unlock(&kept_mutex);
	return done;
}

/* Keep a span, and unmap the oldest ones beyond the limit. */
static void put_newest(void *at, size_t bytes)
{
	while (!try_put_newest(at, bytes))
		unmap_oldest(plat_read(&pool_options.uaf_keep));
	unmap_oldest(plat_read(&pool_options.uaf_keep));
}

/* Map the pages of an object.  If address space is short, unmap all kept spans and retry. */
static unsigned char *map_pages(size_t bytes)
{
	size_t page = page_size();
	unsigned char *at = pool_map(NULL, bytes + 2 * page, PROT_NONE);

	if (!at && unmap_oldest(0))
		at = pool_map(NULL, bytes + 2 * page, PROT_NONE);
	if (!at)
		return NULL;
	if (!mprotect(at + page, bytes, PROT_READ | PROT_WRITE))
		return at + page;
	munmap(at, bytes + 2 * page);
	return NULL;
}

/* Allocate an object of a guarded backend; NULL: memory or address space is short. */
void *pool_guard_alloc(const struct plat_backend *backend)
{
	size_t bytes = pages_of(backend);
	unsigned char *pages = map_pages(bytes);
	void *obj;

	if (!pages)
		return NULL;
	plat_word_add(&in_use, bytes);
	obj = pages + pool_guard_fill_before(bytes, backend->size, backend->align);
	pool_guard_fill_put(pages, bytes, obj, backend->size);
	return obj;
}

/*
 * Release the memory of pages, and deny access; false: refused.  At the limit of mappings
 * mprotect() still works, since it joins three mappings to one.
 */
static bool drop(void *pages, size_t bytes)
{
	if (mmap(pages, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS |
		 MAP_NORESERVE | MAP_FIXED, -1, 0) == pages)
		return true;
	madvise(pages, bytes, MADV_DONTNEED);
	return !mprotect(pages, bytes, PROT_NONE);
}

/* Free an object of a guarded backend; never fails. */
void pool_guard_free(const struct plat_backend *backend, void *obj)
{
	size_t page = page_size();
	size_t bytes = pages_of(backend);
	unsigned char *pages = start_of(obj);
	int error = errno;

	pool_word_sub(&in_use, bytes);
	if (drop(pages, bytes))
		put_newest(pages - page, bytes + 2 * page);
	else
		munmap(pages - page, bytes + 2 * page);
	errno = error;
}

bool plat_guard_check(const struct plat_backend *backend, const void *obj, long *where)
{
	return !backend->guarded ||
	       pool_guard_fill_check(start_of(obj), pages_of(backend), obj,
				     backend->size, where);
}

/* Return the bytes of address space of kept spans, guard pages included. */
unsigned long pool_guard_kept(void)
{
	return plat_read(&kept_bytes);
}

/* Return the bytes of the pages of objects in use. */
unsigned long pool_guard_in_use(void)
{
	return plat_read(&in_use);
}

/* Copy bytes through a pipe, so that the kernel reads them; false: some are not readable. */
static bool copy(void *to, const void *from, size_t bytes)
{
	bool copied;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return false;
	copied = syscall(SYS_write, fds[1], from, bytes) == (long)bytes &&
		 read(fds[0], to, bytes) == (ssize_t)bytes;
	close(fds[0]);
	close(fds[1]);
	return copied;
}

/*
 * Read any address; false: it is not readable.  Only the kernel can do so without a fault.  write()
 * is called by syscall(), since checkers report a write() of such memory.  Cancellation is off,
 * since close() is a cancellation point, and a walk that reports may have a pool pinned.
 */
bool plat_peek(void *to, const void *from, size_t bytes)
{
	int saved = errno;
	bool copied;
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	copied = copy(to, from, bytes);
	pthread_setcancelstate(state, NULL);
	errno = saved;
	return copied;
}
