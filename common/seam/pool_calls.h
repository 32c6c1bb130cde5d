/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * pool_calls.h - the functions that files of common/ offer to each other
 *
 * Layer:   all of them, from the hot array down, then what is beside them.
 * Context: each function says its own, where it is.
 */
#ifndef POOL_CALLS_H
#define POOL_CALLS_H

/* hot.c: how large the array may be; here.h has the short steps */
extern unsigned long pool_era;
void pool_era_ends(void);
bool pool_here_begins(struct pool *pool, struct pool_local *local, unsigned int *flags);
unsigned int pool_hot_share(const struct pool *pool);
unsigned int pool_hot_claim(struct pool *pool, unsigned int n);
void pool_local_fit(struct pool_local *local);
void pool_local_enter_era(struct pool_local *local, unsigned long era);
void pool_hot_set_cap(struct pool_local *local, unsigned int slots);
void pool_close_arrays(struct pool *pool);
void pool_hot_enlarge(struct pool_cpu *cpu, struct pool_local *local, unsigned int slots);
void pool_hot_shrink(struct pool_cpu *cpu, struct pool_local *local, unsigned int slots);
unsigned int pool_hot_detach(struct pool_cpu *cpu, struct pool_local *local, void **objs);

/* age.c: the least recently used is reduced or evicted */
void pool_age_refit(struct pool_local *here, struct pool_carried *out);
bool pool_age_reduce(struct pool_local *here);
bool pool_age_prepare(struct pool_cpu *cpu);
void pool_age_array(struct pool_cpu *cpu);
void pool_age_enlarge(struct pool_local *here, struct pool_carried *out);
bool pool_age_make_room(struct pool_local *here, unsigned long bytes, struct pool_carried *out);
bool pool_age_clear(struct pool_local *here);

/* cluster.c: clusters on a CPU's lists */
void pool_cluster_insert(struct pool_cpu *cpu, struct pool_local *local, struct pool_cluster *c);
void pool_cluster_detach(struct pool_cluster *c);
extern unsigned long pool_settling;
void pool_arrive_last(unsigned long *moving, unsigned int n);
void pool_settle(const unsigned long *moving);
void pool_cluster_settled(struct pool_local *local, unsigned int n);
void pool_cluster_settled_locked(struct pool_local *local, unsigned int n);
void pool_cpu_relock(struct pool_cpu *cpu);
void pool_cluster_box(struct pool_cpu *cpu, struct pool_cluster *c, unsigned int n);
struct pool_cluster *pool_cluster_stash_all(struct pool_cpu *cpu, struct pool_cluster *chain);

/* spare.c: how large clusters may be, and empty clusters */
unsigned int pool_cluster_max(const struct pool *pool);
unsigned int pool_spares_lacking(const struct pool *pool);
struct pool_cluster *pool_spares_take(struct pool *pool);
struct pool_cluster *pool_cluster_make(unsigned int n);
unsigned long pool_cluster_free_all(struct pool_cluster *chain);
struct pool_cluster *pool_cluster_get(struct pool *pool, unsigned int n, unsigned int flags);
struct pool_cluster *pool_cluster_get_one(struct pool *pool, unsigned int flags);
void pool_cluster_put(struct pool *pool, struct pool_cluster *c, unsigned int flags);
void pool_cluster_put_all(struct pool *pool, struct pool_cluster *chain, unsigned int flags);
unsigned long pool_cluster_trim(struct pool *pool);
unsigned long pool_cluster_trim_some(struct pool *pool);

/* fill.c: to the array, from the local clusters and the shared pool; quick.h has more */
void *pool_get_one_from_cache(struct pool *pool, unsigned int *flags);
void *pool_get_near_from_cache(struct pool *pool, unsigned int node, unsigned int *flags);
void *pool_get_locked(struct pool_local *here, unsigned int flags)
	POOL_RELEASES(here->cpu->lock);
unsigned int pool_get_from_cache(struct pool *pool, unsigned int n,
				 void **objs, unsigned int *flags);

