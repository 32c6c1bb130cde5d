// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * create.c - make and end pools
 *
 * Layer:   above the four; decides which of them a pool has.
 * Context: process context; may sleep.
 *
 * Creations run one after the other, under the creation lock, which comes before
 * all others.  So two creations of equal pools find each other.
 */
#include "seam/plat.h"

/* The last pool's id, protected by the creation lock. */
unsigned long long pool_serial;

/* Return why a name or a size is refused, or NULL. */
static const char *basics_refusal(const struct pool_attr *attr)
{
	if (!attr->name || !*attr->name)
		return "the name is empty";
	if (!attr->size)
		return "the size is 0";
	if (attr->size > PLAT_SIZE_MAX)
		return "the size is above the largest possible";
	return NULL;
}

/* Return why a member beyond name and size is refused, or NULL. */
static const char *extras_refusal(const struct pool_attr *attr)
{
	if (attr->flags & ~PLAT_MEM_FLAGS)
		return "unknown flags";
	if ((attr->flags & MEM_F_TYPESAFE) && (attr->ctor || attr->dtor))
		return "readers of a typesafe object would see its constructor or destructor";
	if ((attr->flags & MEM_F_TYPESAFE) && (attr->flags & MEM_F_UAF))
		return "readers of a typesafe object would fault after its free";
	if (attr->align & (attr->align - 1))
		return "the alignment is not a power of two";
	if (attr->align > pool_start.page)
		return "the alignment is above a page";
	if (attr->mode > POOL_M_NO_CACHE)
		return "unknown mode";
	if (attr->limit && attr->min_avail > attr->limit)
		return "min_avail is above the limit";
	return NULL;
}

static const char *refusal(const struct pool_attr *attr, unsigned int abi)
{
	const char *why;

	if (abi != POOL_ABI)
		return "built with the header of another version";
	why = basics_refusal(attr);
	return why ? why : extras_refusal(attr);
}

/*
 * Return the number of buckets for @cpus CPUs, or for the number that an option asks for: the next
 * power of two, at most POOL_BUCKETS_MAX.  Documentation/decisions says why.
 */
unsigned int pool_buckets_for(unsigned int cpus)
{
	unsigned int n = 1;

	while (n < cpus && n < POOL_BUCKETS_MAX)
		n *= 2;
	return n;
}

/* Return how many buckets a new pool gets by @options. */
unsigned int pool_buckets_of(const struct pool_options *options)
{
	unsigned int fixed = options->buckets;

	return pool_buckets_for(fixed ? fixed : pool_start.cpus);
}

/* Return how many of a pool's buckets each node has, at least 1. */
static unsigned int buckets_near(unsigned int buckets)
{
	unsigned int n = buckets / pool_buckets_for(pool_start.nodes);

	return n ? n : 1;
}

/* Round a size up, unless the options check the end of objects to the byte. */
unsigned int pool_rounded(unsigned int size, unsigned int flags,
			  unsigned int debug)
{
	unsigned int up = (size + POOL_SIZE_ROUND - 1) / POOL_SIZE_ROUND *
			  POOL_SIZE_ROUND;

	if (flags & (MEM_F_EXACT | MEM_F_USERCOPY) || debug & POOL_D_EXACT)
		return size;
	return up > PLAT_SIZE_MAX ? size : up;
}

/*
 * Return the option bits of a pool for @mode.  With uaf a pool has caches only if the options ask
 * for them, because an access to a cached object does not fault.
 */
static unsigned int mode_bits(unsigned int mode, unsigned int configured)
{
	unsigned int modes = POOL_D_NO_GLOBAL | POOL_D_NO_CACHE;
	static const unsigned int bits[] = {
		[POOL_M_GLOBAL] = 0,
		[POOL_M_NO_GLOBAL] = POOL_D_NO_GLOBAL,
		[POOL_M_NO_CACHE] = POOL_D_NO_CACHE | POOL_D_NO_GLOBAL,
	};

	if (mode == POOL_M_DEFAULT)
		return configured;
	if (configured & POOL_D_UAF)
		modes = POOL_D_NO_GLOBAL;
	return (configured & ~modes) | bits[mode];
}

