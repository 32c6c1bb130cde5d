// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * source.c - what a program answers on its socket, and what the kernel has in its files
 *
 * Layer:   a part of poolctl.
 * Context: one thread.
 *
 * The file "pools" of the kernel shows what others have asked for by writing to it.  So only
 * files that nobody writes to are read: by-name/NAME/stats.
 */
#include "poolctl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/*
 * Limits of one answer, from connect() to its end, so that a program which never ends it costs
 * bounded time and memory.  Longer than a program takes that has other clients to serve; larger
 * than the dump of all pools that a program can have.
 */
#define ANSWER_SECONDS	20
#define ANSWER_BYTES	(64u << 20)

/* As of the library: a line and its newline. */
#define LINE_MOST	256

/* Is a call to be made again?  A screen that changes its size interrupts it with a signal. */
static bool again(ssize_t result)
{
	return result < 0 && errno == EINTR;
}

/* False: @until has passed, and errno is ETIMEDOUT.  @until: 0: wait for ever. */
static bool wait_for(int fd, short events, double until)
{
	struct pollfd at = { .fd = fd, .events = events };
	double left = until - seconds_now();
	int n = 1;

	while (until > 0) {
		n = left > 0 ? poll(&at, 1, (int)(left * 1000) + 1) : 0;
		if (!again(n))
			break;
		left = until - seconds_now();
	}
	if (!n)
		errno = ETIMEDOUT;
	return n > 0;
}

static ssize_t read_some(int fd, char *buf, size_t size, double until)
{
	ssize_t n;

	do {
		n = wait_for(fd, POLLIN, until) ? read(fd, buf, size) : -1;
	} while (again(n));
	return n;
}

/*
 * NULL: it cannot be read, and errno says why.  @status: to end with if it is no text.  @until:
 * when to give up, and then there is a limit of bytes, too; 0: never.
 */
static char *read_all(int fd, const char *path, int status, double until)
{
	size_t size = 65536, len = 0;
	char *text = need_memory(malloc(size));
	ssize_t n;

	while ((n = read_some(fd, text + len, size - len - 1, until)) > 0) {
		len += (size_t)n;
		if (until > 0 && len > ANSWER_BYTES)
			fail(status, "%s: its answer is longer than %u MiB", path,
			     ANSWER_BYTES >> 20);
		if (size - len < 4096)
			text = need_memory(realloc(text, size *= 2));
	}
	if (n < 0 && errno != ECONNRESET) {
		free(text);
		return NULL;
	}
	if (memchr(text, 0, len))
		fail(status, "%s: there is a NUL in it", path);
	text[len] = 0;
	return text;
}

/* The same of a file. */
static char *try_file(const char *path, int status)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), why;
	char *text;

	if (fd < 0)
		return NULL;
	text = read_all(fd, path, status, 0);
	why = errno;
	close(fd);
	errno = why;
	return text;
}

char *read_file(const char *path, int status)
{
	char *text = try_file(path, status);

	if (!text)
		fail(1, "%s: %s", path, strerror(errno));
	return text;
}

/* The kernel knows who listens, whatever leads there by now. */
static void need_peer(int fd, const struct source *source)
{
	struct ucred peer = { .pid = 0 };
	socklen_t size = sizeof(peer);

	if (!source->pid)
		return;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) ||
	    peer.pid != (pid_t)source->pid)
		fail(1, "%s: another program serves this socket, not process %u",
		     source->socket, source->pid);
}

static int connect_to(const struct source *source)
{
	const char *path = source->socket;
	struct timeval most = { .tv_sec = ANSWER_SECONDS };
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int status;

	if (fd < 0)
		fail(1, "socket: %s", strerror(errno));
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most));
	do {
		status = connect(fd, (struct sockaddr *)&addr, sizeof(addr));
	} while (again(status));
	if (status)
		fail(1, "%s: %s", path, errno == ECONNREFUSED ?
		     "no program serves this socket" : errno == EAGAIN ?
		     "it does not answer" : strerror(errno));
	need_peer(fd, source);
	return fd;
}

/*
 * A program may answer what it likes, and a terminal obeys some bytes, and some characters that
 * are none of ASCII.  Programs with this library, and the kernel's files, have only ASCII.
 */
static void make_harmless(char *text)
{
	for (; *text; text++)
		if ((*text < ' ' || *text > '~') && *text != '\n' && *text != '\t')
			*text = '?';
}

/* The text after the first line; ends the program if that is no "ok". */
static char *text_of(char *answer, const char *path)
{
	static const char error[] = "error: ";
	char *text = strchr(answer, '\n');

	if (!text)
		fail(1, "%s: its program is gone, or is none with pools", path);
	*text++ = 0;
	if (!strncmp(answer, error, strlen(error)))
		fail(1, "%s", answer + strlen(error));
	if (strcmp(answer, "ok"))
		fail(1, "%s: this is no program with pools", path);
	return memmove(answer, text, strlen(text) + 1);
}

