// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * interpose.c - malloc() and its like, which record and call those of the next library
 *
 * Layer:   the preload library, above recorder.c and early.c.
 * Context: any in which a program may call malloc().
 *
 * Where an allocator calls another function of this file, only the outer call is
 * recorded, since the inner one is not the program's.
 */
#include "early.h"
#include "recorder.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#define EXPORT		__attribute__((visibility("default")))
#define CALLER		__builtin_return_address(0)

/* Of the next library. */
static struct {
	void *(*malloc)(size_t size);
	void *(*calloc)(size_t n, size_t size);
	void *(*realloc)(void *p, size_t size);
	void (*free)(void *p);
	void *(*memalign)(size_t align, size_t size);
	void *(*aligned_alloc)(size_t align, size_t size);
	int (*posix_memalign)(void **p, size_t align, size_t size);
	void *(*valloc)(size_t size);
	void *(*pvalloc)(size_t size);
	int (*dlclose)(void *handle);
	int (*setuid)(uid_t uid);
	int (*seteuid)(uid_t uid);
	int (*setreuid)(uid_t real, uid_t effective);
	int (*setresuid)(uid_t real, uid_t effective, uid_t saved);
	int (*chroot)(const char *path);
} next;

/* 1: a thread looks for them; 2: they are there. */
static unsigned int resolved;

/* Of a thread: how many calls of the next library it is in. */
static __thread unsigned int depth __attribute__((tls_model("initial-exec")));

static void *look_for(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static void look_for_all(void)
{
	next.calloc = look_for("calloc");
	next.realloc = look_for("realloc");
	next.free = look_for("free");
	next.memalign = look_for("memalign");
	next.aligned_alloc = look_for("aligned_alloc");
	next.posix_memalign = look_for("posix_memalign");
	next.valloc = look_for("valloc");
	next.pvalloc = look_for("pvalloc");
	next.dlclose = look_for("dlclose");
	next.setuid = look_for("setuid");
	next.seteuid = look_for("seteuid");
	next.setreuid = look_for("setreuid");
	next.setresuid = look_for("setresuid");
	next.chroot = look_for("chroot");
	next.malloc = look_for("malloc");
	__atomic_store_n(&resolved, 2, __ATOMIC_RELEASE);
}

/* False: dlsym() itself is calling, so memory comes from early.c. */
static bool is_resolved(void)
{
	unsigned int none = 0;

	if (__atomic_load_n(&resolved, __ATOMIC_ACQUIRE) == 2)
		return true;
	if (!__atomic_compare_exchange_n(&resolved, &none, 1, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_ACQUIRE))
		return none == 2;
	look_for_all();
	return true;
}

/* An allocation's end: @p is what the next library returned. */
static void *allocated(void *p, size_t size, const void *caller)
{
	if (p && !depth)
		record_alloc(p, size, caller);
	return p;
}

EXPORT void *malloc(size_t size)
{
	void *p;

	if (!is_resolved())
		return early_alloc(16, size);
	depth++;
	p = next.malloc(size);
	depth--;
	return allocated(p, size, CALLER);
}

EXPORT void *calloc(size_t n, size_t size)
{
	void *p;

	/* Fresh early memory is zero; sizes that overflow have no place in it. */
	if (!is_resolved())
		return n && size > EARLY_BYTES / n ? NULL : early_alloc(16, n * size);
	depth++;
	p = next.calloc(n, size);
	depth--;
	return allocated(p, n * size, CALLER);
}

EXPORT void free(void *p)
{
	if (!p || early_has(p) || !is_resolved())
		return;
	if (!depth)
		record_free(p);
	depth++;
	next.free(p);
	depth--;
}

/* In the order of events, what realloc() frees is free before it gets what it returns. */
static void *resize(void *p, size_t size, const void *caller)
{
	uint64_t place = p && !depth ? record_take_place() : UINT64_MAX;
	void *new;

	depth++;
	new = next.realloc(p, size);
	depth--;
	/* With a size of 0 it may free and return NULL, and glibc's does. */
	if (!depth)
		record_freed(place, new || !size ? p : NULL);
	return allocated(new, size, caller);
}

static void *resize_early(void *p, size_t size, const void *caller)
{
	void *new = is_resolved() ? next.malloc(size) : early_alloc(16, size);

	if (!new)
		return NULL;
	early_copy(new, p, size);
	return is_resolved() ? allocated(new, size, caller) : new;
}

EXPORT void *realloc(void *p, size_t size)
{
	if (p && early_has(p))
		return resize_early(p, size, CALLER);
	if (!is_resolved())
		return early_alloc(16, size);
	return resize(p, size, CALLER);
}

EXPORT void *reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	if (p && early_has(p))
		return resize_early(p, bytes, CALLER);
	if (!is_resolved())
		return early_alloc(16, bytes);
	return resize(p, bytes, CALLER);
}

/* @by: one of @next, which is_resolved() fills in. */
static void *aligned(void *(**by)(size_t align, size_t size), size_t align, size_t size,
		     const void *caller)
{
	void *p;

	if (!is_resolved())
		return early_alloc(align, size);
	depth++;
	p = (*by)(align, size);
	depth--;
	return allocated(p, size, caller);
}

EXPORT void *memalign(size_t align, size_t size)
{
	return aligned(&next.memalign, align, size, CALLER);
}

EXPORT void *aligned_alloc(size_t align, size_t size)
{
	return aligned(&next.aligned_alloc, align, size, CALLER);
}

EXPORT int posix_memalign(void **result, size_t align, size_t size)
{
	int error;

	if (!is_resolved()) {
		*result = early_alloc(align, size);
		return *result ? 0 : ENOMEM;
	}
	depth++;
	error = next.posix_memalign(result, align, size);
	depth--;
	if (!error)
		allocated(*result, size, CALLER);
	return error;
}

EXPORT void *valloc(size_t size)
{
	void *p;

	if (!is_resolved())
		return NULL;
	depth++;
	p = next.valloc(size);
	depth--;
	return allocated(p, size, CALLER);
}

EXPORT void *pvalloc(size_t size)
{
	void *p;

	if (!is_resolved())
		return NULL;
	depth++;
	p = next.pvalloc(size);
	depth--;
	return allocated(p, size, CALLER);
}

/* Another module may come to the addresses of the one that leaves. */
EXPORT int dlclose(void *handle)
{
	int error;

	if (!is_resolved())
		return -1;
	error = next.dlclose(handle);
	record_unload();
	return error;
}

/* What follows may take away the right, or the path, to the file that is recorded to. */
static bool reserved(void)
{
	if (!is_resolved()) {
		errno = EAGAIN;
		return false;
	}
	record_reserve();
	return true;
}

EXPORT int setuid(uid_t uid)
{
	return reserved() ? next.setuid(uid) : -1;
}

EXPORT int seteuid(uid_t uid)
{
	return reserved() ? next.seteuid(uid) : -1;
}

EXPORT int setreuid(uid_t real, uid_t effective)
{
	return reserved() ? next.setreuid(real, effective) : -1;
}

EXPORT int setresuid(uid_t real, uid_t effective, uid_t saved)
{
	return reserved() ? next.setresuid(real, effective, saved) : -1;
}

EXPORT int chroot(const char *path)
{
	return reserved() ? next.chroot(path) : -1;
}
