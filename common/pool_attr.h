/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * pool_attr.h - pools with more than a name and a size; declared pools
 *
 * Layer:   API.
 * Context: process context or a plain thread; may sleep.
 */
#ifndef LIBPOOL_POOL_ATTR_H
#define LIBPOOL_POOL_ATTR_H

#ifndef LIBPOOL_POOL_H
#error "include pool.h"
#endif

POOL_DECLS_BEGIN

struct pool_head;

/* Modes of a pool: which layers it has. */
#define POOL_M_DEFAULT		0u	/* as the options say */
#define POOL_M_GLOBAL		1u	/* all layers */
#define POOL_M_NO_GLOBAL	2u	/* CPUs' caches, but no shared pool */
#define POOL_M_NO_CACHE		3u	/* no layer: each call goes to the backend */

/**
 * struct pool_attr - the properties of a new pool
 * @name: any text that is not empty; cut to POOL_NAME_LEN bytes.  Copied.  Where
 *	a name is a word of a text, it is percent-encoded: "a b" is shown as a%20b.
 * @size: bytes of an object: 1 to 2 GiB, in the kernel to KMALLOC_MAX_SIZE.
 * @align: a power of two, at most a page; 0, and anything below two pointers, mean
 *	two pointers.
 * @flags: MEM_F_SHARED, MEM_F_EXACT, MEM_F_UAF; in the kernel MEM_F_TYPESAFE, MEM_F_USERCOPY.
 * @mode: POOL_M_*.  With the option "uaf" no mode has caches, unless "cache" is on, too.
 * @limit: most objects to have from the backend at once; 0: no limit.
 * @min_avail: spare objects that pool_gc() leaves in the shared pool; at most
 *	@limit, where there is one.
 * @ctor: turns raw memory from the backend into an object; NULL: none.
 * @dtor: undoes @ctor, before an object goes to the backend; NULL: none.
 * @arg: for both.
 * @useroffset: kernel, with MEM_F_USERCOPY: the first byte of an object that hardened
 *	usercopy lets be copied from and to user space.
 * @usersize: the same: how many bytes; 0: none.  Without MEM_F_USERCOPY all are.
 *
 * With MEM_F_TYPESAFE the memory of an object stays an object of this pool until all readers of RCU
 * that may see it are gone, as with SLAB_TYPESAFE_BY_RCU; it may be allocated again meanwhile.  So
 * nothing is written to a free object: POOL_F_MUST_ZERO is refused, and the pool can have neither a
 * constructor or destructor nor the options that touch free objects (see the help): integrity,
 * poison, backup, uaf, tools.
 *
 * With MEM_F_UAF the pool has the option uaf, and no caches, whatever the options are.
 *
 * With a constructor or a destructor, the contents of an object survive a free and the
 * next allocation, so POOL_F_MUST_ZERO is refused.
 *
 * Both run in calls on this pool, never in an allocation or free of another one.  A destructor also
 * runs where a thread ends, a CPU goes offline, or memory of many pools is released, as in
 * pool_gc(), in pool_age() and where the kernel reclaims.  So they must not sleep, nor lock what
 * callers hold locked, nor call this pool, nor leave by longjmp(); calls on other pools pass
 * POOL_F_ATOMIC.
 *
 * A pool with a limit, spare objects, a constructor, a destructor, MEM_F_UAF, MEM_F_USERCOPY
 * or MEM_F_TYPESAFE is never merged with another one.
 */
struct pool_attr {
	const char *name;
	unsigned int size;
	unsigned int align;
	unsigned int flags;
	unsigned int mode;
	unsigned int limit;
	unsigned int min_avail;
	void (*ctor)(void *obj, void *arg);
	void (*dtor)(void *obj, void *arg);
	void *arg;
#ifdef __KERNEL__
	unsigned int useroffset;
	unsigned int usersize;
#endif
};

/**
 * pool_create_ext_at() - Create a pool; create_pool_ext() calls it.
 * @attr: the properties; not kept.
 * @attr_size: sizeof(struct pool_attr) of the caller's header.
 * @file: source file of the call.  Its end is kept.
 * @line: its line.
 * @owner: the calling module; user space: NULL.
 * @abi: POOL_ABI of the caller's header.
 *
 * Context: Process context or a plain thread; may sleep.
 * Return: as pool_create_at().
 */
struct pool_head *pool_create_ext_at(const struct pool_attr *attr, size_t attr_size,
				     const char *file, int line, const void *owner,
				     unsigned int abi);

