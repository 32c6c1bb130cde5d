// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * lines.c - how many cache lines move between CPUs: a plugin of QEMU
 *
 * Layer:   tests; built and loaded by contention.sh.
 * Context: several threads, one per virtual CPU.
 *
 * Each line of kernel memory has a set of CPUs that have it.  A CPU that reads a line joins the
 * set; a CPU that writes to it stays alone.  A line moves when a CPU that is not in the set reads
 * it, or when a CPU writes to it while another CPU is in the set.  It moves far when it has to come
 * from the other socket, or be taken away there.  Caches never evict, and lines that no CPU has
 * come from memory, which is no move.  So the model counts what CPUs do to each other, and no time.
 *
 * Lines are followed during a run.  Only accesses between a CPU's marks are counted: lines_mark.h.
 * Each run leaves a row: instructions, lines moved, lines moved far.
 *
 *	-plugin lines.so,out=FILE,near=CPUS	the first CPUS CPUs are the first socket
 *
 * The declarations are those of QEMU 7.2, whose header Debian has in no package.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../bench/kernel/lines_mark.h"

#define CPUS_MAX	32
#define LINES_BITS	23
#define LINES		(1ul << LINES_BITS)
#define LINE_SHIFT	6
#define TAG_SHIFT	40

#define FOR_QEMU	__attribute__((__visibility__("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;

enum { NO_REGS = 0, READ_AND_WRITE = 3 };

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
					   void (*call)(uint64_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
					  void (*call)(unsigned int cpu, void *data),
					  int regs, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*call)(unsigned int cpu, void *data),
					    int regs, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
				      void (*call)(unsigned int cpu, uint32_t info,
						   uint64_t address, void *data),
				      int regs, int which, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
bool qemu_plugin_mem_is_store(uint32_t info);

FOR_QEMU int qemu_plugin_version = 1;
FOR_QEMU int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);

/* A cache line: its tag, and a bit for each CPU that has it. */
static _Atomic uint64_t *lines;
static uint32_t near_mask = ~0u;
static FILE *out;
static atomic_bool running;

/* Written by the CPU itself only; one line each. */
static struct count {
	bool on;
	uint64_t insns;
	uint64_t moved;
	uint64_t far;
} count[CPUS_MAX] __attribute__((__aligned__(64)));

static uint32_t socket_of(uint32_t self)
{
	return self & near_mask ? near_mask : ~near_mask;
}

static void on_memory(unsigned int cpu, uint32_t info, uint64_t address, void *data)
{
	uint64_t line = address >> LINE_SHIFT;
	uint64_t tag = (line >> LINES_BITS) << TAG_SHIFT;
	_Atomic uint64_t *word = &lines[line % LINES];
	uint32_t self = 1u << cpu, have, others;
	uint64_t old, new;
	bool far;

	if (!atomic_load_explicit(&running, memory_order_relaxed))
		return;
	old = atomic_load_explicit(word, memory_order_relaxed);
	do {
		have = old >> TAG_SHIFT == tag >> TAG_SHIFT ? (uint32_t)old : 0;
		if (qemu_plugin_mem_is_store(info)) {
			others = have & ~self;
			far = others & ~socket_of(self);
			new = tag | self;
		} else {
			others = have & self ? 0 : have;
			far = others && !(others & socket_of(self));
			new = tag | have | self;
		}
		if (new == old)
			return;
	} while (!atomic_compare_exchange_weak_explicit(word, &old, new, memory_order_relaxed,
							memory_order_relaxed));
	if (!count[cpu].on)
		return;
	count[cpu].moved += others != 0;
	count[cpu].far += far;
}

static void on_block(unsigned int cpu, void *data)
{
	if (count[cpu].on)
		count[cpu].insns += (uintptr_t)data;
}

static void write_row(void)
{
	struct count sum = { 0 };
	unsigned int i;

	for (i = 0; i < CPUS_MAX; i++) {
		sum.insns += count[i].insns;
		sum.moved += count[i].moved;
		sum.far += count[i].far;
	}
	fprintf(out, "%llu %llu %llu\n", (unsigned long long)sum.insns,
		(unsigned long long)sum.moved, (unsigned long long)sum.far);
	fflush(out);
}

/* The guest begins and ends runs while none of its CPUs is between marks. */
static void on_mark(unsigned int cpu, void *data)
{
	switch ((uintptr_t)data) {
	case LINES_MARK_BEGIN:
		memset(count, 0, sizeof(count));
		memset(lines, 0, LINES * sizeof(*lines));
		running = true;
		break;
	case LINES_MARK_END:
		running = false;
		write_row();
		break;
	case LINES_MARK_ON:
		count[cpu].on = true;
		break;
	default:
		count[cpu].on = false;
	}
}

/* Returns the mark that this instruction is, or LINES_MARKS if it is none. */
static unsigned int mark_of(const struct qemu_plugin_insn *insn)
{
	const unsigned char *code = qemu_plugin_insn_data(insn);
	unsigned int n;

	if (qemu_plugin_insn_size(insn) != LINES_MARK_BYTES)
		return LINES_MARKS;
	for (n = 0; n < LINES_MARKS; n++) {
		const unsigned char mark[] = { LINES_MARK_CODE(n) };

		if (!memcmp(code, mark, sizeof(mark)))
			break;
	}
	return n;
}

static void on_translation(uint64_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb), i;

	/* Skip instructions of programs. */
	if (!(qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0)) >> 63))
		return;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, NO_REGS, (void *)n);
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		unsigned int mark = mark_of(insn);

		if (mark < LINES_MARKS)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, NO_REGS,
							       (void *)(uintptr_t)mark);
		else
			qemu_plugin_register_vcpu_mem_cb(insn, on_memory, NO_REGS,
							 READ_AND_WRITE, NULL);
	}
}

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	int i;

	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4))
			out = fopen(argv[i] + 4, "w");
		else if (!strncmp(argv[i], "near=", 5))
			near_mask = (1u << atoi(argv[i] + 5)) - 1;
	}
	lines = calloc(LINES, sizeof(*lines));
	if (!out || !lines)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	return 0;
}
