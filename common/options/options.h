/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * options.h - the table of options, and the code that reads and shows it
 *
 * Layer:   beside the registry; private to options/ and to the files that apply a
 *	    change: configure.c, live.c, apply.c and renew.c.
 * Context: process context.
 */
#ifndef POOL_OPTIONS_H
#define POOL_OPTIONS_H

/* A word and its opposite. */
struct pool_word {
	const char *word;
	const char *opposite;
	unsigned int flag;		/* set by the word, cleared by its opposite */
	unsigned int sets_too;		/* flags that the word sets as well */
	unsigned int clears_too;	/* flags that the opposite clears as well */
	unsigned int is;		/* POOL_IS_* */
	const char *help;
};

enum pool_key_kind {
	POOL_KEY_WIDE,			/* unsigned long */
	POOL_KEY_NUMBER,		/* unsigned int */
	POOL_KEY_POWER,			/* unsigned int, a power of two */
	POOL_KEY_POLICY,		/* unsigned int, one of plat_policies[] */
	POOL_KEY_TEXT,			/* char[], at most max and a 0 */
};

/* A key that has a value. */
struct pool_key {
	const char *key;
	enum pool_key_kind kind;
	size_t offset;			/* in struct pool_options */
	unsigned long min;
	unsigned long max;
	unsigned int flag;		/* a flag that the key sets and clears, too; or 0 */
	const char *zero;		/* how to show 0, or an empty text */
	const char *help;
};

/* The numbers of the keys, which are also their bits in "touched". */
enum pool_key_name {
	POOL_KEY_HOT_SIZE,
	POOL_KEY_MAX_CACHED,
	POOL_KEY_BUCKETS,
	POOL_KEY_CLUSTER,
	POOL_KEY_FAIL_ALLOC,
	POOL_KEY_FAIL_EVERY,
	POOL_KEY_FAIL_SITE,
	POOL_KEY_POISON,
	POOL_KEY_UAF_KEEP,
	POOL_KEY_FAULTS,
	POOL_KEYS,
};

/* A change that a text asks for: the new options, and which of them it changes. */
struct pool_change {
	struct pool_options options;
	unsigned int set;		/* flags to set; none is in "clear" */
	unsigned int clear;
	unsigned int live;		/* flags to change in pools in use, too */
	unsigned int touched;		/* bit n: key n is set */
	unsigned int never;		/* flags that the pool of the change cannot have */
	bool one;			/* the change is for one pool only */
	char why[64];			/* the reason, once an item was refused */
};

/* The kind of one item of a text. */
enum pool_item {
	POOL_ITEM_GOOD,
	POOL_ITEM_WRONG,
	POOL_ITEM_HELP,
	POOL_ITEM_END,			/* the text has no further item */
};

/* The syntax of a text. */
enum pool_text_rules {
	POOL_TEXT_LIST,			/* "word,key=value,..." */
	POOL_TEXT_LINE,			/* the same; first the byte of poison, or nothing */
	POOL_TEXT_LIVE,			/* for pools in use: spaces, too, and signs before words */
};

/* A text that is read item by item. */
struct pool_text {
	const char *rest;
	enum pool_text_rules rules;
	char shown[64];			/* the last item, for a message */
};

/* option_table.c */
extern const struct pool_word pool_option_table[];
extern const struct pool_key pool_keys[POOL_KEYS];
const struct pool_word *pool_word_find(const char *text, size_t len, bool *opposite);
size_t pool_word_properties(const struct pool_word *word, char *buf, size_t size);
const struct pool_key *pool_key_find(const char *text, size_t len);
bool pool_key_read(const struct pool_key *key, struct pool_options *options,
		   const char *text, size_t len);
void pool_key_copy(const struct pool_key *key, struct pool_options *to,
		   const struct pool_options *from);
size_t pool_key_format(const struct pool_key *key, const struct pool_options *options, char *buf,
		       size_t size);
size_t pool_key_range(const struct pool_key *key, char *buf, size_t size);

/* Longest text that says which pools a change does not reach. */
#define LATE_LEN	192

/* options.c */
extern const struct pool_options pool_options_built;
void pool_change_begin(struct pool_change *change, bool one);
void pool_change_word(struct pool_change *change, const struct pool_word *word, bool opposite);
enum pool_item pool_change_item(struct pool_change *change, const char *text, size_t len);

/* options_read.c */
enum pool_item pool_text_item(struct pool_text *t, struct pool_change *change);

/* apply.c */
void pool_change_store(const struct pool_change *change);
unsigned int pool_change_late_keys(const struct pool *pool, const struct pool_change *change);
void pool_change_apply(const struct pool_change *change, char *late, size_t size);

/* renew.c */
bool pool_is_vacated(struct pool *pool);
void pool_declared_renew(const struct pool_change *change);

/* options_text.c */
void pool_help_print(void);

#endif /* POOL_OPTIONS_H */