/*
 * create_pool_ext() - Create a pool with the properties of a struct pool_attr.
 *
 * A macro that calls pool_create_ext_at() with the caller's file and line.  In C++ it is an inline
 * function.  C has a function of this name, too, for files that undefine the macro.
 */
#ifdef __cplusplus
static inline pool_head *
create_pool_ext(const pool_attr *attr, const char *file = __builtin_FILE(), int line =
		__builtin_LINE())
{
	return pool_create_ext_at(attr, sizeof(*attr), file, line, POOL_OWNER, POOL_ABI);
}
#else
static inline struct pool_head *create_pool_ext(const struct pool_attr *attr)
{
	return pool_create_ext_at(attr, sizeof(*attr), __BASE_FILE__, 0, POOL_OWNER, POOL_ABI);
}

#define create_pool_ext(attr) \
	pool_create_ext_at(attr, sizeof(struct pool_attr), __FILE__, __LINE__, \
			   POOL_OWNER, POOL_ABI)
#endif

/* create_aligned_pool() - Create a pool whose objects have an alignment, as in struct pool_attr. */
static inline struct pool_head *
pool_create_aligned_at(const char *name, unsigned int size, unsigned int align,
		       unsigned int flags, const char *file, int line)
{
	struct pool_attr attr;

	__builtin_memset(&attr, 0, sizeof(attr));
	attr.name = name;
	attr.size = size;
	attr.align = align;
	attr.flags = flags;
	return pool_create_ext_at(&attr, sizeof(attr), file, line, POOL_OWNER,
				  POOL_ABI);
}

#ifdef __cplusplus
static inline pool_head *
create_aligned_pool(const char *name, unsigned int size, unsigned int align,
		    unsigned int flags, const char *file = __builtin_FILE(), int line =
		    __builtin_LINE())
{
	return pool_create_aligned_at(name, size, align, flags, file, line);
}
#else
static inline struct pool_head *create_aligned_pool(const char *name, unsigned int size,
						    unsigned int align, unsigned int flags)
{
	return pool_create_aligned_at(name, size, align, flags, __BASE_FILE__, 0);
}

#define create_aligned_pool(name, size, align, flags) \
	pool_create_aligned_at(name, size, align, flags, __FILE__, __LINE__)
#endif

/**
 * pool_set_limit() - Set the most objects that a pool may have.
 * @pool: the pool; the limit is for all its registrations.  If a pool with
 *	several registrations gets its first limit, the log has a warning.
 * @limit: objects; 0: no limit; not below the pool's min_avail.
 *
 * If the pool has more already, it does not ask the backend until it has fewer.  Arrays with more
 * than their share of the limit shrink at their CPUs' next slow paths.
 *
 * Context: Process context or a plain thread; may sleep.
 * Return: true; false, with one line in the log and no change, when @limit is
 * wrong.
 */
bool pool_set_limit(struct pool_head *pool, unsigned int limit);

/**
 * pool_set_min_avail() - Set how many spare objects pool_gc() leaves.
 * @pool: the pool.
 * @min_avail: objects; not above the pool's limit.
 *
 * Context: Process context or a plain thread.
 * Return: as pool_set_limit().
 */
bool pool_set_min_avail(struct pool_head *pool, unsigned int min_avail);

/*
 * In the kernel a module changes its own pools.  Both functions return false, with one line in the
 * log, for a pool that the module did not create.
 */
#ifdef __KERNEL__
bool pool_set_limit_owned(struct pool_head *pool, unsigned int limit, const void *owner);
bool pool_set_min_avail_owned(struct pool_head *pool, unsigned int min_avail, const void *owner);

#define pool_set_limit(pool, limit) \
	pool_set_limit_owned(pool, limit, POOL_OWNER)
#define pool_set_min_avail(pool, min_avail) \
	pool_set_min_avail_owned(pool, min_avail, POOL_OWNER)
#endif

