// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dump_memory.c - what memory the library uses, in all formats of dumps
 *
 * Layer:   above the platform; called by dump_*.c.
 * Context: dump mutex held.
 */
#include "seam/plat.h"
#include "dump.h"

/* Names, in the order of enum plat_memory. */
static const char *const names[PLAT_MEMORY_KINDS] = {
	"reserved", "accessible", "in_use", "objects", "free_pages", "kept", "large",
	"guarded", "areas", "descriptors", "tables",
};

/* Return the bytes of memory, without addresses. */
unsigned long long pool_dump_resident(const struct pool_dump_memory *m)
{
	unsigned long long sum = 0;
	unsigned int i;

	for (i = PLAT_MEMORY_OBJECTS; i < PLAT_MEMORY_KINDS; i++)
		sum += m->bytes[i];
	return sum;
}

static void put_kinds(struct pool_dump *d, const unsigned long long *bytes,
		      unsigned int from, unsigned int to, const char *const *around)
{
	unsigned int i;

	for (i = from; i < to; i++) {
		pool_dump_put(d, around[0]);
		pool_dump_put(d, names[i]);
		pool_dump_put(d, around[1]);
		pool_dump_number(d, bytes[i]);
		pool_dump_put(d, around[2]);
	}
}

static const char *const in_raw[] = { " ", "=", "" };
static const char *const in_json[] = { ",\"", "\":", "" };

void pool_dump_memory_raw(struct pool_dump *d)
{
	if (d->memory.known)
		put_kinds(d, d->memory.bytes, 0, PLAT_MEMORY_KINDS, in_raw);
}

void pool_dump_memory_json(struct pool_dump *d)
{
	if (!d->memory.known)
		return;
	pool_dump_put(d, ",\n\"memory\":{\"resident\":");
	pool_dump_number(d, pool_dump_resident(&d->memory));
	put_kinds(d, d->memory.bytes, 0, PLAT_MEMORY_KINDS, in_json);
	pool_dump_put(d, "}");
}

/* Write the list of classes behind the list of pools; the tail of the dump ends the list. */
void pool_dump_classes_json(struct pool_dump *d)
{
	unsigned long long bytes[PLAT_MEMORY_KINDS];
	unsigned int i, stride;

	for (i = 1; d->memory.known && (stride = plat_memory(i, bytes)); i++) {
		pool_dump_put(d, i == 1 ? "],\n\"classes\":[\n{\"stride\":" : ",\n{\"stride\":");
		pool_dump_number(d, stride);
		put_kinds(d, bytes, PLAT_MEMORY_IN_USE, PLAT_MEMORY_KEPT, in_json);
		pool_dump_put(d, "}");
		pool_dump_commit(d);
	}
}

static const char *const in_metric[] = { "libpool_memory_bytes{kind=\"", "\"} ", "\n" };

static const char *const in_slabs[] = { "libpool_slab_bytes{kind=\"", "\"} ", "\n" };

void pool_dump_memory_prometheus(struct pool_dump *d)
{
	if (!d->memory.known)
		return;
	pool_dump_put(d, "# HELP libpool_memory_bytes Memory, by what it is for.\n"
		      "# TYPE libpool_memory_bytes gauge\n");
	put_kinds(d, d->memory.bytes, PLAT_MEMORY_OBJECTS, PLAT_MEMORY_KINDS, in_metric);
	pool_dump_put(d, "# HELP libpool_slab_bytes Addresses of slabs.\n"
		      "# TYPE libpool_slab_bytes gauge\n");
	put_kinds(d, d->memory.bytes, 0, PLAT_MEMORY_OBJECTS, in_slabs);
}

/* Write the samples of all classes as one metric. */
void pool_dump_classes_prometheus(struct pool_dump *d)
{
	unsigned long long bytes[PLAT_MEMORY_KINDS];
	char before[64];
	const char *const around[] = { before, "\"} ", "\n" };
	unsigned int i, stride;

	for (i = 1; d->memory.known && (stride = plat_memory(i, bytes)); i++) {
		if (i == 1)
			pool_dump_put(d, "# HELP libpool_class_bytes Slabs, by stride.\n"
				      "# TYPE libpool_class_bytes gauge\n");
		snprintf(before, sizeof(before), "libpool_class_bytes{stride=\"%u\",kind=\"",
			 stride);
		put_kinds(d, bytes, PLAT_MEMORY_IN_USE, PLAT_MEMORY_KEPT, around);
		pool_dump_commit(d);
	}
}

/* Return the name of a kind of memory; NULL: there is no such kind. */
const char *pool_dump_memory_name(unsigned int kind)
{
	return kind < PLAT_MEMORY_KINDS ? names[kind] : NULL;
}
