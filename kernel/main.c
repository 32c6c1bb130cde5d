// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - pool.ko's load and unload: parameters, and the order of steps
 *
 * Layer:   above the seam; twin of user/main.c.
 * Context: module load and unload.  Modules that use an exported function keep
 *	    this one loaded.  The pools that they left behind end at unload.
 *
 * The exported functions are listed in exports.c.
 */
#include "seam/plat.h"
#include "main.h"

#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/rcupdate.h>

/* The value of a parameter that was not given. */
#define DEFAULT	"default"

static char *debug = "";
module_param(debug, charp, 0444);
MODULE_PARM_DESC(debug, "Options of new pools, separated by commas: help" POOL_WORDS_TEXT
		 "; opposites, key=value: /sys/kernel/debug/pool/help has all");

static char *max_cached = DEFAULT;
module_param(max_cached, charp, 0444);
MODULE_PARM_DESC(max_cached, "Bytes that all CPUs may cache, 0 to 1g, 0: any; k, m and g are understood");

static char *hot_size = DEFAULT;
module_param(hot_size, charp, 0444);
MODULE_PARM_DESC(hot_size, "Bytes that each CPU may cache, 0 to 1g; k, m and g are understood");

static char *buckets = DEFAULT;
module_param(buckets, charp, 0444);
MODULE_PARM_DESC(buckets, "Lists of a shared pool, a power of two up to 64, or 32 on 32-bit machines (by number of CPUs)");

static char *cluster = DEFAULT;
module_param(cluster, charp, 0444);
MODULE_PARM_DESC(cluster, "Most objects that move at once, 1 to " __stringify(POOL_CLUSTER_SIZE));

static char *faults = DEFAULT;
module_param(faults, charp, 0444);
MODULE_PARM_DESC(faults, "What to do about faults that are found: warn, continue or panic (warn)");

static char *fail_alloc = DEFAULT;
module_param(fail_alloc, charp, 0444);
MODULE_PARM_DESC(fail_alloc, "Percent of allocations that fail on purpose, 0 to 100; above 0 sets fail");

static char *poison = DEFAULT;
module_param(poison, charp, 0444);
MODULE_PARM_DESC(poison, "Byte that objects are filled with, 0 to 255 or 0x...; sets poison");

static char *uaf_keep = DEFAULT;
module_param(uaf_keep, charp, 0444);
MODULE_PARM_DESC(uaf_keep, "Bytes of addresses that uaf does not use again, 0 to 1g (64m)");

static const struct {
	const char *key;
	char **value;
} values[] = {
	{ "hot_size", &hot_size },
	{ "max_cached", &max_cached },
	{ "buckets", &buckets },
	{ "cluster", &cluster },
	{ "faults", &faults },
	{ "fail_alloc", &fail_alloc },
	{ "poison", &poison },
	{ "uaf_keep", &uaf_keep },
};

/* Set an option to a parameter's value.  Refuses a comma, which would set other options, too. */
static int set_value(const char *key, const char *value)
{
	char item[64];

	if (!strcmp(value, DEFAULT))
		return 0;
	if (strchr(value, ',') ||
	    snprintf(item, sizeof(item), "%s=%s", key, value) >= (int)sizeof(item)) {
		plat_log(PLAT_ERR, "parameter %s: not one value: \"%.48s\"",
			 key, value);
		return -EINVAL;
	}
	return pool_options_set(item, "parameter", true) ? 0 : -EINVAL;
}

static int set_options(void)
{
	int ret = 0;
	size_t i;

	pool_options_start(&(struct pool_start){
		.debug = pool_tools_options(),
		.cpus = num_possible_cpus(),
		.page = PAGE_SIZE,
		.nodes = nr_node_ids,
	});
	if (!pool_options_set(debug, "parameter debug", true))
		ret = -EINVAL;
	for (i = 0; i < ARRAY_SIZE(values); i++)
		if (set_value(values[i].key, *values[i].value))
			ret = -EINVAL;
	return ret;
}

/*
 * True if a wrong parameter stops the load.  Built in it does not: the other parameters apply, as
 * with parameters of the kernel itself.
 */
static bool is_fatal(int ret)
{
	return ret && (ret != -EINVAL || __is_defined(MODULE));
}

static int __init pool_init(void)
{
	int ret = set_options();

	if (is_fatal(ret))
		return ret;
	ret = plat_init();
	if (ret)
		return ret;
	ret = pool_hotplug_init();
	if (ret)
		goto exit_plat;
	ret = pool_owner_init();
	if (ret)
		goto exit_hotplug;
	ret = pool_shrinker_init();
	if (ret)
		goto exit_owner;
	ret = pool_age_init();
	if (is_fatal(ret))
		goto exit_shrinker;
	pool_debugfs_init();
	return 0;

exit_shrinker:
	pool_shrinker_exit();
exit_owner:
	pool_owner_exit();
exit_hotplug:
	pool_hotplug_exit();
exit_plat:
	plat_exit();
	return ret;
}

static void __exit pool_exit(void)
{
	/* The callbacks of pool_free_rcu() are code of this module. */
	rcu_barrier();
	pool_debugfs_exit();
	pool_owner_exit();
	pool_hotplug_exit();
	pool_age_exit();
	pool_shrinker_exit();
	pool_destroy_every();
	pool_gone_free_all();
	pool_profile_end();
	plat_exit();
}

/* When built in, run before the initcalls of users; in a module this is module_init(). */
subsys_initcall(pool_init);
module_exit(pool_exit);

MODULE_DESCRIPTION("Fixed-size object pools with per-CPU caches");
MODULE_AUTHOR("The libpool authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(POOL_VERSION);
