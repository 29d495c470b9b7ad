/* NULL-ended lists of texts. */
#include "vesper/strlist.h"

#include <string.h>

bool strlist_has(const char *const *list, const char *text)
{
	for (; list && *list; list++)
		if (strcmp(*list, text) == 0)
			return true;
	return false;
}

size_t strlist_len(const char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

const char *const *strlist_copy(const char *const *list, struct arena *a)
{
	struct strlist copy = {0};

	strlist_add(&copy, a, NULL);
	for (; list && *list; list++)
		strlist_add(&copy, a, *list);
	return copy.items;
}

void strlist_add(struct strlist *list, struct arena *a, const char *text)
{
	list->items = arena_grow(a, list->items, list->count, &list->cap, sizeof(*list->items));
	if (text)
		list->items[list->count++] = arena_strdup(a, text);
	list->items = arena_grow(a, list->items, list->count, &list->cap, sizeof(*list->items));
	list->items[list->count] = NULL;
}
