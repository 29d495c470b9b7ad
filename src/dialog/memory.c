/*
 * Summary of a long conversation as items: each question with the first sentence of its answer,
 * the last session context, and a model's summary if there is one. Each item lists the permissions
 * it requires; they are checked on every use. Pure.
 */
#include "vesper/dialog.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/json_out.h"
#include "vesper/limits.h"
#include "vesper/utf8.h"

/* ---- permissions ---- */

static bool may_read(const struct principal *who, const json_t *item, struct arena *a)
{
	struct str rest = str_of(json_string_value(json_object_get(item, "needs"))), permission;

	while (rest.p && str_split(&rest, ' ', &permission))
		if (permission.n > 0 && !may(who, arena_strndup(a, permission.p, permission.n)))
			return false;
	return true;
}

static bool is_listed(const char *all, struct str name)
{
	struct str rest = str_of(all), permission;

	while (str_split(&rest, ' ', &permission))
		if (str_eq(permission, name))
			return true;
	return false;
}

static const char *join_needs(const char *all, const char *more, struct arena *a)
{
	struct str rest = str_of(more), permission;

	while (more && str_split(&rest, ' ', &permission))
		if (permission.n > 0 && !is_listed(all, permission))
			all = arena_printf(a, "%s%s%.*s", all, *all ? " " : "",
					   STR_FMT(permission));
	return all;
}

/* ---- building items ---- */

static const char *kind_of(const json_t *item)
{
	const char *kind = json_string_value(json_object_get(item, "kind"));

	return kind ? kind : "";
}

static const char *first_sentence(const char *text, struct arena *a)
{
	const char *end = strstr(text, ". "), *line = strchr(text, '\n');
	size_t n = strlen(text);

	if (end && (size_t)(end - text) + 1 < n)
		n = (size_t)(end - text) + 1;
	if (line && (size_t)(line - text) < n)
		n = (size_t)(line - text);
	return arena_strndup(a, text, utf8_cut(text, n, SUMMARY_TEXT_BYTES));
}

static bool has_answer(const struct message *m)
{
	return (m->status == MESSAGE_COMPLETE || m->status == MESSAGE_PARTIAL) && !m->masked &&
	       *m->content;
}

static void write_needs(struct json_out *j, const struct message *answer)
{
	jo_set_str(j, "needs", answer->needs && *answer->needs ? answer->needs : NULL);
}

static void write_turn(struct json_out *j, const struct message *q, const struct message *answer,
		       struct arena *a)
{
	jo_object(j);
	jo_set_str(j, "kind", "turn");
	jo_set_str(j, "question", first_sentence(q->content, a));
	if (answer && has_answer(answer)) {
		jo_set_str(j, "answer", first_sentence(answer->content, a));
		write_needs(j, answer);
	}
	jo_object_end(j);
}

static void write_context(struct json_out *j, const struct message *m)
{
	jo_object(j);
	jo_set_str(j, "kind", "standing");
	jo_set_raw(j, "standing", str_of(m->texts.standing));
	write_needs(j, m);
	jo_object_end(j);
}

static bool is_of_kind(struct str item, struct str kind)
{
	static const char before[] = "{\"kind\":\"";

	if (!str_starts(item, STR(before)))
		return false;
	item.p += sizeof(before) - 1;
	item.n -= sizeof(before) - 1;
	return str_starts(item, kind) && item.n > kind.n && item.p[kind.n] == '"';
}

static struct str array_body(const char *items)
{
	size_t n = items ? strlen(items) : 0;

	return n >= 2 && *items == '[' ? json_inside((struct str){items, n}) : STR("");
}

static size_t count_turns(const char *earlier)
{
	struct str inside = array_body(earlier), item;
	size_t count = 0;

	while (json_item_next(&inside, &item))
		count += is_of_kind(item, STR("turn"));
	return count;
}

/* Copies the turns except the first `skip`. *standing: the session context among the items. */
static void write_earlier(struct json_out *j, const char *earlier, size_t skip,
			  struct str *standing)
{
	struct str inside = array_body(earlier), item;

	while (json_item_next(&inside, &item)) {
		if (is_of_kind(item, STR("standing")))
			*standing = item;
		if (!is_of_kind(item, STR("turn")))
			continue;
		if (skip > 0)
			skip--;
		else
			jo_raw(j, item);
	}
}

static bool is_question(const struct message *m)
{
	return strcmp(m->role, "user") == 0;
}

static size_t count_questions(const struct message *messages, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += is_question(&messages[i]);
	return n;
}

static bool has_context(const struct message *m)
{
	const char *text = m->texts.standing;

	return text && json_is_complete(text, strlen(text));
}