/*
 * Complete option bits: with tools, cold-first, because tools find more faults in objects that
 * stay free for longer; with DEBUG_MEM_STATS, memstats for pools without caches.
 */
unsigned int pool_bits_of(unsigned int debug)
{
	if (debug & POOL_D_TOOLS)
		debug |= POOL_D_COLD_FIRST;
	if (debug & POOL_D_NO_CACHE && plat_read(&pool_mem_stats))
		debug |= POOL_D_MEMSTATS;
	return debug;
}

/*
 * Copy the end of a file's name, in printable characters, because the end says more than the
 * beginning.
 */
static void copy_file(char *to, const char *file)
{
	size_t len;

	if (!file)
		file = "?";
	len = strlen(file);
	if (len > POOL_FILE_LEN)
		file += len - POOL_FILE_LEN;
	pool_printable(to, POOL_FILE_LEN + 1, file, POOL_FILE_LEN);
}

/* Complete a caller's request; false: out of memory. */
static bool request_init(struct pool_request *request, const struct pool_attr *attr,
			 const struct pool_creator *creator)
{
	struct pool_reg *reg = plat_mem_alloc(sizeof(*reg), PLAT_MEM_SLEEP);

	if (!reg)
		return false;
	request->attr = *attr;
	request->reg = reg;
	if (request->attr.align < POOL_ALIGN_MIN)
		request->attr.align = POOL_ALIGN_MIN;
	pool_copy_name(request->name, attr->name);
	pool_options_look(&request->options);
	if (attr->flags & MEM_F_UAF)
		request->options.debug |= POOL_D_UAF | POOL_D_NO_CACHE;
	request->options.debug = pool_bits_of(mode_bits(attr->mode,
							request->options.debug));
	request->options.debug &= ~pool_never(attr->flags);
	request->attr.size = pool_rounded(attr->size, attr->flags,
					  request->options.debug);
	pool_copy_name(reg->name, attr->name);
	reg->name_sum = pool_name_sum(attr->name);
	request->name_sum = reg->name_sum;
	copy_file(reg->file, creator->file);
	reg->line = creator->line;
	reg->owner = creator->owner;
	reg->decl = creator->decl;
	reg->size = attr->size;
	reg->flags = attr->flags;
	reg->align = request->attr.align;
	return true;
}

static struct pool *pool_new(const struct pool_request *request)
{
	unsigned int buckets = pool_buckets_of(&request->options);
	struct pool_layout layout;
	struct pool *pool;

	pool = plat_mem_alloc(sizeof(*pool) +
			      buckets * sizeof(struct pool_bucket),
			      PLAT_MEM_SLEEP);
	if (!pool)
		return NULL;
	pool_copy_name(pool->name, request->name);
	pool->name_sum = request->name_sum;
	pool_show_name(pool->shown, pool->name);
	pool_list_init(&pool->regs);
	pool_list_init(&pool->by_dump);
	pool->id = ++pool_serial;
	pool->debug = request->options.debug & ~POOL_D_COMMON;
	if (pool->debug & POOL_D_CHECKED)
		pool->debug += POOL_D_GEN;
	pool->buckets = buckets;
	pool->near = buckets_near(buckets);
	pool->cluster = request->options.cluster;
	pool->align = request->attr.align;
	pool->limit = request->attr.limit;
	pool->min_avail = request->attr.min_avail;
	pool->ctor = request->attr.ctor;
	pool->dtor = request->attr.dtor;
	pool->arg = request->attr.arg;
	pool->head.constructed = pool->ctor || pool->dtor ||
				 request->attr.flags & MEM_F_TYPESAFE;
	pool->head.size = request->attr.size;
	pool_layout_of(pool, pool->head.size, &layout);
	pool->link = layout.link;
	if (pool->debug & POOL_D_MEMSTATS)
		pool_profile_ready();
	pool_object_table_begin(pool, pool->debug);
	pool->object_table.whole = pool->debug & POOL_D_CHECKED;
	return pool;
}

/* True if the size of an object with its layout is allowed; the sum may have wrapped. */
static bool fits(const struct pool_layout *layout, unsigned int size)
{
	return layout->total >= size && layout->total <= PLAT_SIZE_MAX;
}