/* spill.c: from the array, to the local clusters; quick.h has more */
unsigned int pool_put_to_cache(struct pool *pool, unsigned int n, void **objs, unsigned int *flags);
void pool_put_one(struct pool *pool, void *obj, unsigned int flags);
void pool_put_locked(struct pool_local *here, void *obj, unsigned int flags)
	POOL_RELEASES(here->cpu->lock);

/* ahead.c */
unsigned int pool_cache_wants(struct pool *pool, unsigned int flags);

/* carry.c */
void pool_carry(struct pool *pool, struct pool_carried *out, unsigned int flags);

/* shared.c: buckets of clusters */
struct pool_cluster *pool_refill_local_from_shared(struct pool *pool, unsigned long *moving);
bool pool_put_to_shared_cache(struct pool *pool, struct pool_cluster *c);
struct pool_cluster *pool_shared_get(struct pool *pool, unsigned long *moving);
void *pool_shared_get_one(struct pool *pool, unsigned int flags);
#define POOL_NODE_HERE	UINT_MAX	/* the node that is near this CPU */
void *pool_shared_get_near(struct pool *pool, unsigned int node, unsigned int flags);
bool pool_shared_put_one(struct pool *pool, void *obj, unsigned int flags);
unsigned long pool_shared_count(const struct pool *pool);
bool pool_shared_full(struct pool *pool, unsigned long objs);
void pool_shared_renote(struct pool *pool);
bool pool_lacks_spare(const struct pool *pool);
unsigned long pool_shared_unused(struct pool *pool);

/* parked.c: free objects that no layer accepted */
void pool_park(struct pool *pool, void *obj);
void pool_park_cluster(struct pool *pool, struct pool_cluster *c);
void *pool_parked_take(struct pool *pool, struct pool_parked *parked);
void *pool_parked_next(const struct pool *pool, void **rest);
void pool_parked_settled(struct pool_parked *parked);
void pool_parked_leave(struct pool *pool, struct pool_parked *parked, void *rest);

/* unpark.c: move parked objects to the layers below, or use them */
void *pool_unpark(struct pool *pool, unsigned int flags);
void pool_unpark_here(struct pool *pool, unsigned int flags);
void *pool_unpark_all(struct pool *pool, unsigned int flags);
void pool_parked_release(struct pool *pool, struct pool_parked *parked);
unsigned long pool_give_parked(struct pool *pool, unsigned long most, unsigned int flags);
void pool_drain_parked(struct pool *pool);
void pool_unpark_below(struct pool *pool);

/* need.c: how many objects the shared pool keeps */
bool pool_need_keeps(struct pool *pool, unsigned int n);

/* backend.c: the only caller of plat_backend_*() */
enum pool_cause pool_backend_reserve(struct pool *pool, unsigned int flags);
void pool_count_failure(struct pool *pool, enum pool_cause cause);
bool pool_backend_commit(struct pool *pool, void *obj);
void pool_construct(struct pool *pool, void *obj);
unsigned int pool_backend_get_ahead(struct pool *pool, unsigned int n,
				    void **objs, unsigned int flags);
void *pool_backend_get(struct pool *pool, unsigned int flags, enum pool_cause *cause);
void pool_backend_put(struct pool *pool, void *obj);
void pool_backend_put_cluster(struct pool *pool, struct pool_cluster *c, unsigned int keep);
void *pool_backend_swap_in(struct pool *pool);
void pool_backend_swap_out(struct pool *pool, void *obj);
extern unsigned int pool_fail_every;

/* guard_fill.c: the bytes around guarded objects in their pages */
size_t pool_guard_fill_before(size_t bytes, size_t size, size_t align);
void pool_guard_fill_put(void *pages, size_t bytes, const void *obj, size_t size);
bool pool_guard_fill_check(const void *pages, size_t bytes, const void *obj,
			   size_t size, long *where);

/* slots.c: the objects of a reserve */
void *pool_slots_take(struct pool_reserved *r);
bool pool_slots_put(struct pool_reserved *r, void *obj);

