/* Pure functions: names of states, a session's title, a row as a message or a session. */
#include "store_int.h"

#include <stdlib.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/utf8.h"

#define MASKED_TEXT "This answer uses data that you do not have permission to see."

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

/* The length in bytes of the first `chars` characters. */
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
		if (word > 0) /* a word that is too long is cut */
			cut = word;
	}
	line = str_trim((struct str){line.p, cut});
	return arena_strndup(a, line.p, line.n);
}

const char *store_metadata(const char *origin, struct arena *a)
{
	const char *text = "{}";
	struct buf b;

	if (!origin)
		return text;
	buf_init(&b, SIZE_MAX / 2);
	buf_str(&b, "{\"dialect\":");
	buf_json_str(&b, origin, strlen(origin));
	buf_char(&b, '}');
	text = arena_strdup(a, buf_text(&b));
	buf_deinit(&b);
	return text;
}

/* ---- messages ---- */

enum cell {
	CELL_ID,
	CELL_SESSION,
	CELL_TURN,
	CELL_CLIENT_ID,
	CELL_ROLE,
	CELL_CONTENT,
	CELL_STATUS,
	CELL_INTENT,
	CELL_AGENTS,
	CELL_TOOL_CALLS,
	CELL_VIEWS,
	CELL_LINKS,
	CELL_STANDING,
	CELL_CHECKED,
	CELL_NEEDS,
	CELL_RATING,
	CELL_COMMENT,
	CELL_CORRECTION,
	CELL_PROVIDER,
	CELL_MODEL,
	CELL_TOKENS,
	CELL_LATENCY,
	CELL_CREATED,
	CELL_RECEIPT,
	CELL_PLACE,
	CELL_COUNT,
};

static const char *const cell_names[CELL_COUNT] = {
	[CELL_ID] = "message_uid",     [CELL_SESSION] = "session_id",
	[CELL_TURN] = "turn_id",       [CELL_CLIENT_ID] = "client_msg_id",
	[CELL_ROLE] = "role",          [CELL_CONTENT] = "content",
	[CELL_STATUS] = "status",      [CELL_INTENT] = "intent",
	[CELL_AGENTS] = "agents_used", [CELL_TOOL_CALLS] = "tool_calls",
	[CELL_VIEWS] = "views",        [CELL_LINKS] = "pbi_deep_links",
	[CELL_STANDING] = "standing",  [CELL_CHECKED] = "checked",
	[CELL_NEEDS] = "needs",        [CELL_RATING] = "rating",
	[CELL_COMMENT] = "comment",    [CELL_CORRECTION] = "correction",
	[CELL_PROVIDER] = "provider",  [CELL_MODEL] = "model",
	[CELL_TOKENS] = "token_count", [CELL_LATENCY] = "latency_ms",
	[CELL_CREATED] = "created_at", [CELL_RECEIPT] = "receipt_id",
	[CELL_PLACE] = "place",
};

/* Rows of messages; their columns depend on the statement. */
struct rows {
	const struct table *table;
	int at[CELL_COUNT]; /* -1: no such column */
	struct arena *arena;
};

static struct rows rows_of(const struct table *t, struct arena *a)
{
	struct rows r = {.table = t, .arena = a};

	for (int i = 0; i < CELL_COUNT; i++)
		r.at[i] = table_column(t, cell_names[i]);
	return r;
}

static const char *cell_of(const struct rows *r, size_t row, enum cell cell)
{
	return r->at[cell] < 0 ? NULL : r->table->rows[row][r->at[cell]];
}

static const char *text_of(const struct rows *r, size_t row, enum cell cell)
{
	return arena_strdup(r->arena, cell_of(r, row, cell));
}

static int64_t number_of(const struct rows *r, size_t row, enum cell cell)
{
	const char *text = cell_of(r, row, cell);

	return text ? strtoll(text, NULL, 10) : 0;
}

/* Parses stored JSON. Unreadable JSON is left out, so that the message can still be shown. */
const json_t *store_text_json(const char *text, struct arena *a)
{
	json_t *value;
	struct err e;

	if (!text)
		return NULL;
	if (!json_parse_exact(text, strlen(text), DB_CELL_BYTES_MAX, &value, &e)) {
		log_warn("store.unreadable", "a part of a stored message is invalid: %s", e.text);
		return NULL;
	}
	return json_own(a, value);
}

