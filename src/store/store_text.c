/* The pure parts: names of states, a session's title, a row as a message or a session. */
#include "store_int.h"

#include <stdlib.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/utf8.h"

#define MASKED_TEXT "This answer rests on data that you do not have the permission for (any more)."

static const char *const status_names[MESSAGE_STATUS_COUNT] = {
	[MESSAGE_COMPLETE] = "complete",
	[MESSAGE_PARTIAL] = "partial",
	[MESSAGE_CANCELLED] = "cancelled",
	[MESSAGE_INTERRUPTED] = "interrupted",
	[MESSAGE_FAILED] = "failed",
	[MESSAGE_REFUSED] = "refused",
	[MESSAGE_ASK] = "ask",
};

const char *message_status_name(enum message_status s)
{
	return status_names[s];
}

bool message_status_parse(const char *name, enum message_status *out)
{
	for (int i = 0; i < MESSAGE_STATUS_COUNT; i++) {
		if (strcmp(status_names[i], name) == 0) {
			*out = (enum message_status)i;
			return true;
		}
	}
	return false;
}

/* Bytes of the first `chars` characters. */
static size_t chars_bytes(struct str s, size_t chars)
{
	size_t i = 0;

	while (i < s.n && chars > 0) {
		i++;
		while (i < s.n && ((unsigned char)s.p[i] & 0xC0) == 0x80)
			i++;
		chars--;
	}
	return i;
}

const char *store_title(const char *content, struct arena *a)
{
	struct str rest = str_trim(str_of(content));
	struct str line = {0};
	size_t cut;

	str_split(&rest, '\n', &line);
	line = str_trim(line);
	cut = chars_bytes(line, TITLE_CHARS_MAX);
	if (cut < line.n && line.p[cut] != ' ') {
		size_t word = cut;

		while (word > 0 && line.p[word - 1] != ' ')
			word--;
		if (word > 0) /* one endless word is cut where it is */
			cut = word;
	}
	line = str_trim((struct str){line.p, cut});
	return arena_strndup(a, line.p, line.n);
}

static const char *text_at(const struct table *t, size_t row, const char *column, struct arena *a)
{
	return arena_strdup(a, table_cell(t, row, column));
}

static int64_t number_at(const struct table *t, size_t row, const char *column)
{
	const char *text = table_cell(t, row, column);

	return text ? strtoll(text, NULL, 10) : 0;
}

/* What was stored as JSON; what can't be read any more is left out, the message itself is worth
 * more. */
const json_t *store_text_json(const char *text, struct arena *a)
{
	json_t *value;
	struct err e;

	if (!text)
		return NULL;
	if (!json_parse_exact(text, strlen(text), DB_CELL_BYTES_MAX, &value, &e)) {
		log_warn("store.unreadable", "a part of a message: %s", e.text);
		return NULL;
	}
	return json_own(a, value);
}

/* JSON that goes out as it stands in its row: begun and ended as it was written. */
static const char *json_text_at(const struct table *t, size_t row, const char *column,
				struct arena *a)
{
	const char *text = table_cell(t, row, column);
	size_t n = text ? strlen(text) : 0;
	bool whole = n >= 2 && ((text[0] == '[' && text[n - 1] == ']') ||
				(text[0] == '{' && text[n - 1] == '}'));

	if (text && !whole)
		log_warn("store.unreadable", "%s of message %s", column,
			 table_cell(t, row, "message_uid"));
	return whole ? arena_strndup(a, text, n) : NULL;
}

/* What an answer says is as much its data as the table beside it. */
static void mask(struct message *m)
{
	m->masked = true;
	m->content = MASKED_TEXT;
	m->texts = (struct message_texts){0};
	m->standing = NULL;
	m->correction = m->comment = m->receipt_id = NULL;
}

