// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * helper.c - the other thread of the ring
 *
 * Layer:   between bench.c and work.c.
 * Called:  bench.c.
 * Calls:   work.c, in both threads.
 * Context: plain threads.
 *
 * It lives as long as the program, so that its caches are warm.  Jobs are given
 * under a mutex: it sleeps while the other workloads run.
 */
#include "helper.h"

#include <err.h>
#include <errno.h>
#include <pthread.h>

static struct ring ring;
static pthread_t thread;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* Mutex. */
static const struct candidate *job;	/* NULL: none */
static unsigned long job_n;
static int stop;

static void *helper_main(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&mutex);
	while (!stop) {
		if (job) {
			pthread_mutex_unlock(&mutex);
			job->consume(&ring, job_n);
			pthread_mutex_lock(&mutex);
			job = NULL;
			pthread_cond_broadcast(&changed);
		} else {
			pthread_cond_wait(&changed, &mutex);
		}
	}
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void pin(pthread_t to_pin, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	pthread_setaffinity_np(to_pin, sizeof(set), &set);
}

/* The first two processors we may use, in this order. */
static void pin_both(void)
{
	cpu_set_t ours;
	int cpu, found = 0;

	if (pthread_getaffinity_np(pthread_self(), sizeof(ours), &ours))
		return;
	for (cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++)
		if (CPU_ISSET(cpu, &ours))
			pin(found++ ? thread : pthread_self(), cpu);
}

void helper_start(void)
{
	errno = pthread_create(&thread, NULL, helper_main, NULL);
	if (errno)
		err(1, "second thread");
	pin_both();
}

void helper_ring(const struct candidate *c, unsigned long n)
{
	pthread_mutex_lock(&mutex);
	job = c;
	job_n = n;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
	c->produce(&ring, n);
	pthread_mutex_lock(&mutex);
	while (job)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
}

void helper_stop(void)
{
	pthread_mutex_lock(&mutex);
	stop = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
}