/* Make the source of a pool's objects; false: it failed, and @why is set to the reason. */
static bool open_store(struct pool *pool, const struct pool_attr *attr,
		       const char **why)
{
	struct pool_layout layout;

	pool_layout_of(pool, pool->head.size, &layout);
	if (!fits(&layout, pool->head.size)) {
		*why = "the size is too large for what the options add";
		return false;
	}
	return plat_backend_create(&pool->backend, pool->shown, pool->id,
				   layout.total, attr, pool->debug, why);
}

/*
 * Make a pool that is not listed yet, without registrations; the one in @request is not used.
 * NULL: it failed, and @why is set to the reason.
 */
struct pool *pool_assemble(const struct pool_request *request, const char **why)
{
	struct pool *pool = pool_new(request);

	*why = "out of memory";
	if (!pool)
		return NULL;
	if (!open_store(pool, &request->attr, why)) {
		plat_mem_free(pool);
		return NULL;
	}
	pool->cached = plat_local_alloc(pool);
	return pool;
}

/*
 * Free all of a pool but its struct.  @lost: how many objects stay in use; if any, memstats still
 * shows which code has allocated them.
 */
static void dismantle(struct pool *pool, unsigned long lost)
{
	unsigned long aside = plat_read(&pool->quarantined);

	pool_object_table_end(pool);
	if (!lost)
		pool_profile_drop(pool);
	if (pool->cached)
		plat_local_free(pool);
	plat_backend_destroy(&pool->backend, lost + aside);
}

/* Undo pool_assemble(): no caller ever had the pool. */
void pool_discard(struct pool *pool)
{
	dismantle(pool, 0);
	plat_mem_free(pool);
}

static struct pool *make(const struct pool_request *request, const char **why)
{
	struct pool *pool = pool_assemble(request, why);

	if (!pool)
		return NULL;
	pool_reg_add(pool, request->reg);
	pool_registry_add(pool);
	plat_show(pool, true);
	return pool;
}

/* Make a pool, or register with one; NULL: it failed, and @why is set to the reason. */
static struct pool *create(const struct pool_attr *attr,
			   const struct pool_creator *creator, const char **why)
{
	struct pool_request request = { .reg = NULL };
	struct pool *pool = NULL;

	*why = "out of memory";
	plat_mutex_lock(PLAT_CREATE);
	if (request_init(&request, attr, creator)) {
		pool = pool_merge(&request);
		if (!pool)
			pool = make(&request, why);
	}
	/* Set the variable under the creation lock, because a renewal may change it later. */
	if (pool && creator->decl)
		plat_write(creator->decl->ptr, &pool->head);
	plat_mutex_unlock(PLAT_CREATE);
	if (!pool)
		plat_mem_free(request.reg);
	return pool;
}

/* Log in one line which pool is not made, and why. */
void pool_create_refused(const struct pool_attr *attr,
			 const struct pool_creator *creator, const char *why)
{
	char shown[32];

	pool_printable(shown, sizeof(shown), attr->name ? attr->name : "",
		       sizeof(shown));
	plat_log(PLAT_ERR, "%s:%d: create_pool(\"%s\", %u) refused: %s",
		 creator->file, creator->line, shown, attr->size, why);
}

/* Create a pool, or register with one; NULL, after one line that says why. */
struct pool_head *pool_create(const struct pool_attr *attr,
			      const struct pool_creator *creator)
{
	const char *why = refusal(attr, creator->abi);
	struct pool *pool;

	if (!why) {
		pool = create(attr, creator, &why);
		if (pool)
			return &pool->head;
	}
	pool_create_refused(attr, creator, why);
	return NULL;
}

struct pool_head *pool_create_at(const char *name, unsigned int size,
				 unsigned int flags, const char *file,
				 int line, const void *owner,
				 unsigned int abi)
{
	struct pool_attr attr = { .name = name, .size = size, .flags = flags };
	struct pool_creator creator = {
		.file = file, .line = line, .owner = owner, .abi = abi,
	};

	return pool_create(&attr, &creator);
}