/* alloc.c: the four layers, composed */
void *pool_alloc_from(struct pool_head *head, unsigned int flags, void *caller);
void pool_free_from(struct pool_head *head, void *obj, unsigned int flags, void *caller);
void *pool_get_spare(struct pool *pool, unsigned int flags);
void *pool_last_look(struct pool *pool, unsigned int flags, struct pool_last *last);
bool pool_last_again(struct pool *pool, unsigned int flags, struct pool_last *last);
bool pool_last_is_over(struct pool_last *last);
bool pool_last_sleep(struct pool_last *last, unsigned int *word, unsigned int seen,
		     unsigned int ms);

/* queue.c: callers that wait */
void pool_queue_enter(struct pool_waiter *w);
void pool_queue_leave(struct pool_waiter *w);
void pool_queue_end(struct pool *pool);

/* below.c: move objects that leave the caches to the layers below */
void pool_put_below(struct pool *pool, void *obj, unsigned int flags);
bool pool_keep_cluster(struct pool *pool, struct pool_cluster *c);
void pool_put_cluster_down(struct pool *pool, struct pool_cluster *c, unsigned int flags);
void pool_put_cluster_below(struct pool *pool, struct pool_cluster *c, unsigned int flags);

/* registry.c: the list of pools */
extern struct pool *pool_pass_at;
struct pool *pool_registry_after(struct pool *prev);
struct pool *pool_registry_next(struct pool *prev);
struct pool *pool_registry_named(struct pool *prev, const char *name, size_t len);
struct pool *pool_registry_next_that(struct pool *prev, bool (*is)(const struct pool *pool));
bool pool_registry_pin(struct pool *pool);
void pool_registry_put(struct pool *pool);
bool pool_registry_walked(const struct pool *pool, const void *thread);
void pool_registry_add(struct pool *pool);
void pool_registry_list(struct pool *pool);
void pool_registry_resize(struct pool *pool);
struct pool *pool_registry_sized(struct pool *prev, unsigned int least, unsigned int most);
bool pool_registry_remove(struct pool *pool);

/* registration.c: the creations that pools serve */
struct pool *pool_registry_of(const struct pool_decl *decl, unsigned long long id);
bool pool_registry_may_drop(struct pool *pool, const void *owner);
void pool_registry_forget(const struct pool_decl *decl);
enum pool_drop pool_registry_drop(struct pool *pool, const struct pool_decl *decl,
				  const void *owner, unsigned long *seen);
struct pool *pool_registry_drop_owned(const void *owner, enum pool_whose whose);
unsigned int pool_registry_disown(const void *owner);
struct pool_reg *pool_reg_oldest(struct pool *pool);
void pool_regs_free(struct pool_list *gone);
void pool_reg_add(struct pool *pool, struct pool_reg *reg);
void pool_reg_unlink(struct pool *pool, struct pool_reg *reg);

/* create.c: making and ending pools */
unsigned int pool_buckets_for(unsigned int cpus);
unsigned int pool_buckets_of(const struct pool_options *options);
unsigned int pool_bits_of(unsigned int debug);
unsigned int pool_rounded(unsigned int size, unsigned int flags, unsigned int debug);
extern unsigned long long pool_serial;	/* creation lock: id of the newest pool */
void pool_create_refused(const struct pool_attr *attr,
			 const struct pool_creator *creator, const char *why);
struct pool_head *pool_create(const struct pool_attr *attr, const struct pool_creator *from);
struct pool *pool_assemble(const struct pool_request *request, const char **why);
void pool_discard(struct pool *pool);
unsigned long pool_give_back(struct pool *pool, const struct pool_decl *decl, const void *owner);
void pool_destroy_every(void);
unsigned int pool_owner_gone(const void *owner);
void pool_end(struct pool *pool, unsigned long lost);

/* declared.c: declared pools */
bool pool_declared_before(const struct pool_decl *a, const struct pool_decl *b);
bool pool_create_declared(const struct pool_decl *decl, const void *owner, unsigned int abi);
unsigned long pool_destroy_declared(const struct pool_decl *decl);

/* names.c: how much of a name is kept, and how it is shown */
bool pool_spells(const char *text, size_t len, const char *word);
void pool_copy_name(char *to, const char *name);
unsigned long long pool_name_sum(const char *name);
void pool_show_name(char *to, const char *name);
void pool_show_exact(char *to, const char *shown, unsigned long long id);

