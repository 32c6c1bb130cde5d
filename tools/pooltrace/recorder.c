// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * recorder.c - writes down allocations and frees, in the traced process
 *
 * Layer:   the preload library, below interpose.c; above site.c.
 * Context: any in which a program may call malloc(); allocates nothing.  Takes no lock but that of
 *	    the loader, for a call site that is new and --skip: site.c.
 *
 * All threads share one file, and one counter gives each event its place in it.  An
 * allocation takes its place after the allocator has returned, a free takes one before
 * the allocator is called.  So where one thread frees an address that another one gets,
 * the places have that order.  Clocks of two CPUs do not promise that, and neither do
 * files per thread that are merged by them.  Buffers of threads would lose what is not yet
 * written when the process is killed.  The price is a line that all threads write to.
 *
 * The state is in a page that the kernel clears in the child of a fork(), and the file is
 * not mapped there.  So a child begins a file of its own at its first event, and that
 * holds for children of clone() and _Fork(), too.
 */
#include "recorder.h"
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* The file grows in advance, so that a full disk is an error and no SIGBUS. */
#define GROW_LEAST	((uint64_t)1 << 16)
#define GROW_MOST	((uint64_t)1 << 20)

enum phase {
	PHASE_NEW,
	PHASE_BEGINS,
	PHASE_ON,
	PHASE_OFF,
};

/* The page that a fork() clears. */
struct page {
	unsigned int phase;		/* enum phase */
	struct state state;
};

static struct page *page;

/* Of a thread.  @of: the process that gave it the number. */
static __thread struct {
	uint32_t of;
	uint16_t number;
} self __attribute__((tls_model("initial-exec")));

/*
 * The program may have closed its standard error, and a file of its data has the number
 * now.  pooltrace keeps its own open, so no other file becomes that one.
 */
static bool stderr_is_pooltraces(void)
{
	const char *wanted = getenv(RAW_ENV_STDERR);
	char name[RAW_FILE_MAX];

	return wanted && raw_file_name(name, STDERR_FILENO) && !strcmp(name, wanted);
}

/* Tell pooltrace that this process is not recorded. */
static void report(void)
{
	const char *name = getenv(RAW_ENV_SOCKET);
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t len = name ? strlen(name) : 0;
	int fd;

	if (!len || len >= sizeof(to.sun_path) - 1)
		return;
	memcpy(to.sun_path + 1, name, len);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return;
	sendto(fd, "", 0, MSG_NOSIGNAL, (struct sockaddr *)&to,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len));
	close(fd);
}

/* To the standard error, too, as far as the traced program shares pooltrace's. */
static void complain(const char *what)
{
	int why = errno;
	char text[256];
	int n = snprintf(text, sizeof(text),
			 "pooltrace: process %d is not recorded: %s: %s\n",
			 (int)getpid(), what, strerror(why));

	report();
	if (n > 0 && stderr_is_pooltraces() && write(STDERR_FILENO, text, (size_t)n) < 0)
		return;
}

static struct page *get_page(void)
{
	struct page *mine, *other = NULL;