/* Ask a program; the caller frees the text. */
char *source_ask(const struct source *source, const char *fmt, ...)
{
	char line[LINE_MOST + 1];
	va_list args;
	double until = seconds_now() + ANSWER_SECONDS;
	char *answer;
	int fd, len;

	va_start(args, fmt);
	len = vsnprintf(line, sizeof(line) - 1, fmt, args);
	va_end(args);
	if (len > LINE_MOST - 1)
		fail(2, "that is too long: at most %d bytes", LINE_MOST - 1);
	if (strchr(line, '\n'))
		fail(2, "there is a newline among the words");
	line[len] = '\n';
	fd = connect_to(source);
	/* A program that refuses us may have said so, and left, before we have sent this. */
	while (again(send(fd, line, (size_t)len + 1, MSG_NOSIGNAL)))
		;
	answer = read_all(fd, source->socket, 1, until);
	if (!answer)
		fail(1, "%s: %s", source->socket, errno == ETIMEDOUT ?
		     "it does not answer, or not to the end" : strerror(errno));
	close(fd);
	make_harmless(answer);
	return text_of(answer, source->socket);
}

/* A file below the kernel's folder; the caller frees it. */
static char *kernel_path(const struct source *source, const char *name,
			 const char *file)
{
	char *path;
	int len;

	if (name)
		len = asprintf(&path, "%s/by-name/%s/%s", source->debugfs, name, file);
	else
		len = asprintf(&path, "%s/%s", source->debugfs, file);
	return need_memory(len < 0 ? NULL : path);
}

static char *kernel_read(const struct source *source, const char *name,
			 const char *file)
{
	char *path = kernel_path(source, name, file);
	char *text = read_file(path, 1);

	make_harmless(text);
	free(path);
	return text;
}

/* NULL: the pool has gone meanwhile.  An open file of one that has gone gives EIO. */
static char *kernel_try(const struct source *source, const char *name,
			const char *file)
{
	char *path = kernel_path(source, name, file);
	char *text = try_file(path, 1);

	if (!text && errno != ENOENT && errno != EIO)
		fail(1, "%s: %s", path, strerror(errno));
	if (text)
		make_harmless(text);
	free(path);
	return text;
}

/* The kernel says in its log what was wrong. */
static void kernel_write(const struct source *source, const char *name,
			 const char *file, const char *text)
{
	char *path = kernel_path(source, name, file);
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		fail(1, "%s: %s", path, strerror(errno));
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		fail(1, "%s: \"%s\" is refused: %s; dmesg says why", path, text,
		     strerror(errno));
	close(fd);
	free(path);
}

/* by-name/NAME/stats: a key and a value in each line. */
static bool read_stats(struct entry *e, char *text)
{
	char *line, *at, *value;

	for (line = strtok_r(text, "\n", &at); line; line = strtok_r(NULL, "\n", &at)) {
		value = strchr(line, ' ');
		if (!value)
			return false;
		*value++ = 0;
		if (!strcmp(line, "name") ? !entry_name(e, value) :
		    !entry_set(e, strcmp(line, "alignment") ? line : "align",
			       value))
			return false;
	}
	return *e->s.name;
}

/* What the kernel calls MEM_F_*, by commas. */
static unsigned int flags_of(const char *names)
{
	return (strstr(names, "shared") ? MEM_F_SHARED : 0) |
	       (strstr(names, "exact") ? MEM_F_EXACT : 0) |
	       (strstr(names, "typesafe") ? MEM_F_TYPESAFE : 0) |
	       (strstr(names, "usercopy") ? MEM_F_USERCOPY : 0);
}

/* by-name/NAME/registrations, each line as dumps have it. */
static void read_registrations(struct entry *e, char *text)
{
	char *line, *at, name[64], flags[64], where[128], detail[256];
	unsigned int size, align;
	int len;

	for (line = strtok_r(text, "\n", &at); line; line = strtok_r(NULL, "\n", &at)) {
		if (sscanf(line, "%63s %u %63s %u %127[^\n]", name, &size, flags,
			   &align, where) != 5 || *name == '#')
			continue;
		len = snprintf(detail, sizeof(detail),
			       "%s size=%u flags=0x%x align=%u [%s]", name, size,
			       flags_of(flags), align, where);
		entry_detail(e, detail, (size_t)len);
	}
}

/* A pool that goes meanwhile is left out. */
static void kernel_pool(const struct source *source, struct table *t,
			const char *name, bool detailed)
{
	char *text = kernel_try(source, name, "stats");

	if (!text)
		return;
	if (!read_stats(table_add(t), text))
		fail(1, "%s/by-name/%s/stats has no numbers of a pool",
		     source->debugfs, name);
	free(text);
	text = detailed ? kernel_try(source, name, "registrations") : NULL;
	if (text)
		read_registrations(&t->pools[t->n - 1], text);
	free(text);
}

