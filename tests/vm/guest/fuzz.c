// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fuzz.c - writes nonsense to files
 *
 *	fuzz SEED ROUNDS WORDS FILE...
 *	fuzz writable FOLDER...		prints the files that take what is written
 *
 * Layer:   tests of kernel/debugfs/; a program, run by guest/fuzz.sh.
 * Context: a process of its own.
 *
 * Each round composes a text of words of the file WORDS, of numbers and of bytes, damages
 * it, and writes it to a FILE: whole, in two pieces, at an offset, or from memory that ends
 * too early.  Each write must take all or fail with an error that says why.  The same seed
 * makes the same texts.  Now and then a FILE is read to its end.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST_WORDS	256
#define MOST_TEXT	8192
#define PAGE		4096

/* A text that ends where an unreadable page begins. */
static char *text;
static size_t len;
static char *words[MOST_WORDS];
static unsigned int nr_words;
static unsigned long accepted, refused, seed;

/* xorshift */
static unsigned int any(unsigned int below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned int)(seed >> 11) % below;
}

/* Read the first word of each line, without a value that the line shows. */
static void read_words(const char *path)
{
	static char line[1024];
	FILE *f = fopen(path, "r");

	if (!f)
		err(2, "%s", path);
	while (nr_words < MOST_WORDS && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "= \t\n")] = '\0';
		if (*line)
			words[nr_words++] = strdup(line);
	}
	fclose(f);
	if (!nr_words)
		errx(2, "%s: no words", path);
}

static void add(const char *bytes, size_t n)
{
	if (n > MOST_TEXT - len)
		n = MOST_TEXT - len;
	memcpy(text + len, bytes, n);
	len += n;
}

static void add_text(const char *s)
{
	add(s, strlen(s));
}

static void add_number(void)
{
	static const char * const odd[] = {
		"0", "1", "-1", "64", "4096", "4294967295", "4294967296",
		"18446744073709551615", "18446744073709551616", "0x7fffffffffffffff",
		"99999999999999999999999999999999", "1k", "1M", "1T", "1.5", "1e9", "",
	};
	char number[32];

	if (any(2)) {
		add_text(odd[any(sizeof(odd) / sizeof(*odd))]);
		return;
	}
	snprintf(number, sizeof(number), "%u%s", any(1u << any(31)), any(4) ? "" : "k");
	add_text(number);
}

static void add_bytes(void)
{
	unsigned int n = any(any(8) ? 8 : 6000);
	char byte;

	while (n--) {
		byte = (char)any(256);
		add(&byte, 1);
	}
}

static void add_token(void)
{
	static const char * const others[] = {
		"all", "1", "raw", "json", "text", "reset", "byusage", "ex_conn",
		"ex_event", "sc_*", "none", "+", "-", "=", "\"", "\\", "%s%n", "..", "*",
	};

	switch (any(8)) {
	case 0:
		add_bytes();
		return;
	case 1:
		add_number();
		return;
	case 2 ... 3:
		add_text(others[any(sizeof(others) / sizeof(*others))]);
		return;
	default:
		add_text(any(3) ? "" : any(2) ? "-" : "+");
		add_text(words[any(nr_words)]);
		if (any(3) == 0) {
			add_text("=");
			add_number();
		}
	}
}

static void damage(void)
{
	unsigned int at = len ? any((unsigned int)len) : 0;

	switch (any(10)) {
	case 0:
		len = at;
		break;
	case 1:
		if (len)
			text[at] ^= (char)(1 << any(8));
		break;
	case 2:
		if (len)
			text[at] = '\0';
		break;
	case 3:
		add(text, len);
		break;
	}
}

/* Leave out "panic", because a machine that panics writes nothing more. */
static void compose(void)
{
	static const char * const between[] = { " ", ",", "\n", "\t", "", " , " };
	unsigned int tokens = any(2) ? 1 : any(6);
	unsigned int n;

	do {
		n = tokens;
		len = 0;
		while (n--) {
			add_token();
			add_text(n ? between[any(6)] : "");
		}
		if (any(2))
			add_text("\n");
		if (any(2))
			damage();
	} while (memmem(text, len, "panic", 5));
}

/*
 * Write @n bytes by one call: all must be taken, or the error must be one that the file may
 * return.
 */
static void put(const char *path, int fd, const char *from, size_t n, long at)
{
	ssize_t ret = at < 0 ? write(fd, from, n) : pwrite(fd, from, n, at);

	if (ret == (ssize_t)n)
		accepted++;
	else if (ret < 0 && (errno == EINVAL || errno == EFAULT || errno == ENOMEM ||
			     errno == ESPIPE))
		refused++;
	else
		errx(1, "%s: %zd of %zu bytes: %s", path, ret, n,
		     ret < 0 ? strerror(errno) : "a part");
}

static void put_round(const char *path)
{
	int fd = open(path, O_WRONLY);
	size_t half = len / 2;

	if (fd < 0)
		err(1, "%s", path);
	switch (any(8)) {
	case 0:
		put(path, fd, text, half, -1);
		put(path, fd, text + half, len - half, -1);
		break;
	case 1:
		put(path, fd, text, len, any(100));
		break;
	case 2:
		memmove(text + MOST_TEXT - len, text, len);
		put(path, fd, text + MOST_TEXT - len, len + 1 + any(100), -1);
		break;
	default:
		put(path, fd, text, len, -1);
	}
	close(fd);
}

/* Some files can only be written. */
static void read_all(const char *path)
{
	static char buf[PAGE];
	int fd = open(path, O_RDONLY);
	size_t step = 1 + any(PAGE);
	ssize_t n;

	if (fd < 0)
		err(1, "%s", path);
	do {
		n = read(fd, buf, step);
	} while (n > 0);
	if (n < 0 && errno != EINVAL)
		err(1, "%s", path);
	close(fd);
}

/*
 * True if a file takes writes.  Root may open any file, so the mode does not say it.  The text is
 * at an unreadable address: a file that takes writes tries to read it and fails by EFAULT; other
 * files refuse before that.
 */
static bool takes_writes(const char *path)
{
	int fd = open(path, O_WRONLY);
	bool takes;

	if (fd < 0)
		return false;
	takes = write(fd, text + MOST_TEXT, 1) >= 0 || errno != EINVAL;
	close(fd);
	return takes;
}

static int print_writable(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)at;
	if (type == FTW_F && takes_writes(path))
		puts(path);
	return 0;
}

static void make_text(void)
{
	text = mmap(NULL, MOST_TEXT + PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (text == MAP_FAILED || mprotect(text + MOST_TEXT, PAGE, PROT_NONE))
		err(2, "memory");
}

int main(int argc, char **argv)
{
	unsigned long rounds;

	make_text();
	if (argc > 2 && !strcmp(argv[1], "writable")) {
		for (argv += 2; *argv; argv++)
			if (nftw(*argv, print_writable, 8, FTW_PHYS))
				err(2, "%s", *argv);
		return 0;
	}
	if (argc < 5)
		errx(2, "usage: fuzz SEED ROUNDS WORDS FILE...");
	seed = strtoul(argv[1], NULL, 10) * 2654435761ul + 88172645463325252ul;
	rounds = strtoul(argv[2], NULL, 10);
	read_words(argv[3]);
	while (rounds--) {
		const char *path = argv[4 + any((unsigned int)argc - 4)];

		compose();
		put_round(path);
		if (any(50) == 0)
			read_all(path);
	}
	printf("# %lu writes taken, %lu refused\n", accepted, refused);
	return !accepted || !refused;
}