/* JSON as stored, to be sent unchanged: one array or object, or NULL. */
static const char *json_text_of(const struct rows *r, size_t row, enum cell cell)
{
	const char *text = cell_of(r, row, cell);
	size_t n = text ? strlen(text) : 0;
	bool whole = n > 0 && (*text == '[' || *text == '{') && json_is_complete(text, n);

	if (text && !whole)
		log_warn("store.unreadable", "%s of message %s is invalid JSON and is left out",
			 cell_names[cell], cell_of(r, row, CELL_ID));
	return whole ? arena_strndup(r->arena, text, n) : NULL;
}

/* Masks the text, too, since it contains the data. */
static void mask(struct message *m)
{
	m->masked = true;
	m->content = MASKED_TEXT;
	m->texts = (struct message_texts){0};
	m->correction = m->comment = m->receipt_id = NULL;
}

/* Removes SQL, which was stored for callers who could see it then. Most messages have none. */
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

static struct message message_of(const struct rows *r, size_t row, const struct principal *reader)
{
	const char *status = cell_of(r, row, CELL_STATUS);
	struct message m = {
		.message_id = text_of(r, row, CELL_ID),
		.session_id = text_of(r, row, CELL_SESSION),
		.turn_id = text_of(r, row, CELL_TURN),
		.client_msg_id = text_of(r, row, CELL_CLIENT_ID),
		.role = text_of(r, row, CELL_ROLE),
		.content = text_of(r, row, CELL_CONTENT),
		.status = MESSAGE_FAILED, /* for a status written by a later version */
		.intent = text_of(r, row, CELL_INTENT),
		.agents_used = text_of(r, row, CELL_AGENTS),
		.texts = {.tool_calls = json_text_of(r, row, CELL_TOOL_CALLS),
			  .views = json_text_of(r, row, CELL_VIEWS),
			  .pbi_deep_links = json_text_of(r, row, CELL_LINKS),
			  .checked = json_text_of(r, row, CELL_CHECKED),
			  /* Not sent to clients; its readers parse it. */
			  .standing = text_of(r, row, CELL_STANDING)},
		.needs = text_of(r, row, CELL_NEEDS),
		.rating = text_of(r, row, CELL_RATING),
		.comment = text_of(r, row, CELL_COMMENT),
		.correction = text_of(r, row, CELL_CORRECTION),
		.provider = text_of(r, row, CELL_PROVIDER),
		.model = text_of(r, row, CELL_MODEL),
		.token_count = number_of(r, row, CELL_TOKENS),
		.latency_ms = number_of(r, row, CELL_LATENCY),
		.created_at = text_of(r, row, CELL_CREATED),
		.receipt_id = text_of(r, row, CELL_RECEIPT),
		.place = number_of(r, row, CELL_PLACE),
	};

	if (status)
		message_status_parse(status, &m.status);
	if (!principal_has_all(reader, m.needs, r->arena))
		mask(&m);
	if (!may(reader, "chat:view_sql"))
		m.texts.views = without_sql(m.texts.views, r->arena);
	return m;
}

size_t store_messages_from_rows(const struct table *t, const struct principal *reader, size_t limit,
				bool newest_first, struct arena *a, struct message **out)
{
	size_t n = t->row_count < limit ? t->row_count : limit;
	struct message *messages = arena_alloc(a, (n + 1) * sizeof(*messages));
	const struct rows rows = rows_of(t, a);

	for (size_t row = 0; row < n; row++)
		messages[newest_first ? n - 1 - row : row] = message_of(&rows, row, reader);
	*out = messages;
	return n;
}

const json_t *store_standing_from_rows(const struct table *t, const struct principal *reader,
				       struct arena *a)
{
	if (t->row_count == 0 || !principal_has_all(reader, table_cell(t, 0, "needs"), a))
		return NULL;
	return store_text_json(table_cell(t, 0, "standing"), a);
}

static const char *text_at(const struct table *t, size_t row, const char *column, struct arena *a)
{
	return arena_strdup(a, table_cell(t, row, column));
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
