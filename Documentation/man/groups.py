# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Public headers, and public names in groups: a page of the manual, a section of the list.

A function that is in no group is an error.
"""

HEADERS = ("pool.h", "pool_attr.h", "pool_bulk.h", "pool_memory.h", "pool_debug.h",
           "pool_stats.h", "pool_memstats.h")


class Group:
    """A page of section 3: its title, its names, comments that belong to it."""

    def __init__(self, title, names, structs=(), comments=()):
        self.title = title
        self.names = names.split()
        self.structs = structs
        self.comments = comments


GROUPS = (
    Group("make and end pools",
          "create_pool create_aligned_pool create_pool_ext pool_create_at pool_create_ext_at "
          "pool_destroy pool_destroy_all pool_destroy_of pool_destroy_owned pool_create_devm_at",
          ("pool_attr",)),
    Group("declare pools, which are there before main()",
          "DECLARE_POOL DECLARE_STATIC_POOL REGISTER_POOL DECLARE_ALIGNED_POOL "
          "DECLARE_STATIC_ALIGNED_POOL REGISTER_ALIGNED_POOL DECLARE_TYPED_POOL "
          "DECLARE_STATIC_TYPED_POOL REGISTER_TYPED_POOL DECLARE_UNSHARED_POOL "
          "DECLARE_STATIC_UNSHARED_POOL REGISTER_UNSHARED_POOL pool_declare_failed "
          "pool_register_declared pool_release_declared",
          comments=(("pool_attr.h", "Declared pools"),)),
    Group("limit a pool, and keep spare objects", "pool_set_limit pool_set_min_avail"),
    Group("allocate and free objects of pools",
          "pool_alloc pool_zalloc __pool_alloc pool_alloc_timeout pool_alloc_nocache "
          "pool_alloc_gfp pool_alloc_node pool_free __pool_free pool_free_rcu "
          "pool_mempool_alloc pool_mempool_free", ("pool_rcu",)),
    Group("allocate and free many objects at once", "pool_alloc_bulk pool_alloc_bulk_some pool_free_bulk"),
    Group("objects put aside, for allocations that must not fail",
          "pool_reserve pool_alloc_reserved pool_alloc_reserved_timeout "
          "pool_free_reserved pool_unreserve"),
    Group("give unused memory of pools back",
          "pool_gc pool_flush pool_reclaim pool_reclaim_signal pool_thread_idle "
          "pool_set_hot_size pool_shrink pool_age pool_age_start pool_age_stop "
          "pool_pressure_start pool_pressure_stop"),
    Group("options of pools",
          "pool_configure pool_parse_debugging pool_set_debug pool_debug_to_buf "
          "pool_debug_help_to_buf pool_debugging pool_starting"),
    Group("get the lines that libpool logs", "pool_set_log"),
    Group("numbers of pools",
          "pool_stats_get pool_for_each pool_total_allocated pool_total_used "
          "pool_total_failures", ("pool_stats",)),
    Group("write the state of pools as a text",
          "dump_pools dump_pools_to_buf dump_pools_to_trash pool_trash pool_sigquit_start "
          "pool_sigquit_stop"),
    Group("offer pools on a socket, for poolctl", "pool_ctl_start pool_ctl_stop"),
    Group("which code allocates and frees", "pool_memstats_to_buf",
          comments=(("pool_memstats.h", "Calls of a pool are counted"),)),
    Group("what macros and inline functions of pool.h call; not for direct use",
          "pool_alloc_slow pool_free_slow pool_refuse_zero pool_thread_area pool_decls_get "
          "pool_decl_put pool_register_declared_of pool_release_declared_of pool_mem_register "
          "pool_mem_unregister pool_mem_malloc pool_mem_calloc pool_mem_realloc "
          "pool_mem_strdup pool_mem_strndup pool_mem_free"),
)
VARIABLES = {"pool_debugging": "extern unsigned int pool_debugging",
             "pool_thread_area": "extern __thread unsigned char *pool_thread_area"}

# What users call, and what it calls, which has the description of both.
DESCRIBED_BY = {"create_pool": "pool_create_at", "create_pool_ext": "pool_create_ext_at",
                "create_aligned_pool": "pool_create_at", "pool_destroy": "pool_destroy_of",
                "pool_destroy_all": "pool_destroy_owned",
                "pool_register_declared": "pool_register_declared_of",
                "pool_release_declared": "pool_release_declared_of"}


def check(headers):
    """End with a reason if a described name is in no group."""
    grouped = [name for group in GROUPS for name in (*group.names, *group.structs)]
    lost = sorted(set(headers.kernel_docs) - set(grouped) - {"pool_head"})
    if lost:
        raise SystemExit(f"man.py: GROUPS has no page for {' '.join(lost)}")
