// SPDX-License-Identifier: GPL-2.0-only
/*
 * exports.c - the symbols that pool.ko exports; twin of user/libpool.map
 *
 * Layer:   none, a list.
 * Context: compile time.
 *
 * Users import the namespace LIBPOOL.  The tests, which are modules of their own, also
 * import LIBPOOL_TEST.  Only a pool.ko that is built with them exports that.
 */
#include "seam/plat.h"
#include "show/dump.h"
#include "show/validate.h"
#include "debug/profile.h"
#include "options/options.h"
#include "compat.h"
#include "main.h"

POOL_EXPORT(pool_create_at);
POOL_EXPORT(pool_create_ext_at);
POOL_EXPORT(pool_set_limit_owned);
POOL_EXPORT(pool_set_min_avail_owned);
POOL_EXPORT(pool_destroy_of);
POOL_EXPORT(pool_destroy_owned);
POOL_EXPORT(pool_alloc_slow);
POOL_EXPORT(pool_free_slow);
POOL_EXPORT(pool_alloc_nocache);
POOL_EXPORT(pool_refuse_zero);
POOL_EXPORT(pool_alloc_bulk);
POOL_EXPORT(pool_alloc_bulk_some);
POOL_EXPORT(pool_free_bulk);
POOL_EXPORT(pool_reserve);
POOL_EXPORT(pool_alloc_reserved);
POOL_EXPORT(pool_alloc_reserved_timeout);
POOL_EXPORT(pool_free_reserved);
POOL_EXPORT(pool_unreserve);
POOL_EXPORT(pool_alloc_gfp);
POOL_EXPORT(pool_alloc_node);
POOL_EXPORT(pool_free_rcu);
POOL_EXPORT(pool_mempool_alloc);
POOL_EXPORT(pool_mempool_free);
POOL_EXPORT(pool_create_devm_at);
POOL_EXPORT(pool_alloc_timeout);
POOL_EXPORT(pool_decl_ops);
POOL_EXPORT(pool_register_declared_of);
POOL_EXPORT(pool_release_declared_of);
POOL_EXPORT(__pool_alloc);
POOL_EXPORT(pool_alloc);
POOL_EXPORT(pool_zalloc);
POOL_EXPORT(__pool_free);
POOL_EXPORT(pool_free);
POOL_EXPORT(pool_flush);
POOL_EXPORT(pool_gc);
POOL_EXPORT(pool_reclaim);
POOL_EXPORT(pool_shrink);
POOL_EXPORT(pool_age);
POOL_EXPORT(pool_debugging);
POOL_EXPORT(pool_set_debug_owned);
POOL_EXPORT(pool_debug_to_buf);
POOL_EXPORT(pool_debug_help_to_buf);
POOL_EXPORT(dump_pools);
POOL_EXPORT(dump_pools_to_buf);
POOL_EXPORT(dump_pools_to_trash);
POOL_EXPORT(pool_trash);
POOL_EXPORT(pool_stats_get);
POOL_EXPORT(pool_for_each);
POOL_EXPORT(pool_memstats_to_buf);
POOL_EXPORT(pool_total_failures);
POOL_EXPORT(pool_total_allocated);
POOL_EXPORT(pool_total_used);
#ifdef CONFIG_LOCKDEP
POOL_EXPORT(pool_array_map);
#endif

/* In a kernel's tree its configuration says whether there are tests, else Kbuild. */
#if defined(POOL_TESTS) || defined(CONFIG_POOL_KUNIT_TEST_MODULE)

/* These change the pools of all modules, so modules have parameters and debugfs instead. */
POOL_EXPORT_TEST(pool_set_limit);
POOL_EXPORT_TEST(pool_set_min_avail);
POOL_EXPORT_TEST(pool_set_hot_size);
POOL_EXPORT_TEST(pool_configure);
POOL_EXPORT_TEST(pool_parse_debugging);
POOL_EXPORT_TEST(pool_set_debug);

