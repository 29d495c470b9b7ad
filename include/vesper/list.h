/* Intrusive doubly linked list. A node is in one list at most; list_remove on a node in no list
 * does nothing. */
#ifndef VESPER_LIST_H
#define VESPER_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
	struct list *next;
	struct list *prev;
};

static inline void list_init(struct list *l)
{
	l->next = l->prev = l;
}

static inline bool list_empty(const struct list *l)
{
	return l->next == l;
}

static inline void list_append(struct list *l, struct list *node)
{
	node->prev = l->prev;
	node->next = l;
	l->prev->next = node;
	l->prev = node;
}

static inline void list_remove(struct list *node)
{
	if (!node->next)
		return;
	node->prev->next = node->next;
	node->next->prev = node->prev;
	list_init(node);
}

#define list_item(node, type, member) ((type *)(void *)((char *)(node)-offsetof(type, member)))
#define list_each(pos, head)          for (struct list *pos = (head)->next; pos != (head); pos = pos->next)
/* The body may remove the current node. */
#define list_each_safe(pos, head)                                                                  \
	for (struct list *pos = (head)->next, *pos##_next = pos->next; pos != (head);              \
	     pos = pos##_next, pos##_next = pos->next)

#endif
