/* Lookup of sources by name, and freeing of their results. */
#include "vesper/source.h"

#include <string.h>

#include "vesper/frame.h"

struct source *source_find(const struct source_table *t, const char *name)
{
	for (size_t i = 0; i < t->count; i++)
		if (strcmp(t->items[i]->name, name) == 0)
			return t->items[i];
	return NULL;
}

void source_batches_free(struct source_batch *batches, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		table_free(&batches[i].table);
		frame_free(&batches[i].frame);
	}
}
