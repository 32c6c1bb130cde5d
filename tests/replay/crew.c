// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * crew.c - the threads of a replay, user space
 *
 * Layer:   below session.c; twin of crew_kernel.c.
 * Context: plain threads.
 *
 * All wait for the phase that the program sets, under one mutex.  The program's
 * own thread allocates nothing from pools.  So with one worker the
 * worker gets the first area.
 */
#include "crew.h"

#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum phase {
	PHASE_WAIT,
	PHASE_WORK,
	PHASE_END,
	PHASE_GIVE_UP,			/* not all threads could be made */
};

struct member {
	struct crew *crew;
	struct replay_worker *worker;
	pthread_t thread;
};

struct crew {
	struct replay *replay;
	pthread_mutex_t mutex;
	pthread_cond_t changed;		/* signalled when phase or busy changes */
	enum phase phase;		/* under mutex */
	unsigned int busy;		/* under mutex: threads at work */
	struct member member[];
};

static enum phase wait_after(struct crew *crew, enum phase seen)
{
	enum phase phase;

	pthread_mutex_lock(&crew->mutex);
	while (crew->phase == seen)
		pthread_cond_wait(&crew->changed, &crew->mutex);
	phase = crew->phase;
	pthread_mutex_unlock(&crew->mutex);
	return phase;
}

static void set_phase(struct crew *crew, enum phase phase)
{
	pthread_mutex_lock(&crew->mutex);
	crew->phase = phase;
	pthread_cond_broadcast(&crew->changed);
	pthread_mutex_unlock(&crew->mutex);
}

static void say_done(struct crew *crew)
{
	pthread_mutex_lock(&crew->mutex);
	crew->busy--;
	pthread_cond_broadcast(&crew->changed);
	pthread_mutex_unlock(&crew->mutex);
}

static unsigned long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long long)t.tv_sec * 1000000000 +
	       (unsigned long long)t.tv_nsec;
}

static void *member_main(void *arg)
{
	struct member *member = arg;
	struct crew *crew = member->crew;
	struct replay_worker *w = member->worker;
	unsigned long long start;

	if (wait_after(crew, PHASE_WAIT) == PHASE_GIVE_UP)
		return NULL;
	start = now();
	replay_work(w);
	w->ns = now() - start;
	say_done(crew);
	wait_after(crew, PHASE_WORK);
	if (w == crew->replay->worker)
		replay_free_rest(crew->replay);
	return NULL;
}

/* Worker i runs on the i-th processor that the program may use, if there is one. */
static void pin(pthread_t thread, unsigned int i)
{
	cpu_set_t ours, one;
	int cpu;

	if (sched_getaffinity(0, sizeof(ours), &ours))
		return;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &ours) || i--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		pthread_setaffinity_np(thread, sizeof(one), &one);
		return;
	}
}

static void join(struct crew *crew, unsigned int members)
{
	unsigned int i;

	for (i = 0; i < members; i++)
		pthread_join(crew->member[i].thread, NULL);
	pthread_cond_destroy(&crew->changed);
	pthread_mutex_destroy(&crew->mutex);
	free(crew);
}

struct crew *crew_hire(struct replay *r)
{
	struct crew *crew = calloc(1, sizeof(*crew) +
				      r->workers * sizeof(crew->member[0]));
	unsigned int i;

	if (!crew)
		return NULL;
	crew->replay = r;
	crew->busy = r->workers;
	pthread_mutex_init(&crew->mutex, NULL);
	pthread_cond_init(&crew->changed, NULL);
	for (i = 0; i < r->workers; i++) {
		struct member *member = &crew->member[i];

		member->crew = crew;
		member->worker = &r->worker[i];
		errno = pthread_create(&member->thread, NULL, member_main,
				       member);
		if (errno) {
			warn("thread %u of %u", i + 1, r->workers);
			set_phase(crew, PHASE_GIVE_UP);
			join(crew, i);
			return NULL;
		}
		pin(member->thread, i);
	}
	return crew;
}

void crew_work(struct crew *crew)
{
	set_phase(crew, PHASE_WORK);
	pthread_mutex_lock(&crew->mutex);
	while (crew->busy)
		pthread_cond_wait(&crew->changed, &crew->mutex);
	pthread_mutex_unlock(&crew->mutex);
}

void crew_dismiss(struct crew *crew)
{
	set_phase(crew, PHASE_END);
	join(crew, crew->replay->workers);
}
