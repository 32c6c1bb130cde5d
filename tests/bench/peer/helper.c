// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * helper.c - the second thread
 *
 * Layer:   between worker.c and work_threads.c.
 * Context: plain threads.
 *
 * It lives as long as the program, so that its caches are warm.  Jobs are given
 * under a mutex, so it sleeps while the other workloads run.
 */
#include "helper.h"
#include "peer.h"

#include <err.h>
#include <errno.h>

static pthread_t thread;
static cpu_set_t ours;			/* read before a thread is bound */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* Mutex. */
static void (*job)(unsigned long n);	/* NULL if there is no job */
static unsigned long job_n;
static bool stop;

static void *helper_main(void *arg)
{
	(void)arg;
	peer_thread_start();
	pthread_mutex_lock(&mutex);
	while (!stop) {
		if (job) {
			pthread_mutex_unlock(&mutex);
			job(job_n);
			pthread_mutex_lock(&mutex);
			job = NULL;
			pthread_cond_broadcast(&changed);
		} else {
			pthread_cond_wait(&changed, &mutex);
		}
	}
	pthread_mutex_unlock(&mutex);
	peer_thread_end();
	return NULL;
}

void helper_pin(pthread_t to_pin, unsigned int i)
{
	cpu_set_t one;
	int cpu;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &ours) || i--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		pthread_setaffinity_np(to_pin, sizeof(one), &one);
		return;
	}
}

void helper_look(void)
{
	if (sched_getaffinity(0, sizeof(ours), &ours))
		CPU_ZERO(&ours);
}

void helper_start(void)
{
	errno = pthread_create(&thread, NULL, helper_main, NULL);
	if (errno)
		err(1, "second thread");
	helper_pin(pthread_self(), 0);
	helper_pin(thread, 1);
}

void helper_begin(void (*begin)(unsigned long n), unsigned long n)
{
	pthread_mutex_lock(&mutex);
	job = begin;
	job_n = n;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
}

void helper_wait(void)
{
	pthread_mutex_lock(&mutex);
	while (job)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
}

void helper_stop(void)
{
	pthread_mutex_lock(&mutex);
	stop = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
}