/*
 * Declared pools
 *
 *	DECLARE_POOL(ptr, name, size)		a global variable ptr
 *	DECLARE_STATIC_POOL(ptr, name, size)	a static one
 *	REGISTER_POOL(&ptr, name, size)		a variable that exists
 *
 * at file scope.  Declared pools are MEM_F_SHARED, except those with _UNSHARED_, whose limit, waits
 * and options are for one user.  _ALIGNED_ has the alignment as one more argument.  _TYPED_ has a
 * type instead of the size, then optionally the number of bytes behind each object, and a larger
 * alignment than the type's.
 *
 * In user space they exist before main(), and before dlopen() returns; dlclose() releases them,
 * exit() does not.  A kernel module calls pool_register_declared() in its init and
 * pool_release_declared() in its exit.  If a pool cannot be made, a program ends with status 1,
 * after two lines in the log, unless it has set a handler by pool_declare_failed().  A module's
 * pool_register_declared() fails, and leaves no pool.
 *
 * Until a declared pool allocates its first object, it follows the options, wherever they are
 * set:  LIBPOOL_OPTIONS, pool_configure(), pool_parse_debugging() or module parameters.  Some
 * options split or merge pools: no-merge, merge, more buckets, and tag, uaf and tools, with which
 * sizes are not rounded.  The variable may then point to another pool.  A copy of the old pointer
 * stays valid until the declaration ends, but objects must be freed to the pool that they are
 * from.  So set options before other threads use the variable, and copy it only afterwards.
 */

/*
 * struct pool_decl - a declared pool
 *
 * Made by the macros below, in the declaring object's own memory.
 */
struct pool_decl {
	struct pool_head **ptr;
	const char *name;
	unsigned int size;
	unsigned int align;
	const char *file;
	int line;
	bool registered;	/* this declaration has a registration to give back */
	bool unshared;		/* its pool is not merged with others */
};

/* Without parentheses, since g++ warns of them in declarations. */
#define POOL_DECL_VAR(ptr)	ptr

/* No casts, so that a size of 4 GiB does not become one of 0. */
#define POOL_DECL_INIT(ptr, name, size, align, unshared) \
	{ ptr, name, size, align, __FILE__, __LINE__, false, unshared }

#ifdef __KERNEL__

/*
 * A module parameter that cannot be set.  A module may have any number of parameters,
 * and their table is the only one that the kernel keeps and hands out.
 */
extern const struct kernel_param_ops pool_decl_ops;