/* Returns the last message with a session context, or NULL. */
static const struct message *write_turns(struct json_out *j, const struct message *messages,
					 size_t count, size_t skip, struct arena *a)
{
	const struct message *last_with_context = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct message *m = &messages[i], *next = i + 1 < count ? m + 1 : NULL;

		if (!is_question(m))
			last_with_context = has_context(m) ? m : last_with_context;
		else if (skip > 0)
			skip--;
		else
			write_turn(j, m, next && !is_question(next) ? next : NULL, a);
	}
	return last_with_context;
}

const char *memory_items(const char *earlier, const struct message *messages, size_t count,
			 struct arena *a)
{
	size_t old = count_turns(earlier), new = count_questions(messages, count);
	size_t excess = old + new > SUMMARY_ITEMS_MAX ? old + new - SUMMARY_ITEMS_MAX : 0;
	const struct message *last_with_context;
	struct str standing = {0};
	struct json_out j;
	struct buf text;
	const char *items;

	buf_init(&text, SIZE_MAX / 2);
	jo_init(&j, &text);
	jo_array(&j);
	write_earlier(&j, earlier, excess, &standing);
	last_with_context = write_turns(&j, messages, count, excess > old ? excess - old : 0, a);
	if (last_with_context)
		write_context(&j, last_with_context);
	else
		jo_raw(&j, standing);
	jo_array_end(&j);
	items = arena_strndup(a, text.p, text.n);
	buf_deinit(&text);
	return items;
}

/* ---- summaries by a model ---- */

static const json_t *find_kind(const json_t *items, const char *kind)
{
	const json_t *item;
	size_t i;

	json_array_foreach((json_t *)items, i, item)
		if (strcmp(kind_of(item), kind) == 0)
			return item;
	return NULL;
}

const char *memory_source(const json_t *earlier, const json_t *items, const struct principal *who,
			  struct arena *a)
{
	const json_t *text = find_kind(earlier, "text"), *item;
	const char *all = "";
	size_t i;

	if (text && may_read(who, text, a))
		all = arena_printf(a, "Earlier memory:\n%s\n\n",
				   json_string_value(json_object_get(text, "text")));
	json_array_foreach((json_t *)items, i, item) {
		const char *answer = json_string_value(json_object_get(item, "answer"));

		if (strcmp(kind_of(item), "turn") != 0)
			continue;
		all = arena_printf(a, "%sQuestion: %s\n", all,
				   json_string_value(json_object_get(item, "question")));
		if (answer && may_read(who, item, a))
			all = arena_printf(a, "%sAnswer: %s\n", all, answer);
	}
	return all;
}

const char *memory_add_text(const char *items, const json_t *earlier, const char *text,
			    struct arena *a)
{
	const json_t *before = find_kind(earlier, "text"), *item;
	const json_t *all = store_memory_items(items, a);
	struct str inside = array_body(items);
	const char *needs = "";
	struct json_out j;
	struct buf out;
	size_t i;

	if (before)
		needs = join_needs(needs, json_string_value(json_object_get(before, "needs")), a);
	json_array_foreach((json_t *)all, i, item)
		needs = join_needs(needs, json_string_value(json_object_get(item, "needs")), a);
	buf_init(&out, SIZE_MAX / 2);
	jo_init(&j, &out);
	jo_array(&j);
	jo_raw(&j, inside);
	jo_object(&j);
	jo_set_str(&j, "kind", "text");
	jo_set_str(&j, "text",
		   arena_strndup(a, text, utf8_cut(text, strlen(text), SUMMARY_BYTES_MAX)));
	jo_set_str(&j, "needs", *needs ? needs : NULL);
	jo_object_end(&j);
	jo_array_end(&j);
	items = arena_strndup(a, out.p, out.n);
	buf_deinit(&out);
	return items;
}

/* ---- using items ---- */

const json_t *memory_session_context(const json_t *items, const struct principal *who,
				     struct arena *a)
{
	const json_t *item = find_kind(items, "standing");

	return item && may_read(who, item, a) ? json_object_get(item, "standing") : NULL;
}

const char *memory_text(const json_t *items, const struct principal *who, bool answers,
			struct arena *a)
{
	const json_t *text = find_kind(items, "text"), *item;
	const char *all = "";
	size_t i;

	if (answers && text && may_read(who, text, a))
		return json_string_value(json_object_get(text, "text"));
	json_array_foreach((json_t *)items, i, item) {
		const char *answer = json_string_value(json_object_get(item, "answer"));
		bool include_answer = answers && answer && may_read(who, item, a);

		if (strcmp(kind_of(item), "turn") == 0)
			all = arena_printf(a, "%s- %s%s%s\n", all,
					   json_string_value(json_object_get(item, "question")),
					   include_answer ? " -> " : "",
					   include_answer ? answer : "");
	}
	return all;
}
