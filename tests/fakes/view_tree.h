/* A view as a JSON tree, for tests that check its members. */
#ifndef VIEW_TREE_H
#define VIEW_TREE_H

#include <cmocka.h>

#include "vesper/json.h"
#include "vesper/view.h"

/* New reference. */
static inline json_t *view_tree(const struct result *r, const struct table *t, const char *view_id)
{
	struct arena *a = arena_new(1 << 20);
	struct buf text;
	json_t *view;

	buf_init(&text, SIZE_MAX / 2);
	view_data(&text, r, t, view_id, a);
	assert_true(json_parse_exact(buf_text(&text), text.n, SIZE_MAX, &view, NULL));
	buf_deinit(&text);
	arena_free(&a);
	return view;
}

#endif
