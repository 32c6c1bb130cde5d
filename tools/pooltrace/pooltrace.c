// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pooltrace.c - records what a program allocates and frees, as traces for poolreplay
 *
 * Layer:   a program; above convert.c and collect.c.
 * Context: one thread.
 *
 *	pooltrace [-o FILE] [--limit N] [--skip LIST] [--] COMMAND [ARG...]
 *
 * The command runs with libpooltrace.so in front of its malloc().  When it has ended, each
 * program that ran for it becomes a trace: FILE, FILE.2, FILE.3, in the order of their
 * starts.
 *
 * Exits as the command does, with 128 and the number of a signal that ended it, and with 2
 * if the arguments are wrong, the command cannot run, a trace cannot be written, or a process
 * was not recorded to its end, except for the limit.
 */
#include "collect.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_DEFAULT	1000000
#define LIMIT_MAX	(1l << 24)
#define LIBRARY		"libpooltrace.so"

/* Functions that allocate what their callers ask for; the last two are C++'s operator new. */
#define SKIP_ALWAYS	"xmalloc,xcalloc,xrealloc,xstrdup,xzalloc,zmalloc,zcalloc,zrealloc," \
			"zstrdup,strdup,strndup,_Znwm,_Znam"

struct options {
	const char *file;
	long limit;
	const char *skip;		/* beside SKIP_ALWAYS; NULL: nothing; "": not even that */
	char **command;
	char *library;
};

static const char usage[] =
"usage: pooltrace [-o FILE] [--limit N] [--skip LIST] [--] COMMAND [ARG...]\n"
"\n"
"  -o FILE     the trace, pooltrace.trace if not given; those of further processes\n"
"              are FILE.2, FILE.3 and so on\n"
"  --limit N   the most allocations and frees of a process, 1000000 if not given\n"
"  --skip LIST functions, modules and call sites, by commas, whose callers are the call\n"
"              sites, beside xmalloc(), strdup() and their like; '': skip none\n";

/* 0: there is none.  Changes only while signals are blocked. */
static volatile pid_t child;

static void called_wrong(const char *what)
{
	fprintf(stderr, "pooltrace: %s\n%s", what, usage);
	exit(2);
}

static long read_limit(const char *text)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || *end || end == text || n < 1 || n > LIMIT_MAX)
		errx(2, "--limit: %s is not a number from 1 to %ld", text, LIMIT_MAX);
	return n;
}

static struct options read_options(int argc, char **argv)
{
	static const struct option words[] = {
		{ "limit", required_argument, NULL, 'l' },
		{ "skip", required_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct options o = { .file = "pooltrace.trace", .limit = LIMIT_DEFAULT };
	int c;

	/* The options end where the command begins. */
	while ((c = getopt_long(argc, argv, "+o:", words, NULL)) != -1) {
		switch (c) {
		case 'o':
			o.file = optarg;
			break;
		case 'l':
			o.limit = read_limit(optarg);
			break;
		case 's':
			o.skip = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			exit(fflush(stdout) ? 2 : 0);
		default:
			fputs(usage, stderr);
			exit(2);
		}
	}
	if (optind == argc)
		called_wrong("there is no command");
	o.command = argv + optind;
	return o;
}

/* @name beside this program, or NULL. */
static char *beside(const char *dir, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		err(2, "memory");
	if (!access(path, R_OK))
		return path;
	free(path);
	return NULL;
}

/* Where it was built, or where it was installed. */
static char *find_library(void)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *path;

	if (n < 0)
		err(2, "/proc/self/exe");
	self[n] = '\0';
	*strrchr(self, '/') = '\0';
	path = beside(self, LIBRARY);
	if (!path)
		path = beside(self, "../lib/libpool/" LIBRARY);
	if (!path)
		errx(2, "%s/../lib/libpool/%s is not there", self, LIBRARY);
	/* They separate the libraries of LD_PRELOAD, and nothing quotes them there. */
	if (strpbrk(path, " :"))
		errx(2, "%s: cannot be preloaded, since its path has a space or a colon",
		     path);
	return path;
}

/* A process that cannot be recorded says so where its standard error is this one's. */
static void name_stderr(void)
{
	char name[RAW_FILE_MAX];

	if (raw_file_name(name, STDERR_FILENO))
		setenv(RAW_ENV_STDERR, name, 1);
	else
		unsetenv(RAW_ENV_STDERR);
}

/* Of messages by processes that cannot be recorded; the kernel chooses its name. */
static int open_socket(void)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	socklen_t len = sizeof(name);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&name, sizeof(sa_family_t)) ||
	    getsockname(fd, (struct sockaddr *)&name, &len))
		err(2, "a socket");
	/* Its first byte is 0, and none ends it. */
	name.sun_path[len - offsetof(struct sockaddr_un, sun_path)] = '\0';
	setenv(RAW_ENV_SOCKET, name.sun_path + 1, 1);
	return fd;
}

/* Were all processes recorded, as far as is known? */
static bool all_recorded(int fd)
{
	char byte;

	if (recv(fd, &byte, sizeof(byte), 0) < 0)
		return true;
	warnx("not all processes were recorded");
	return false;
}