/* Create a pool for the macros.  Refuses attributes of another version, without reading them. */
struct pool_head *pool_create_ext_at(const struct pool_attr *attr,
				     size_t attr_size, const char *file,
				     int line, const void *owner,
				     unsigned int abi)
{
	struct pool_creator creator = {
		.file = file, .line = line, .owner = owner, .abi = abi,
	};

	if (attr && attr_size == sizeof(*attr) && abi == POOL_ABI)
		return pool_create(attr, &creator);
	plat_log(PLAT_ERR, "%s:%d: create_pool_ext(%s) refused: %s", file, line,
		 attr ? "..." : "NULL",
		 attr ? "built with the header of another version" :
			"there are no attributes");
	return NULL;
}

/*
 * End a pool without registrations, which only the caller uses.  @lost of its objects are in use,
 * and stay.  With the last pool all stashes are freed, too.
 */
void pool_end(struct pool *pool, unsigned long lost)
{
	unsigned long aside;
	bool last;

	plat_show(pool, false);
	pool_queue_end(pool);
	last = pool_registry_remove(pool);
	pool_drain(pool);
	aside = plat_read(&pool->quarantined);
	if (aside)
		plat_log(PLAT_WARN, "pool \"%s\": %lu corrupted objects are left behind",
			 pool->shown, aside);
	dismantle(pool, lost);
	pool_gone_free(pool);
	if (last)
		pool_drain_stashes(POOL_ALL, false);
}

/*
 * Release a registration, and end the pool if it was the last.  Returns the number of objects in
 * use, if these keep the last registration and so the pool.  If another creation registers while
 * they are counted, returns 0, because the objects are that creation's.
 */
unsigned long pool_give_back(struct pool *pool, const struct pool_decl *decl,
			     const void *owner)
{
	unsigned long seen = 0, used = 0;
	enum pool_drop what = pool_registry_drop(pool, decl, owner, &seen);

	while (what == POOL_KEPT) {
		bool alone;

		pool_drain_parked(pool);
		alone = pool_in_use(pool, &used);
		if (!alone || used)
			seen = 0;
		what = pool_registry_drop(pool, decl, owner, &seen);
		if (alone && used)
			break;
	}
	if (what == POOL_ENDS)
		pool_end(pool, 0);
	return what == POOL_KEPT ? used : 0;
}

/* True if a pool's end logs objects in use: a module's, because they stay; or with POOL_D_WHO. */
static bool logs_in_use(const struct pool *pool, const void *owner)
{
	return owner || plat_read(&pool->debug) & POOL_D_WHO;
}

void *pool_destroy_of(struct pool_head *head, const void *owner)
{
	struct pool *pool = head ? pool_of(head) : NULL;
	unsigned long used;

	if (!pool)
		return NULL;
	if (pool_gone_report(pool, NULL, 0, __builtin_return_address(0)))
		return NULL;
	if (!pool_registry_may_drop(pool, owner)) {
		plat_log(PLAT_ERR, "pool \"%s\" not destroyed: it is another owner's",
			 pool->shown);
		return head;
	}
	used = pool_give_back(pool, NULL, owner);
	if (!used)
		return NULL;
	if (logs_in_use(pool, owner))
		plat_log(PLAT_WARN, "pool \"%s\" not destroyed: %lu objects in use",
			 pool->shown, used);
	return head;
}

static void destroy_owned(const void *owner, enum pool_whose whose)
{
	struct pool *pool;

	while ((pool = pool_registry_drop_owned(owner, whose))) {
		unsigned long used;

		pool_drain_parked(pool);
		pool_in_use(pool, &used);
		if (used && (whose == POOL_ANYBODYS ||
			     logs_in_use(pool, owner)))
			plat_log(PLAT_WARN, "pool \"%s\" destroyed with %lu objects in use",
				 pool->shown, used);
		pool_end(pool, used);
	}
}

void pool_destroy_owned(const void *owner)
{
	destroy_owned(owner, POOL_OWNED);
}

/* End all pools, when no code is left that could use any. */
void pool_destroy_every(void)
{
	destroy_owned(NULL, POOL_ANYBODYS);
}

/*
 * Handle the pools of an owner that goes away.  Pools with a constructor or a destructor are
 * destroyed, because they need its code.  Others stay, because other code may have objects of
 * them.  Returns how many registrations are left, now without an owner.
 */
unsigned int pool_owner_gone(const void *owner)
{
	destroy_owned(owner, POOL_OWNED_BUILT);
	return pool_registry_disown(owner);
}
