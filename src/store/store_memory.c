/* Summaries of long sessions: reads the newest one and stores a new one. Callers define the
 * content. */
#include "store_int.h"

#include <stdlib.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"

static int64_t number_at(const struct table *t, const char *column)
{
	const char *text = table_cell(t, 0, column);

	return text ? strtoll(text, NULL, 10) : 0;
}

const json_t *store_memory_items(const char *summary, struct arena *a)
{
	struct err e = {0};
	json_t *items;

	if (!summary)
		return NULL;
	if (!json_parse(summary, strlen(summary), DB_CELL_BYTES_MAX, &items, &e)) {
		log_warn("store.unreadable", "a stored summary is invalid: %s", e.text);
		return NULL;
	}
	json_own(a, items);
	return json_is_array(items) ? items : NULL;
}

struct memory store_memory_from_rows(const struct table *summary, const struct table *size,
				     struct arena *a)
{
	struct memory m = {
		.messages = number_at(size, "messages"),
		.tokens = number_at(size, "tokens"),
	};

	if (summary->row_count > 0)
		m.summary = arena_strdup(a, table_cell(summary, 0, "summary_text"));
	return m;
}

struct summary_call {
	struct call call;
	store_done_cb cb;
	void *owner;
};

static void on_summary(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct summary_call *m = list_item(c, struct summary_call, call);

	(void)tables;
	(void)count;
	m->cb(m->owner, e);
}

struct op *store_summary(struct store *s, const struct principal *who, const char *session_id,
			 const char *items, int64_t covers_through, store_done_cb cb, void *owner)
{
	struct summary_call *m = store_call_new_for(s, who, sizeof(*m));

	m->cb = cb;
	m->owner = owner;
	m->call.finish = on_summary;
	store_call_text(&m->call, "session_id", session_id);
	store_call_json(&m->call, "summary_text", items);
	store_call_int(&m->call, "covers_through", covers_through);
	store_call_now(&m->call);
	store_call_add(&m->call, "session_compacted");
	store_call_add(&m->call, "summary_insert");
	return store_call_write(&m->call);
}
