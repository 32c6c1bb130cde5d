// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * collect.c - the files of all processes of a command
 *
 * Layer:   pooltrace, between pooltrace.c and convert.c.
 * Context: one thread.
 */
#include "collect.h"
#include "convert.h"

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of all files of a folder. */
struct files {
	struct raw *raw;
	size_t count;
	size_t room;
};

static bool good_head(const struct raw *raw)
{
	return raw->len >= RAW_RECORDS &&
	       __atomic_load_n(&raw->head->magic, __ATOMIC_ACQUIRE) == RAW_MAGIC;
}

/* A process that still runs may add to it, which is left out. */
static bool map_file(struct raw *raw, int fd)
{
	struct stat st;
	uint64_t room;
	void *p;

	if (fstat(fd, &st) || !st.st_size)
		return false;
	raw->len = (size_t)st.st_size;
	p = mmap(NULL, raw->len, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return false;
	raw->head = p;
	if (!good_head(raw)) {
		munmap(p, raw->len);
		return false;
	}
	raw->record = (const void *)((const char *)p + RAW_RECORDS);
	raw->records = __atomic_load_n(&raw->head->next, __ATOMIC_ACQUIRE);
	room = (raw->len - RAW_RECORDS) / sizeof(*raw->record);
	if (raw->records > raw->head->limit)
		raw->records = raw->head->limit;
	if (raw->records > room)
		raw->records = room;
	return true;
}

static void add_file(struct files *files, int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	struct raw raw = { .head = NULL };

	if (fd >= 0)
		errno = 0;
	if (fd < 0 || !map_file(&raw, fd)) {
		warnx("%s: nothing was recorded: %s", name, errno ? strerror(errno) :
		      "the process ended too early");
	} else {
		if (files->count == files->room) {
			files->room = files->room ? files->room * 2 : 16;
			files->raw = reallocarray(files->raw, files->room, sizeof(raw));
			if (!files->raw)
				err(2, "memory for %zu processes", files->room);
		}
		files->raw[files->count++] = raw;
	}
	if (fd >= 0)
		close(fd);
}

/* For each name in the folder. */
static void visit(const char *dir, struct files *files)
{
	DIR *d = opendir(dir);
	struct dirent *entry;

	if (!d)
		err(2, "%s", dir);
	while ((entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		if (files)
			add_file(files, dirfd(d), entry->d_name);
		else
			unlinkat(dirfd(d), entry->d_name, 0);
	}
	closedir(d);
}

static int by_start(const void *a, const void *b)
{
	uint64_t one = ((const struct raw *)a)->head->start;
	uint64_t other = ((const struct raw *)b)->head->start;

	return (one > other) - (one < other);
}

static bool lacks_room(const struct raw *raw)
{
	return raw->head->stop == RAW_NO_ROOM;
}

static const char *why_no_room(const struct raw *raw)
{
	return lacks_room(raw) ? strerror((int)raw->head->stop_errno) : "";
}

/* Clean bytes of a head, which the traced program may have written. */
static const char *program_of(const struct raw *raw, char name[RAW_NAME_MAX + 1])
{
	char *at;

	snprintf(name, RAW_NAME_MAX + 1, "%.*s", RAW_NAME_MAX, raw->head->program);
	for (at = name; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	return name;
}

static void say(const char *name, const struct raw *raw, const struct converted *done)
{
	const struct raw_head *head = raw->head;
	char program[RAW_NAME_MAX + 1];

	fprintf(stderr, "pooltrace: %s: %llu event%s of %s, process %u%s%s%s\n", name,
		(unsigned long long)done->events, done->events == 1 ? "" : "s",
		program_of(raw, program), head->pid,
		head->stop == RAW_LIMIT ? ", stopped at the limit" :
		lacks_room(raw) ? ", stopped for lack of room: " : "", why_no_room(raw),
		done->cut ? ", stopped: too many sizes and call sites" : "");
}

/* The n-th trace; @number goes on only if one was written. */
static bool convert_one(const struct raw *raw, const char *file, unsigned int *number)
{
	char program[RAW_NAME_MAX + 1];
	struct converted done;
	char *name;
	bool good;

	if (*number == 1 ? asprintf(&name, "%s", file) < 0 :
			   asprintf(&name, "%s.%u", file, *number) < 0)
		err(2, "memory");
	good = convert(raw, name, &done);
	if (!good) {
		warn("%s", name);
	} else if (!done.allocs) {
		fprintf(stderr, "pooltrace: no events of %s, process %u%s%s\n",
			program_of(raw, program), raw->head->pid,
			lacks_room(raw) ? ": " : "", why_no_room(raw));
	} else {
		say(name, raw, &done);
		++*number;
	}
	free(name);
	return good;
}

bool collect(const char *dir, const char *file)
{
	struct files files = { .raw = NULL };
	bool good = true, whole = true;
	unsigned int number = 1;
	size_t i;

	visit(dir, &files);
	if (files.count)
		qsort(files.raw, files.count, sizeof(*files.raw), by_start);
	for (i = 0; i < files.count; i++) {
		whole = whole && !lacks_room(&files.raw[i]);
		good = convert_one(&files.raw[i], file, &number) && good;
		munmap((void *)files.raw[i].head, files.raw[i].len);
	}
	free(files.raw);
	if (number == 1 && good) {
		warnx("nothing was recorded: is the command a static program, or set-user-ID?");
		return false;
	}
	return good && whole;
}

void remove_folder(const char *dir)
{
	visit(dir, NULL);
	if (rmdir(dir))
		warn("%s", dir);
}