	mine = mmap(NULL, sizeof(*mine), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mine == MAP_FAILED)
		return NULL;
	if (madvise(mine, sizeof(*mine), MADV_WIPEONFORK)) {
		complain("MADV_WIPEONFORK");
		mine->phase = PHASE_OFF;
	}
	if (__atomic_compare_exchange_n(&page, &other, mine, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return mine;
	munmap(mine, sizeof(*mine));
	return other;
}

/* An error number, or 0. */
static int grow_to(const struct state *s, uint64_t bytes)
{
	struct rlimit most;
	int fd, why;

	/* To exceed this would be a signal. */
	if (!getrlimit(RLIMIT_FSIZE, &most) && bytes > most.rlim_cur)
		return EFBIG;
	/* Opened each time: programs close files that they do not know. */
	fd = open(s->path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	/*
	 * Not posix_fallocate(), which writes zeros where the file system has nothing for this:
	 * over what other threads have written.
	 */
	why = fallocate(fd, 0, 0, (off_t)bytes) ? errno : 0;
	close(fd);
	return why;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* A new file; an exec() keeps the process's number, so that is not enough of a name. */
static bool make_file(struct state *s, const char *dir)
{
	unsigned int i;
	int fd = -1;

	for (i = 0; fd < 0 && i < 10000; i++) {
		snprintf(s->path, sizeof(s->path), "%s/%d.%u", dir, (int)getpid(), i);
		fd = open(s->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0)
		return false;
	errno = grow_to(s, RAW_RECORDS);
	if (!errno)
		s->head = mmap(NULL, RAW_RECORDS + s->limit * sizeof(*s->record),
			       PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return s->head && s->head != MAP_FAILED;
}

static bool start_file(struct state *s)
{
	const char *limit = getenv(RAW_ENV_LIMIT);
	const char *dir = getenv(RAW_ENV_DIR);

	/* Without pooltrace there is nothing to record. */
	if (!dir || !limit || strlen(dir) > sizeof(s->path) - 32)
		return false;
	s->limit = strtoull(limit, NULL, 10);
	if (!make_file(s, dir)) {
		complain(dir);
		return false;
	}
	madvise(s->head, RAW_RECORDS + s->limit * sizeof(*s->record), MADV_DONTFORK);
	s->record = (void *)((char *)s->head + RAW_RECORDS);
	s->head->limit = s->limit;
	s->head->start = now();
	s->head->pid = (uint32_t)getpid();
	s->head->modules = 1;
	snprintf(s->head->program, sizeof(s->head->program), "%s",
		 program_invocation_short_name);
	__atomic_store_n(&s->head->magic, RAW_MAGIC, __ATOMIC_RELEASE);
	return true;
}

/* The first event of a process, or one while that is at work. */
static struct state *begin(void)
{
	struct page *p = __atomic_load_n(&page, __ATOMIC_ACQUIRE);
	unsigned int phase = PHASE_NEW;
	int kept = errno;

	if (!p)
		p = get_page();
	if (p && __atomic_compare_exchange_n(&p->phase, &phase, PHASE_BEGINS, false,
					     __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
		phase = start_file(&p->state) ? PHASE_ON : PHASE_OFF;
		__atomic_store_n(&p->phase, phase, __ATOMIC_RELEASE);
	}
	errno = kept;
	return p && phase == PHASE_ON ? &p->state : NULL;
}

/* The state if events are recorded, or NULL. */
static inline struct state *recording(void)
{
	struct page *p = __atomic_load_n(&page, __ATOMIC_ACQUIRE);

	if (p && __atomic_load_n(&p->phase, __ATOMIC_ACQUIRE) == PHASE_ON)
		return &p->state;
	return begin();
}

static void stop(struct state *s, enum raw_stop why, int number)
{
	uint32_t goes_on = RAW_GOES_ON;

	/* Another thread may reach the limit where this one has no room. */
	if (number)
		s->head->stop_errno = (uint32_t)number;
	__atomic_compare_exchange_n(&s->head->stop, &goes_on, why, false,
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/*
 * As much again as there is.  A command may start thousands of processes, and most of them
 * have few events.
 */
static uint64_t growth(uint64_t bytes)
{
	return bytes < GROW_LEAST ? GROW_LEAST : bytes > GROW_MOST ? GROW_MOST : bytes;
}

/* False: the file can have no record at @place. */
static bool make_room(struct state *s, uint64_t place)
{
	uint64_t used = (place + 1) * sizeof(*s->record);
	uint64_t bytes = RAW_RECORDS + used + growth(used);
	int kept = errno;
	int why = grow_to(s, bytes);

	errno = kept;
	if (why) {
		stop(s, RAW_NO_ROOM, why);
		return false;
	}
	/* Another thread may have grown it further, perhaps with rights that are gone by now. */
	if (__atomic_load_n(&s->ready, __ATOMIC_ACQUIRE) <= place)
		__atomic_store_n(&s->ready, (bytes - RAW_RECORDS) / sizeof(*s->record),
				 __ATOMIC_RELEASE);
	return true;
}

/* A place for a record, or NULL. */
static inline struct raw_record *take(struct state *s, uint64_t *place)
{
	if (__atomic_load_n(&s->head->stop, __ATOMIC_RELAXED) != RAW_GOES_ON)
		return NULL;
	*place = __atomic_fetch_add(&s->head->next, 1, __ATOMIC_SEQ_CST);
	if (*place >= s->limit) {
		stop(s, RAW_LIMIT, 0);
		return NULL;
	}
	if (*place >= __atomic_load_n(&s->ready, __ATOMIC_ACQUIRE) && !make_room(s, *place))
		return NULL;
	return &s->record[*place];
}

static uint16_t thread_number(struct state *s)
{
	if (self.of != s->head->pid) {
		self.of = s->head->pid;
		self.number = (uint16_t)(__atomic_fetch_add(&s->head->threads, 1,
							    __ATOMIC_RELAXED) % RAW_THREADS);
	}
	return self.number;
}

static void write_record(struct state *s, struct raw_record *r, enum raw_kind kind,
			 const void *p)
{
	r->addr = (uintptr_t)p;
	r->thread = thread_number(s);
	__atomic_store_n(&r->kind, (uint16_t)kind, __ATOMIC_RELEASE);
}

void record_alloc(const void *p, size_t size, const void *site)
{
	struct state *s = recording();
	struct raw_record *r;
	uint64_t place;

	r = s ? take(s, &place) : NULL;
	if (!r)
		return;
	r->size = size;
	r->site = site_of(s, (uintptr_t)site);
	write_record(s, r, RAW_ALLOC, p);
}

void record_free(const void *p)
{
	struct state *s = recording();
	struct raw_record *r;
	uint64_t place;

	r = s ? take(s, &place) : NULL;
	if (r)
		write_record(s, r, RAW_FREE, p);
}

void record_reserve(void)
{
	struct state *s = recording();
	int kept = errno;

	if (s && !grow_to(s, RAW_RECORDS + s->limit * sizeof(*s->record)))
		__atomic_store_n(&s->ready, s->limit, __ATOMIC_RELEASE);
	errno = kept;
}

uint64_t record_take_place(void)
{
	struct state *s = recording();
	uint64_t place;

	return s && take(s, &place) ? place : UINT64_MAX;
}

void record_freed(uint64_t place, const void *p)
{
	struct state *s = recording();

	if (s && place != UINT64_MAX)
		write_record(s, &s->record[place], p ? RAW_FREE : RAW_NOTHING, p);
}

void record_unload(void)
{
	struct state *s = recording();

	if (s)
		__atomic_fetch_add(&s->epoch, 1, __ATOMIC_RELEASE);
}