/* merge.c: one pool for several creations */
bool pool_size_fits(const struct pool *pool, const struct pool_request *request);
struct pool *pool_find_match(const struct pool_request *request, unsigned long long from,
			     unsigned long long to);
unsigned int pool_merged_apart(struct pool *pool);
struct pool *pool_merge(struct pool_request *request);

/* pack.c: gc packs the caches */
void pool_pack(struct pool *pool);

/* reclaim.c: empty caches and the shared pool as a whole */
void pool_cpu_init(struct pool_cpu *cpu);
bool pool_cpu_gone(unsigned int i);
void pool_drain(struct pool *pool);
unsigned long pool_drain_stash(struct pool_cpu *cpu, bool tries);
unsigned long pool_drain_stashes(unsigned long most, bool tries);
unsigned long pool_drain_some(struct pool *pool, unsigned long spare,
			      unsigned long most, bool tries);
unsigned long pool_drain_shared(struct pool *pool, unsigned long spare,
				unsigned long most, bool tries);
unsigned long pool_release_taken(struct pool_cluster *c, unsigned int flags);

/* shrink.c: release some unused memory */
unsigned long pool_shrink_bytes(unsigned long most, unsigned int flags);
bool pool_unused_bytes(unsigned int flags, unsigned long *bytes);
unsigned long pool_clustered_bytes(struct pool_cpu *cpu);
bool pool_may_give(const struct pool *pool);
struct pool_cluster *pool_take_coldest(struct pool_cpu *cpu, const unsigned long *old,
				       unsigned int flags);
unsigned long pool_give_coldest(struct pool_cpu *cpu, const unsigned long *old,
				unsigned int flags, unsigned long *given);

/* bound.c: bytes that each CPU may cache */
void pool_bound_fit(void);
void pool_bound_share(void);

/* idle.c: release objects that were not needed for a while */
unsigned long pool_age_bytes(bool *more);
unsigned long pool_cpu_unused(struct pool_cpu *cpu, unsigned long *old, bool *busy);

/* pass.c: the same in small steps, in calls of other pools */
bool pool_pass_next(struct pool_step *step);
void pool_pass_give(const struct pool_step *step);

/* remote.c: get objects that other CPUs have cached */
void *pool_take_remote(struct pool *pool, unsigned int flags);
void pool_empty_array(struct pool *pool);

/* reach.c: prove that a caller can get no object */
void pool_reach_read(struct pool *pool, struct pool_reading *reading);
bool pool_reach_missed(struct pool *pool, const struct pool_reading *before);
bool pool_used_up(struct pool *pool, unsigned int limit);
void pool_wake(struct pool *pool);
void pool_wake_reserve(struct pool *pool);
void pool_bump(unsigned int *word);
void pool_sleep(unsigned int *word, unsigned int seen);

/* stats.c: numbers */
void pool_sum(struct pool *pool, struct pool_stats *sum);
unsigned long pool_allocated(const struct pool *pool);
bool pool_in_use(struct pool *pool, unsigned long *used);

/* options.c: what the options are */
extern struct pool_start {
	unsigned int debug;	/* POOL_D_* that tools which watch the program need */
	unsigned int cpus;	/* how many may run at once, at least 1 */
	unsigned int page;	/* bytes: the largest alignment of objects */
	unsigned int nodes;	/* nodes of memory, at least 1 */
} pool_start;			/* written once, at the start */

void pool_options_start(const struct pool_start *start);
void pool_options_get(struct pool_options *options);
void pool_options_look(struct pool_options *options);
void pool_printable(char *to, size_t size, const char *text, size_t len);

/* configure.c: set options */
bool pool_options_set(const char *text, const char *where, bool strict);
int pool_options_read(const char *words, bool first, char *text, size_t size);

/* live.c: change options by words */
bool pool_switch_words(struct pool_head *pool, const char *words, char *wrong, size_t size);

/* switch.c: change options of a pool that is in use */
unsigned int pool_next_generation(unsigned int bits);
void pool_switch(struct pool *pool, unsigned int set, unsigned int clear);

#endif /* POOL_CALLS_H */
