// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * server.c - a chat server: what one client says, all others hear
 *
 * Documentation/tutorial.rst begins with this file.  The patches beside it change it.
 *
 * Layer:   an example.
 * Context: one thread.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LINE_SIZE	240
#define SEND_BUFFER	4096

/* A line that waits until a client takes it. */
struct msg {
	struct msg *next;
	unsigned int size;
	unsigned int sent;
	char text[LINE_SIZE];
};

/* A client, with the messages that wait for it and the line that it is sending. */
struct conn {
	struct conn *next;
	struct msg *first;
	struct msg **last;
	int fd;
	unsigned int got;
	char line[LINE_SIZE];
};

static struct conn *conns;
static unsigned int n_conns;
static volatile sig_atomic_t stopped;

void msg_queue(struct conn *c, struct msg *m, const char *text, unsigned int size)
{
	m->next = NULL;
	m->size = size;
	m->sent = 0;
	memcpy(m->text, text, size);
	*c->last = m;
	c->last = &m->next;
}

void msg_drop_first(struct conn *c)
{
	struct msg *m = c->first;

	c->first = m->next;
	if (!c->first)
		c->last = &c->first;
	free(m);
}

void conn_new(int fd)
{
	struct conn *c = calloc(1, sizeof(*c));

	if (!c) {
		close(fd);
		return;
	}
	c->fd = fd;
	c->last = &c->first;
	c->next = conns;
	conns = c;
	n_conns++;
}

void conn_close(struct conn *c)
{
	struct conn **at = &conns;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	n_conns--;
	while (c->first)
		msg_drop_first(c);
	close(c->fd);
	free(c);
}

/* All others hear what @c has said. */
void conn_line(struct conn *c)
{
	struct conn *to;
	struct msg *m;

	for (to = conns; to; to = to->next) {
		if (to == c)
			continue;
		m = malloc(sizeof(*m));
		if (m)
			msg_queue(to, m, c->line, c->got);
	}
}

/* Return: false: the client has gone. */
bool conn_receive(struct conn *c)
{
	char buf[512];
	ssize_t i, n = recv(c->fd, buf, sizeof(buf), MSG_DONTWAIT);

	if (n <= 0)
		return n < 0 && errno == EAGAIN;
	for (i = 0; i < n; i++) {
		c->line[c->got++] = buf[i];
		if (buf[i] == '\n' || c->got == LINE_SIZE) {
			conn_line(c);
			c->got = 0;
		}
	}
	return true;
}

/* Sends what the socket takes now.  Return: false: the client has gone. */
bool conn_send(struct conn *c)
{
	struct msg *m;
	ssize_t n;

	while ((m = c->first)) {
		n = send(c->fd, m->text + m->sent, m->size - m->sent,
			 MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0)
			return errno == EAGAIN;
		m->sent += n;
		if (m->sent == m->size)
			msg_drop_first(c);
	}
	return true;
}

/* The listening socket, then the clients in their order. */
struct pollfd *poll_list(int listener)
{
	static struct pollfd *fds;
	struct pollfd *at;
	struct conn *c;

	fds = realloc(fds, (n_conns + 1) * sizeof(*fds));
	if (!fds)
		exit(1);
	at = fds;
	*at++ = (struct pollfd){ .fd = listener, .events = POLLIN };
	for (c = conns; c; c = c->next)
		*at++ = (struct pollfd){
			.fd = c->fd,
			.events = POLLIN | (c->first ? POLLOUT : 0),
		};
	return fds;
}

/* A signal that ends the server comes only while it waits. */
void serve(int listener, const sigset_t *waiting)
{
	struct pollfd *fds, *at;
	struct conn *c, *next;
	int fd;

	while (!stopped) {
		fds = poll_list(listener);
		if (ppoll(fds, n_conns + 1, NULL, waiting) < 0)
			continue;
		for (c = conns, at = fds + 1; c; c = next, at++) {
			next = c->next;
			if (at->revents && !(conn_send(c) && conn_receive(c)))
				conn_close(c);
		}
		if (!fds->revents)
			continue;
		fd = accept(listener, NULL, NULL);
		if (fd >= 0)
			conn_new(fd);
	}
	while (conns)
		conn_close(conns);
}

/* Lines that a slow client has not read wait as messages; the kernel buffers few of them. */
int listen_here(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof(at);
	int size = SEND_BUFFER, fd = socket(AF_INET, SOCK_STREAM, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)) ||
	    bind(fd, (struct sockaddr *)&at, len) || listen(fd, 64) ||
	    getsockname(fd, (struct sockaddr *)&at, &len)) {
		perror("server");
		exit(1);
	}
	printf("port %d\n", ntohs(at.sin_port));
	fflush(stdout);
	return fd;
}

static void on_signal(int signo)
{
	(void)signo;
	stopped = true;
}

int main(void)
{
	struct sigaction act = { .sa_handler = on_signal };
	sigset_t ends, waiting;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, &waiting);
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	serve(listen_here(), &waiting);
	return 0;
}