static void set_skipped(const char *more)
{
	char *list;

	if (asprintf(&list, SKIP_ALWAYS ",%s", more ? more : "") < 0)
		err(2, "memory");
	setenv(RAW_ENV_SKIP, more && !*more ? "" : list, 1);
	free(list);
}

/* In front of what the user preloads. */
static void set_environment(const struct options *o, const char *dir)
{
	const char *others = getenv("LD_PRELOAD");
	char *preload;
	char limit[32];

	snprintf(limit, sizeof(limit), "%ld", o->limit);
	if (asprintf(&preload, "%s%s%s", o->library, others ? ":" : "",
		     others ? others : "") < 0)
		err(2, "memory");
	setenv("LD_PRELOAD", preload, 1);
	setenv(RAW_ENV_DIR, dir, 1);
	setenv(RAW_ENV_LIMIT, limit, 1);
	set_skipped(o->skip);
	name_stderr();
	free(preload);
}

/* A folder beside the trace; so it is known in advance that a trace can be written there. */
static char *make_folder(const char *file)
{
	char real[PATH_MAX];
	struct stat st;
	char *dir;

	if (!stat(file, &st) && (S_ISDIR(st.st_mode) || access(file, W_OK)))
		errx(2, "%s: cannot be written", file);
	/* No other process that lives has this number. */
	if (asprintf(&dir, "%s.raw.%d", file, (int)getpid()) < 0)
		err(2, "memory");
	if (mkdir(dir, 0700))
		err(2, "%s: cannot be written: %s", file, dir);
	/* The command may change its folder. */
	if (!realpath(dir, real))
		err(2, "%s", dir);
	free(dir);
	dir = strdup(real);
	if (!dir)
		err(2, "memory");
	return dir;
}

/* With a child of 0 the traces are written, which ends by itself. */
static void pass_on(int signal)
{
	if (child)
		kill(child, signal);
}

/* @before: the signals that were blocked already. */
static void block_signals(sigset_t *before)
{
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGQUIT);
	sigaddset(&blocked, SIGTERM);
	sigaddset(&blocked, SIGHUP);
	sigprocmask(SIG_BLOCK, &blocked, before);
}

/*
 * What ends the command by a key of the terminal shall not end this, and neither shall a
 * reader of its messages that has gone.
 */
static void set_signals(void)
{
	struct sigaction passed = { .sa_handler = pass_on, .sa_flags = SA_RESTART };

	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	sigaction(SIGTERM, &passed, NULL);
	sigaction(SIGHUP, &passed, NULL);
}

/* The error of an exec() comes by the pipe, which a good one closes. */
static void run_command(const struct options *o, const char *dir, int report)
{
	int why;

	set_environment(o, dir);
	execvp(o->command[0], o->command);
	why = errno;
	_exit(write(report, &why, sizeof(why)) < 0 ? 126 : 127);
}

/*
 * A signal waits until it can be passed on.  The command holds back what this did.
 * False: there is no new process.
 */
static bool start_command(const struct options *o, const char *dir, int report)
{
	sigset_t before;
	bool ignored;
	pid_t pid;

	block_signals(&before);
	/* Where a parent ignored it, no child could be waited for. */
	ignored = signal(SIGCHLD, SIG_DFL) == SIG_IGN;
	pid = fork();
	if (!pid) {
		if (ignored)
			signal(SIGCHLD, SIG_IGN);
		sigprocmask(SIG_SETMASK, &before, NULL);
		run_command(o, dir, report);
	}
	if (pid > 0) {
		child = pid;
		set_signals();
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid > 0;
}

/* Once a process is waited for, its number may be another one's. */
static int wait_for_command(void)
{
	sigset_t before;
	siginfo_t info;
	int status;

	while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT))
		if (errno != EINTR)
			err(2, "wait");
	block_signals(&before);
	if (waitpid(child, &status, 0) < 0)
		err(2, "wait");
	child = 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return status;
}

/* The status of wait(), or -1 with errno set if the command cannot run. */
static int run(const struct options *o, const char *dir)
{
	int ends[2], why = 0, status;
	ssize_t n;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	if (!start_command(o, dir, ends[1])) {
		why = errno;
		close(ends[1]);
		close(ends[0]);
		errno = why;
		return -1;
	}
	close(ends[1]);
	n = read(ends[0], &why, sizeof(why));
	close(ends[0]);
	status = wait_for_command();
	errno = why;
	return n ? -1 : status;
}

int main(int argc, char **argv)
{
	struct options o = read_options(argc, argv);
	bool good = true;
	int status, fd;
	char *dir;

	o.library = find_library();
	dir = make_folder(o.file);
	fd = open_socket();
	status = run(&o, dir);
	if (status == -1)
		warn("%s", o.command[0]);
	else
		good = collect(dir, o.file) && all_recorded(fd);
	remove_folder(dir);
	free(dir);
	free(o.library);
	if (status == -1 || !good)
		return 2;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
