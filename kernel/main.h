/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * main.h - the functions that other files of kernel/ offer to main.c
 *
 * Layer:   above the seam; private to kernel/.
 * Context: module load and unload, unless said otherwise.
 */
#ifndef POOL_MAIN_H
#define POOL_MAIN_H

struct dentry;
struct pool;

/* plat.c */
int plat_init(void);
bool pool_registry_trylock(void);
void plat_exit(void);

/* guard.c: for tests; any context */
unsigned long pool_guard_kept(void);

/* hotplug.c */
int pool_hotplug_init(void);
void pool_hotplug_exit(void);

/* debugfs/text.c */
int pool_debugfs_text(char *text, size_t size, const char __user *from,
		      size_t count, const char *where);

/* debugfs/pools.c */
void pool_debugfs_pools(struct dentry *root);

/* debugfs/memstats.c */
void pool_debugfs_memstats(struct dentry *root);

/* debugfs/debug.c */
void pool_debugfs_debug(struct dentry *dir, struct pool *pool);

/* debugfs/number.c */
void pool_debugfs_number(struct dentry *dir, struct pool *pool);

/* debugfs/validate.c */
void pool_debugfs_validate(struct dentry *dir, struct pool *pool);

/*
 * shrinker.c; pool_reclaimable_count(): process context.  Reports the unused pages of pools to the
 * kernel; returns whether their number has changed.
 */
bool pool_reclaimable_count(void);
int pool_shrinker_init(void);
void pool_shrinker_exit(void);

/* age.c; pool_age_wake(): any context that may allocate */
int pool_age_init(void);
void pool_age_exit(void);
void pool_age_wake(void);

/* wait.c */
void pool_wait_init(void);
void pool_wait_exit(void);

/* owner.c */
int pool_owner_init(void);
void pool_owner_exit(void);

/* debugfs/debugfs.c */
void pool_debugfs_init(void);
void pool_debugfs_exit(void);

#endif /* POOL_MAIN_H */
