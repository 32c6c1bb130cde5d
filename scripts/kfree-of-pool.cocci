// SPDX-License-Identifier: GPL-2.0-only OR MIT
//
// kfree-of-pool.cocci - finds kfree() and its like of what came from a pool
//
//	spatch -D report --very-quiet --no-show-diff --cocci-file kfree-of-pool.cocci --dir FOLDER
//
// kfree() takes such an object: it goes back to the slab, and the pool counts it for ever.  The
// rule follows a variable or a member within a function.
//
// Confidence: Moderate

virtual report

@pooled exists@
expression obj, to;
position at;
@@

(
 obj = \(pool_alloc\|pool_zalloc\|pool_alloc_nocache\|pool_alloc_timeout\|pool_alloc_gfp\|pool_alloc_node\|__pool_alloc\)(...)
)
 ... when != obj = to
(
 \(kfree\|kvfree\|kfree_sensitive\|kfree_const\)(obj)@at
|
 \(kfree_rcu\|kfree_rcu_mightsleep\|kvfree_rcu\|kvfree_rcu_mightsleep\)(obj, ...)@at
|
 \(kfree_rcu\|kfree_rcu_mightsleep\|kvfree_rcu\|kvfree_rcu_mightsleep\)(obj)@at
|
 kmem_cache_free(..., obj)@at
)

@script:python depends on report@
at << pooled.at;
obj << pooled.obj;
@@

coccilib.report.print_report(at[0], "%s is of a pool: pool_free() frees it" % obj)