/* pool_impl.h */
POOL_EXPORT_TEST(pool_options);
POOL_EXPORT_TEST(pool_options_built);
POOL_EXPORT_TEST(pool_serial);
POOL_EXPORT_TEST(pool_buckets_for);
POOL_EXPORT_TEST(pool_here_begins);
POOL_EXPORT_TEST(pool_check_free);
POOL_EXPORT_TEST(pool_cluster_get);
POOL_EXPORT_TEST(pool_cluster_get_one);
POOL_EXPORT_TEST(pool_cluster_max);
POOL_EXPORT_TEST(pool_cluster_detach);
POOL_EXPORT_TEST(pool_cluster_settled);
POOL_EXPORT_TEST(pool_cluster_put);
POOL_EXPORT_TEST(pool_cluster_stash_all);
POOL_EXPORT_TEST(pool_spares_lacking);
POOL_EXPORT_TEST(pool_age_prepare);
POOL_EXPORT_TEST(pool_age_array);
POOL_EXPORT_TEST(pool_refill_local_from_shared);
POOL_EXPORT_TEST(pool_put_to_shared_cache);
POOL_EXPORT_TEST(pool_shared_get_one);
POOL_EXPORT_TEST(pool_shared_put_one);
POOL_EXPORT_TEST(pool_pass_give);
POOL_EXPORT_TEST(pool_pass_next);
POOL_EXPORT_TEST(pool_park);
POOL_EXPORT_TEST(pool_unpark_all);
POOL_EXPORT_TEST(pool_backend_put);
POOL_EXPORT_TEST(pool_backend_put_cluster);
POOL_EXPORT_TEST(pool_allocated);
POOL_EXPORT_TEST(pool_shared_count);
POOL_EXPORT_TEST(pool_fail_every);
POOL_EXPORT_TEST(pool_put_cluster_below);
POOL_EXPORT_TEST(pool_registry_next);
POOL_EXPORT_TEST(pool_registry_put);
POOL_EXPORT_TEST(pool_registry_drop);
POOL_EXPORT_TEST(pool_destroy_every);
POOL_EXPORT_TEST(pool_owner_gone);
POOL_EXPORT_TEST(pool_take_remote);
POOL_EXPORT_TEST(pool_cluster_trim);
POOL_EXPORT_TEST(pool_drain_stashes);
POOL_EXPORT_TEST(pool_shrink_bytes);
POOL_EXPORT_TEST(pool_bound);
POOL_EXPORT_TEST(pool_bound_fit);
POOL_EXPORT_TEST(pool_clustered_bytes);
POOL_EXPORT_TEST(pool_unused_bytes);
POOL_EXPORT_TEST(pool_reach_read);
POOL_EXPORT_TEST(pool_reach_missed);
POOL_EXPORT_TEST(pool_used_up);
POOL_EXPORT_TEST(pool_wake);
POOL_EXPORT_TEST(pool_hot_set_cap);
POOL_EXPORT_TEST(pool_cpu_init);
POOL_EXPORT_TEST(pool_cpu_gone);
POOL_EXPORT_TEST(pool_drain_parked);
POOL_EXPORT_TEST(pool_sum);
POOL_EXPORT_TEST(pool_mem_stats);
POOL_EXPORT_TEST(pool_profile_ready);
POOL_EXPORT_TEST(pool_profile_read);
POOL_EXPORT_TEST(pool_profile_end);
POOL_EXPORT_TEST(pool_profile_alloc);
POOL_EXPORT_TEST(pool_profile_free);
POOL_EXPORT_TEST(pool_copy_name);
POOL_EXPORT_TEST(pool_create_declared);
POOL_EXPORT_TEST(pool_destroy_declared);
POOL_EXPORT_TEST(pool_rounded);
POOL_EXPORT_TEST(pool_show_name);
POOL_EXPORT_TEST(pool_options_set);
POOL_EXPORT_TEST(pool_option_table);
POOL_EXPORT_TEST(pool_keys);
POOL_EXPORT_TEST(pool_layout_of);
POOL_EXPORT_TEST(pool_pattern_check);
POOL_EXPORT_TEST(pool_state_around);
POOL_EXPORT_TEST(pool_switch);
POOL_EXPORT_TEST(pool_dump_columns);
POOL_EXPORT_TEST(pool_validate);

/* The seam's cold half, and symbols that its hot half refers to. */
POOL_EXPORT_TEST(plat_cpus);
POOL_EXPORT_TEST(plat_locking);
POOL_EXPORT_TEST(plat_closed);
POOL_EXPORT_TEST(plat_local_make);
POOL_EXPORT_TEST(plat_mutex_lock);
POOL_EXPORT_TEST(plat_mutex_unlock);
POOL_EXPORT_TEST(plat_mem_alloc);
POOL_EXPORT_TEST(plat_mem_free);
POOL_EXPORT_TEST(plat_backend_create);
POOL_EXPORT_TEST(plat_backend_destroy);
POOL_EXPORT_TEST(plat_backend_alloc);
POOL_EXPORT_TEST(plat_backend_free);
POOL_EXPORT_TEST(plat_guard_check);
POOL_EXPORT_TEST(pool_guard_kept);
POOL_EXPORT_TEST(plat_peek);
POOL_EXPORT_TEST(pool_reclaimer);
POOL_EXPORT_TEST(plat_empty_arrays);
POOL_EXPORT_TEST(pool_empty_array);
POOL_EXPORT_TEST(plat_pause);
POOL_EXPORT_TEST(plat_resched);
POOL_EXPORT_TEST(plat_wait);
POOL_EXPORT_TEST(pool_start);
POOL_EXPORT_TEST(plat_symbol);
POOL_EXPORT_TEST(plat_policies);

#endif