static DIR *kernel_pools(const struct source *source)
{
	char *path = kernel_path(source, NULL, "by-name");
	DIR *dir = opendir(path);

	if (!dir)
		fail(1, "%s: %s; is pool.ko loaded, and may you read debugfs?",
		     path, strerror(errno));
	free(path);
	return dir;
}

static void kernel_table(const struct source *source, struct table *t,
			 bool detailed)
{
	DIR *dir = kernel_pools(source);
	struct dirent *at;

	while ((at = readdir(dir)))
		if (*at->d_name != '.')
			kernel_pool(source, t, at->d_name, detailed);
	closedir(dir);
	t->whole = true;
	table_sort(t, &(struct options){ .count = 0 });
}

/* All pools in order of creation.  @detailed: with each creation. */
void source_table(const struct source *source, struct table *t, bool detailed)
{
	char *text, *at;

	*t = (struct table){ .n = 0 };
	if (!source->socket) {
		kernel_table(source, t, detailed);
		return;
	}
	text = source_ask(source, "pools raw%s", detailed ? " detailed" : "");
	at = text;
	if (!table_read_raw(t, &at) || *at)
		fail(1, "%s: the answer is no dump of pools", source->socket);
	if (!t->whole)
		fail(1, "%s: the end of the answer is missing", source->socket);
	free(text);
}

void source_gc(const struct source *source, bool all)
{
	if (source->socket)
		free(source_ask(source, all ? "reclaim" : "gc"));
	else
		kernel_write(source, NULL, "gc", all ? "all" : "1");
}

void source_flush(const struct source *source, const char *name)
{
	if (source->socket)
		free(source_ask(source, "flush %s", name));
	else
		kernel_write(source, NULL, "flush", name);
}

/* The text of a program names pools for which it comes too late. */
void source_set(const struct source *source, const char *options)
{
	char *text;

	if (!source->socket)
		fail(2, "set is for programs; the kernel has debug, and its module's parameters");
	text = source_ask(source, "set %s", options);
	fputs(text, stdout);
	free(text);
}

/* The first pool of a name has a folder of that name, the others have NAME~ID. */
static bool is_folder_of(const char *folder, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(folder, name, len) && (!folder[len] || folder[len] == '~');
}

/* Switch the options of all pools of a name, as programs do. */
static void kernel_debug(const struct source *source, const char *name,
			 const char *words)
{
	DIR *dir = kernel_pools(source);
	struct dirent *at;
	size_t n = 0;

	while ((at = readdir(dir)))
		if (is_folder_of(at->d_name, name)) {
			kernel_write(source, at->d_name, "debug", words);
			n++;
		}
	closedir(dir);
	if (!n)
		fail(1, "there is no pool \"%s\"", name);
}

/* Switch options, or if there are no words say which are on.  @name may be "all". */
char *source_debug(const struct source *source, const char *name, const char *words)
{
	char shown[POOL_SHOWN_LEN + 1];

	/* In a request a name ends at a blank. */
	if (strpbrk(name, " \t\n")) {
		pool_show_name(shown, name);
		name = shown;
	}
	if (source->socket)
		return source_ask(source, "debug %s %s", name, words ? words : "");
	if (strchr(name, '/') || *name == '.')
		fail(2, "\"%s\" is no name of a pool as it is shown", name);
	if (!words)
		return kernel_read(source, NULL, "debug");
	if (!strcmp(name, "all"))
		kernel_write(source, NULL, "debug", words);
	else
		kernel_debug(source, name, words);
	return need_memory(strdup(""));
}

/*
 * Which options of one pool are on.  Others may have its name, or it may be called "all".  The
 * kernel's first one of a name has a folder of that name, and the others NAME~ID.
 */
char *source_options(const struct source *source, const struct entry *e)
{
	char name[POOL_SHOWN_LEN + 1], exact[POOL_EXACT_LEN + 1];
	bool is_exact;
	char *path;

	pool_show_name(name, e->s.name);
	pool_show_exact(exact, name, e->s.id);
	if (source->socket)
		return source_ask(source, "debug %s", exact);
	path = kernel_path(source, exact, "debug");
	is_exact = !access(path, F_OK);
	free(path);
	return kernel_read(source, is_exact ? exact : name, "debug");
}

char *source_memstats(const struct source *source, const char *words)
{
	if (source->socket)
		return source_ask(source, "memstats %s", words);
	if (*words)
		fail(2, "memstats of the kernel takes no words");
	return kernel_read(source, NULL, "memstats");
}