/* Statements were stored for who could see them then. Few readers find any. */
static const char *without_sql(const char *views, struct arena *a)
{
	const json_t *all, *view;
	char *text;
	size_t i;

	if (!views || !strstr(views, "\"sql\":"))
		return views;
	all = store_text_json(views, a);
	if (!all)
		return NULL;
	json_array_foreach((json_t *)(uintptr_t)all, i, view)
		json_object_del(json_object_get(view, "source"), "sql");
	text = json_text(all);
	views = arena_strdup(a, text);
	mem_free(text);
	return views;
}

void store_message_from_row(const struct table *t, size_t row, const struct principal *reader,
			    bool standing, struct arena *a, struct message *out)
{
	const char *status = table_cell(t, row, "status");

	*out = (struct message){
		.message_id = text_at(t, row, "message_uid", a),
		.session_id = text_at(t, row, "session_id", a),
		.turn_id = text_at(t, row, "turn_id", a),
		.client_msg_id = text_at(t, row, "client_msg_id", a),
		.role = text_at(t, row, "role", a),
		.content = text_at(t, row, "content", a),
		.status = MESSAGE_FAILED, /* what a later version may have written */
		.intent = text_at(t, row, "intent", a),
		.agents_used = text_at(t, row, "agents_used", a),
		.texts = {.tool_calls = json_text_at(t, row, "tool_calls", a),
			  .views = json_text_at(t, row, "views", a),
			  .pbi_deep_links = json_text_at(t, row, "pbi_deep_links", a),
			  .checked = json_text_at(t, row, "checked", a)},
		.standing = standing ? store_text_json(table_cell(t, row, "standing"), a) : NULL,
		.needs = text_at(t, row, "needs", a),
		.rating = text_at(t, row, "rating", a),
		.comment = text_at(t, row, "comment", a),
		.correction = text_at(t, row, "correction", a),
		.provider = text_at(t, row, "provider", a),
		.model = text_at(t, row, "model", a),
		.token_count = number_at(t, row, "token_count"),
		.latency_ms = number_at(t, row, "latency_ms"),
		.created_at = text_at(t, row, "created_at", a),
		.receipt_id = text_at(t, row, "receipt_id", a),
		.place = number_at(t, row, "place"),
	};
	if (status)
		message_status_parse(status, &out->status);
	if (!may_all(reader, out->needs, a))
		mask(out);
	if (!may(reader, "chat:view_sql"))
		out->texts.views = without_sql(out->texts.views, a);
}

size_t store_messages_from_rows(const struct table *t, const struct principal *reader, size_t limit,
				bool newest_first, struct arena *a, struct message **out)
{
	size_t n = t->row_count < limit ? t->row_count : limit;
	struct message *messages = arena_alloc(a, (n + 1) * sizeof(*messages));
	bool stood = true;

	for (size_t row = 0; row < n; row++) {
		struct message *one = &messages[newest_first ? n - 1 - row : row];

		store_message_from_row(t, row, reader, stood, a, one);
		/* Only the newest counts, and the others are a good part of what is read. */
		stood = stood && !(newest_first && one->standing);
	}
	*out = messages;
	return n;
}

struct session store_session_from_row(const struct table *t, size_t row, struct arena *a)
{
	struct session s = {
		.session_id = text_at(t, row, "session_id", a),
		.title = text_at(t, row, "title", a),
		.created_at = text_at(t, row, "created_at", a),
		.updated_at = text_at(t, row, "updated_at", a),
		.archived_at = text_at(t, row, "archived_at", a),
		.etag = text_at(t, row, "etag", a),
	};

	if (!s.etag)
		s.etag = s.session_id; /* never edited */
	return s;
}

const struct principal *store_principal(const struct principal *who, struct arena *a)
{
	struct principal *copy = arena_alloc(a, sizeof(*copy));
	const char **permissions =
		arena_alloc(a, (who->permission_count + 1) * sizeof(*permissions));

	for (size_t i = 0; i < who->permission_count; i++)
		permissions[i] = arena_strdup(a, who->permissions[i]);
	*copy = *who;
	copy->user = arena_strdup(a, who->user);
	copy->tenant = arena_strdup(a, who->tenant);
	copy->permissions = permissions;
	return copy;
}
