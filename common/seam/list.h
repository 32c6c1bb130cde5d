/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * list.h - doubly linked list with a head, for both worlds
 *
 * Layer:   none; used by common/ and user/.
 * Context: any.  The owner of a list serialises its calls.
 *
 * "First" is the newest end, "last" the oldest.
 */
#ifndef POOL_LIST_H
#define POOL_LIST_H

struct pool_list {
	struct pool_list *next;
	struct pool_list *prev;
};

/* The struct of type @type whose member @member is the list node @node. */
#define pool_list_entry(node, type, member) \
	((type *)(void *)((char *)(node) - offsetof(type, member)))

static inline void pool_list_init(struct pool_list *head)
{
	head->next = head;
	head->prev = head;
}

static inline bool pool_list_empty(const struct pool_list *head)
{
	return head->next == head;
}

/* Insert after @at; if @at is a head, as the first entry. */
static inline void pool_list_add(struct pool_list *node, struct pool_list *at)
{
	node->next = at->next;
	node->prev = at;
	at->next->prev = node;
	at->next = node;
}

static inline void pool_list_add_last(struct pool_list *node,
				      struct pool_list *head)
{
	pool_list_add(node, head->prev);
}

/* Unlink a node, which must then be added again or never be looked at. */
static inline void pool_list_unlink(struct pool_list *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
}

/* Make a node the list's first entry; it is on the list, or a list by itself. */
static inline void pool_list_first(struct pool_list *node,
				   struct pool_list *head)
{
	if (head->next == node)
		return;
	pool_list_unlink(node);
	pool_list_add(node, head);
}

/* Unlink, and make the node an empty list, so that a second call is harmless. */
static inline void pool_list_del(struct pool_list *node)
{
	pool_list_unlink(node);
	pool_list_init(node);
}

/* Move all entries of @from to the end of @to. */
static inline void pool_list_append(struct pool_list *from, struct pool_list *to)
{
	if (pool_list_empty(from))
		return;
	from->next->prev = to->prev;
	to->prev->next = from->next;
	from->prev->next = to;
	to->prev = from->prev;
	pool_list_init(from);
}

#endif /* POOL_LIST_H */
