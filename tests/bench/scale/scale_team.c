// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * scale_team.c - threads that stay, each with a bucket and a processor of its own
 *
 * Layer:   below the parts of scale.c.
 * Context: the first thread starts jobs; it sleeps while they run.
 */
#include "plat.h"
#include "scale.h"

#include <err.h>
#include <errno.h>
#include <pthread.h>

static pthread_t thread[TEAM_MAX];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* Mutex. */
static void (*job)(unsigned int i, void *arg);
static void *job_arg;
static unsigned int wanted[TEAM_MAX];	/* jobs given to it */
static unsigned int running;		/* threads not done, or not ready, yet */
static bool stop;

static void bind_to(unsigned int i, const cpu_set_t *ours)
{
	unsigned int left = i % (unsigned int)CPU_COUNT(ours);
	cpu_set_t one;
	int cpu = 0;

	while (!CPU_ISSET(cpu, ours) || left--)
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		err(1, "processor %d", cpu);
}

/* A thread without an area gets one when it first calls a pool. */
static void take_area(unsigned int i)
{
	struct pool_head *pool = create_pool("team", 64, 0);

	if (!pool)
		errx(1, "no pool");
	pool_free(pool, pool_alloc(pool));
	if (plat_cpu_hint() != i)
		errx(1, "thread %u has area %u", i, plat_cpu_hint());
	pool_destroy(pool);
}

static void done(void)
{
	pthread_mutex_lock(&mutex);
	running--;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
}

static void wait_for_all(void)
{
	pthread_mutex_lock(&mutex);
	while (running)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
}

static void *member(void *arg)
{
	unsigned int *want = arg;
	unsigned int i = (unsigned int)(want - wanted);
	unsigned int had = 0;
	cpu_set_t ours;

	sched_getaffinity(0, sizeof(ours), &ours);
	bind_to(i, &ours);
	take_area(i);
	for (;;) {
		done();
		pthread_mutex_lock(&mutex);
		while (*want == had && !stop)
			pthread_cond_wait(&changed, &mutex);
		pthread_mutex_unlock(&mutex);
		if (stop)
			return NULL;
		had++;
		job(i, job_arg);
	}
}

unsigned int team_start(void)
{
	cpu_set_t ours;
	unsigned int i;

	if (sched_getaffinity(0, sizeof(ours), &ours))
		err(1, "processors");
	for (i = 0; i < TEAM_MAX; i++) {
		running = 1;
		errno = pthread_create(&thread[i], NULL, member, &wanted[i]);
		if (errno)
			err(1, "thread");
		wait_for_all();
	}
	return (unsigned int)CPU_COUNT(&ours);
}

void team_run(unsigned int n, void (*what)(unsigned int i, void *arg), void *arg)
{
	unsigned int i;

	pthread_mutex_lock(&mutex);
	job = what;
	job_arg = arg;
	running = n;
	for (i = 0; i < n; i++)
		wanted[i]++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
	wait_for_all();
}

void team_stop(void)
{
	unsigned int i;

	pthread_mutex_lock(&mutex);
	stop = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
	for (i = 0; i < TEAM_MAX; i++)
		pthread_join(thread[i], NULL);
}
