/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * main.h - what the files of user/ need of each other: libpool's start, forks, and
 *	    guarded objects
 *
 * Layer:   user/ only; twin of kernel/main.h.
 * Context: said per function.
 */
#ifndef POOL_MAIN_H
#define POOL_MAIN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

struct dl_phdr_info;
struct plat_backend;
struct plat_area;
struct pool_cpu;

/*
 * Code and data used before main().  They lie together, the data on the page that the loader writes
 * to in any case, so that a program which uses no pool has few page faults.
 */
#define AT_START	__attribute__((__cold__))
#define START_DATA	__attribute__((__section__(".data")))

/* main.c: before main() */
void libpool_start(void);

/* declare.c */
void libpool_declare_start(void);

/* log.c: the first call of all, before main() */
void libpool_find_stderr(void);

/* lock.c: the first call in the child of a fork */
void pool_lock_fork_child(void);

/* lock.c: log which pool has no caches, and why, once the creation lock, which is held, is free */
void pool_has_no_caches(const char *shown, const char *why);

/* thread.c: hand on the areas of threads that ended unnoticed; destructors may run */
void pool_reap(void);

/* thread.c: empty the areas without a thread; false: none was emptied; destructors may run */
bool pool_empty_ownerless(void);

/* fork.c: in handlers of fork(), all mutexes held, except for pool_fork_end() */
void pool_fork_hold(void);
void pool_fork_release(bool child);
void pool_fork_mend(const struct pool_cpu *own);
void pool_fork_end(void);

/* torn.c: at the end of a thread, for its area; no mutex held */
void pool_torn_mend(struct plat_area *area);

/* slab/map.c: mappings, the names of mappings, and their memory */
void *pool_map(void *hint, size_t bytes, int prot);
bool pool_map_at(void *wanted, size_t bytes, int prot);
void pool_map_name(void *at, size_t bytes, const char *name);
bool pool_map_discard(unsigned char *at, unsigned long long blocks, size_t bytes);
extern bool pool_map_nameless;
void pool_map_populate(void *at, size_t bytes);
extern bool pool_map_by_page;

/* area.c: the areas of threads; pool_areas_hold() and _release(): around a fork */
struct plat_area *pool_area_get(void);
void pool_area_put(struct plat_area *area);
struct plat_area *pool_areas_ownerless(void);
struct pool_local *pool_area_part(struct plat_area *area, unsigned int *i);
const void *pool_area_far(const struct plat_area *area, size_t *bytes);
void pool_area_trim(struct plat_area *area);
void pool_areas_trim(void);
void pool_areas_hold(void);
void pool_areas_release(void);

/*
 * remote.c: which thread answers for an area; which signals are blocked; hold and release: around a
 * fork
 */
void pool_answers(struct plat_area *area, unsigned int thread);
void pool_heard(struct plat_area *area);
void pool_signals_of_others(sigset_t *set);
void pool_remote_fork_hold(void);
void pool_remote_fork_release(void);

/* lock.c: sleep for some 60 us; no cancellation point */
void pool_nap(void);

/* lock.c: try to lock the registry mutex */
bool pool_registry_trylock(void);

/* heap.c: objects come from malloc(), or go back to it; have it give back their memory */
void pool_heap_add(unsigned long bytes);
void pool_heap_sub(unsigned long bytes);
void pool_heap_trim(void);
unsigned long pool_heap_in_use(void);

/* plat.c */
extern unsigned long (*pool_coarse_time)(void);

/* Return the bytes of plat_mem_alloc() that are not freed. */
unsigned long pool_mem_bytes(void);

/* guard.c: objects with pages of their own; hold and release: around a fork */
void *pool_guard_alloc(const struct plat_backend *backend);
void pool_guard_free(const struct plat_backend *backend, void *obj);
unsigned long pool_guard_kept(void);
unsigned long pool_guard_in_use(void);
void pool_guard_fork_hold(void);
void pool_guard_fork_release(void);

/* plat.c: dl_iterate_phdr(), while no thread forks; hold and release: around a fork */
void pool_look_at_list(int (*fn)(struct dl_phdr_info *info, size_t size, void *arg),
		       void *arg);
void pool_names_fork_hold(void);
void pool_names_fork_release(void);

/* slab/class.c: hold and release: around a fork */
void pool_slab_fork_hold(void);
void pool_slab_fork_release(bool child);

#endif /* POOL_MAIN_H */
