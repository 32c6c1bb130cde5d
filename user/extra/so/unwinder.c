// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * unwinder.c - libgcc's unwinder, found when an exception first passes the library
 *
 * Layer:   beside all others; in libpool.so only, since programs link the archive with libgcc.
 * Context: any thread that an exception, its cancellation or pthread_exit() unwinds.
 *
 * A library compiled with -fexceptions refers to these two functions of libgcc_s.so.  The loader
 * would load that file for each program, which lasts as long as all else that it does for libpool.
 * So this file defines both as hidden functions, which look up those of libgcc_s.so; a process that
 * unwinds has loaded that file.  The unwinder is not linked statically, because frames must not be
 * of two copies of libgcc.
 */
#include <dlfcn.h>
#include <stdlib.h>

/* The functions' types, as far as they are used here, since their header differs by compiler. */
typedef int personality_t(int version, int actions, unsigned long long class, void *exception,
			  void *context);
typedef void resume_t(void *exception);

personality_t __gcc_personality_v0;
resume_t _Unwind_Resume;

/* Find a function of the unwinder; libgcc_s.so is loaded privately if the unwinder is glibc's. */
static void *find(const char *name)
{
	void *fn = dlsym(RTLD_DEFAULT, name), *library;

	if (fn)
		return fn;
	library = dlopen("libgcc_s.so.1", RTLD_NOW);
	fn = library ? dlsym(library, name) : NULL;
	if (!fn)
		abort();
	return fn;
}

int __gcc_personality_v0(int version, int actions, unsigned long long class, void *exception,
			 void *context)
{
	static personality_t *found;
	personality_t *fn = __atomic_load_n(&found, __ATOMIC_RELAXED);

	if (!fn) {
		fn = (personality_t *)find("__gcc_personality_v0");
		__atomic_store_n(&found, fn, __ATOMIC_RELAXED);
	}
	return fn(version, actions, class, exception, context);
}

void _Unwind_Resume(void *exception)
{
	static resume_t *found;
	resume_t *fn = __atomic_load_n(&found, __ATOMIC_RELAXED);

	if (!fn) {
		fn = (resume_t *)find("_Unwind_Resume");
		__atomic_store_n(&found, fn, __ATOMIC_RELAXED);
	}
	fn(exception);
	abort();
}