#define POOL_DECL_AT(n, ...)						\
	static struct pool_decl pool_decl_##n =				\
		POOL_DECL_INIT(__VA_ARGS__);				\
	module_param_cb(pool_decl_##n, &pool_decl_ops, &pool_decl_##n, 0)

/**
 * pool_register_declared_of() - Create all pools that a module has declared.
 * @module: pool_register_declared() passes THIS_MODULE.
 * @abi: POOL_ABI of the module's header.
 *
 * Pools that exist already stay as they are.
 *
 * Context: Process context; may sleep.
 * Return: 0; -ENOMEM, with no pool left, when one could not be made; -EINVAL, with none
 * created, for code that is no module or was built with another header.  One
 * line in the log says why.
 */
int pool_register_declared_of(struct module *module, unsigned int abi);

/**
 * pool_release_declared_of() - Give back all pools that a module has declared.
 * @module: pool_release_declared() passes THIS_MODULE.
 *
 * Only those that exist, so it may be called after a registration that failed.
 * Their variables become NULL.  A pool with objects in use stays; one line in the
 * log says how many.
 *
 * Context: Process context; may sleep.
 */
void pool_release_declared_of(struct module *module);

#define pool_register_declared() \
	pool_register_declared_of(THIS_MODULE, POOL_ABI)
#define pool_release_declared()	pool_release_declared_of(THIS_MODULE)

#else

/* Called for a declared pool that cannot be made; its variable is NULL. */
typedef void pool_declare_failed_t(const struct pool_decl *decl);

/**
 * pool_declare_failed() - Set the handler for declared pools that cannot be made.
 * @fn: called instead of ending the program; NULL: end it.
 *
 * Declarations of the program itself are made before main(): call this in a constructor
 * with a priority of 102 to 109.  Those of plugins are made in dlopen().
 *
 * Context: A plain thread.
 */
void pool_declare_failed(pool_declare_failed_t *fn);

/* After libpool's own constructor, before those without a priority. */
#define POOL_DECL_PRIORITY	110

/*
 * The linker gathers pointers to all declarations of a program or a library here, and
 * names both ends.  The first of their constructors makes all pools, the largest first,
 * so that the order of files does not decide which of them are merged.
 */
#define POOL_DECL_SECTION	__attribute__((section("pool_decls")))
extern struct pool_decl *__start_pool_decls[]
	__attribute__((visibility("hidden")));
extern struct pool_decl *__stop_pool_decls[]
	__attribute__((visibility("hidden")));

/*
 * The beginning of a declaration: otherwise C++ compilers would accept a size that is known only
 * after the pool is made.  And the end, before the semicolon: in a namespace the name of a type
 * would declare a new type.
 */
#ifndef __cplusplus
#define POOL_DECL_CONST
#define POOL_DECL_END		struct pool_decl
#else
#if defined(__clang__)
#define POOL_DECL_CONST		__attribute__((require_constant_initialization))
#elif __GNUC__ >= 10
#define POOL_DECL_CONST		__constinit
#else
#define POOL_DECL_CONST
#endif
#define POOL_DECL_END		static_assert(true, "")
#endif

#define POOL_DECL_AT(n, ...)						\
	static POOL_DECL_CONST struct pool_decl pool_decl_##n =		\
		POOL_DECL_INIT(__VA_ARGS__);				\
	static struct pool_decl *pool_decl_##n##_entry			\
		POOL_DECL_SECTION = &pool_decl_##n;			\
	__attribute__((constructor(POOL_DECL_PRIORITY)))		\
	static void pool_decl_##n##_get(void)				\
	{								\
		pool_decls_get(&pool_decl_##n##_entry,			\
			       __start_pool_decls, __stop_pool_decls,	\
			       POOL_ABI);				\
	}								\
	__attribute__((destructor(POOL_DECL_PRIORITY)))			\
	static void pool_decl_##n##_put(void)				\
	{								\
		pool_decl_put(&pool_decl_##n);				\
	}								\
	POOL_DECL_END

/* Create and destroy declared pools; only for the macros. */
void pool_decls_get(struct pool_decl **own, struct pool_decl **first,
		    struct pool_decl **end, unsigned int abi);
void pool_decl_put(struct pool_decl *decl);

#endif

/* One more step, so that __COUNTER__ has become a number. */
#define POOL_DECL_NEXT(n, ...)	POOL_DECL_AT(n, __VA_ARGS__)

#define REGISTER_ALIGNED_POOL(ptr, name, size, align) \
	POOL_DECL_NEXT(__COUNTER__, ptr, name, size, align, false)
#define DECLARE_ALIGNED_POOL(ptr, name, size, align) \
	struct pool_head *POOL_DECL_VAR(ptr); \
	REGISTER_ALIGNED_POOL(&(ptr), name, size, align)
#define DECLARE_STATIC_ALIGNED_POOL(ptr, name, size, align) \
	static struct pool_head *POOL_DECL_VAR(ptr); \
	REGISTER_ALIGNED_POOL(&(ptr), name, size, align)

#define REGISTER_POOL(ptr, name, size) \
	REGISTER_ALIGNED_POOL(ptr, name, size, 0)
#define DECLARE_POOL(ptr, name, size) \
	DECLARE_ALIGNED_POOL(ptr, name, size, 0)
#define DECLARE_STATIC_POOL(ptr, name, size) \
	DECLARE_STATIC_ALIGNED_POOL(ptr, name, size, 0)

#define REGISTER_UNSHARED_POOL(ptr, name, size) \
	POOL_DECL_NEXT(__COUNTER__, ptr, name, size, 0, true)
#define DECLARE_UNSHARED_POOL(ptr, name, size) \
	struct pool_head *POOL_DECL_VAR(ptr); \
	REGISTER_UNSHARED_POOL(&(ptr), name, size)
#define DECLARE_STATIC_UNSHARED_POOL(ptr, name, size) \
	static struct pool_head *POOL_DECL_VAR(ptr); \
	REGISTER_UNSHARED_POOL(&(ptr), name, size)

/* (ptr, name, type[, extra[, align]]): zeros stand for what is left out. */
#define POOL_TYPED_AT(as, ptr, name, type, extra, align, ...) \
	as(ptr, name, sizeof(type) + (extra), POOL_TYPED_ALIGN(type, align))
#define POOL_TYPED_ALIGN(type, align) \
	((align) + 0ul > __alignof__(type) ? (align) + 0ul : __alignof__(type))

#define REGISTER_TYPED_POOL(...) \
	POOL_TYPED_AT(REGISTER_ALIGNED_POOL, __VA_ARGS__, 0, 0, 0)
#define DECLARE_TYPED_POOL(...) \
	POOL_TYPED_AT(DECLARE_ALIGNED_POOL, __VA_ARGS__, 0, 0, 0)
#define DECLARE_STATIC_TYPED_POOL(...) \
	POOL_TYPED_AT(DECLARE_STATIC_ALIGNED_POOL, __VA_ARGS__, 0, 0, 0)

POOL_DECLS_END

#endif /* LIBPOOL_POOL_ATTR_H */
