/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * pool_request.h - what code that creates or ends a pool asks for
 *
 * Layer:   above the four; included by plat.h only.
 */
#ifndef POOL_REQUEST_H
#define POOL_REQUEST_H

/* The result of pool_registry_drop(). */
enum pool_drop { POOL_DROPPED, POOL_ENDS, POOL_KEPT };

/* The registrations that a call releases. */
enum pool_whose {
	POOL_OWNED,		/* an owner's */
	POOL_OWNED_BUILT,	/* an owner's that have a constructor or a destructor */
	POOL_ANYBODYS,
};

/* The code that creates a pool. */
struct pool_creator {
	const char *file;
	int line;
	const void *owner;
	unsigned int abi;
	const struct pool_decl *decl;
};

/* The properties of a new pool, checked and complete. */
struct pool_request {
	struct pool_attr attr;		/* size: rounded; align, mode: final */
	char name[POOL_NAME_LEN + 1];
	unsigned long long name_sum;
	struct pool_reg *reg;
	struct pool_options options;
};

#endif /* POOL_REQUEST_H */
