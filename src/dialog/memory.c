/*
 * What a long conversation was about, as items: each question with the first sentence of its
 * answer, what stood at the end, and a model's own words where there is one. Every item names the
 * permissions that what it says rests on, and they are looked at again whenever it is used. Pure.
 */
#include "vesper/dialog.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/utf8.h"

/* ---- permissions ---- */

static bool may_know(const struct principal *who, const json_t *item, struct arena *a)
{
	struct str rest = str_of(json_string_value(json_object_get(item, "needs"))), one;

	while (rest.p && str_split(&rest, ' ', &one))
		if (one.n > 0 && !may(who, arena_strndup(a, one.p, one.n)))
			return false;
	return true;
}

static bool is_listed(const char *all, struct str name)
{
	struct str rest = str_of(all), one;

	while (str_split(&rest, ' ', &one))
		if (str_eq(one, name))
			return true;
	return false;
}

static const char *join_needs(const char *all, const char *more, struct arena *a)
{
	struct str rest = str_of(more), one;

	while (more && str_split(&rest, ' ', &one))
		if (one.n > 0 && !is_listed(all, one))
			all = arena_printf(a, "%s%s%.*s", all, *all ? " " : "", STR_FMT(one));
	return all;
}

/* ---- making items ---- */

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

static json_t *item_of(const struct message *q, const struct message *answer, struct arena *a)
{
	json_t *item = json_object();

	json_set_str(item, "kind", "turn");
	json_set_str(item, "question", first_sentence(q->content, a));
	if (answer && has_answer(answer)) {
		json_set_str(item, "answer", first_sentence(answer->content, a));
		json_set_str(item, "needs", answer->needs && *answer->needs ? answer->needs : NULL);
	}
	return item;
}

static json_t *standing_of(const struct message *m)
{
	json_t *item = json_object();

	json_set_str(item, "kind", "standing");
	json_object_set(item, "standing", (json_t *)m->standing);
	json_set_str(item, "needs", m->needs && *m->needs ? m->needs : NULL);
	return item;
}

static void keep_earlier(json_t *items, const json_t *earlier)
{
	const json_t *item;
	size_t i;

	json_array_foreach((json_t *)earlier, i, item)
		if (strcmp(kind_of(item), "turn") == 0)
			json_array_append(items, (json_t *)item);
}

static const json_t *find_kind(const json_t *items, const char *kind)
{
	const json_t *item;
	size_t i;

	json_array_foreach((json_t *)items, i, item)
		if (strcmp(kind_of(item), kind) == 0)
			return item;
	return NULL;
}

json_t *memory_items(const json_t *earlier, const struct message *messages, size_t count,
		     struct arena *a)
{
	json_t *items = json_array();
	const json_t *stood = find_kind(earlier, "standing");
	json_t *standing = stood ? json_incref((json_t *)stood) : NULL;

	keep_earlier(items, earlier);
	for (size_t i = 0; i < count; i++) {
		const struct message *m = &messages[i], *next = i + 1 < count ? m + 1 : NULL;

		if (strcmp(m->role, "user") == 0)
			json_push_take(
				items,
				item_of(m,
					next && strcmp(next->role, "assistant") == 0 ? next : NULL,
					a));
		else if (m->standing) {
			json_decref(standing);
			standing = standing_of(m);
		}
	}
	while (json_array_size(items) > SUMMARY_ITEMS_MAX)
		json_array_remove(items, 0);
	if (standing)
		json_push_take(items, standing);
	return items;
}

/* ---- what a model makes of them ---- */

const char *memory_source(const json_t *earlier, const json_t *items, const struct principal *who,
			  struct arena *a)
{
	const json_t *text = find_kind(earlier, "text"), *item;
	const char *all = "";
	size_t i;

	if (text && may_know(who, text, a))
		all = arena_printf(a, "Earlier memory:\n%s\n\n",
				   json_string_value(json_object_get(text, "text")));
	json_array_foreach((json_t *)items, i, item) {
		const char *answer = json_string_value(json_object_get(item, "answer"));

		if (strcmp(kind_of(item), "turn") != 0)
			continue;
		all = arena_printf(a, "%sQuestion: %s\n", all,
				   json_string_value(json_object_get(item, "question")));
		if (answer && may_know(who, item, a))
			all = arena_printf(a, "%sAnswer: %s\n", all, answer);
	}
	return all;
}

void memory_add_text(json_t *items, const json_t *earlier, const char *text, struct arena *a)
{
	const json_t *before = find_kind(earlier, "text"), *item;
	const char *needs = "";
	json_t *own;
	size_t i;

	if (before)
		needs = join_needs(needs, json_string_value(json_object_get(before, "needs")), a);
	json_array_foreach(items, i, item)
		needs = join_needs(needs, json_string_value(json_object_get(item, "needs")), a);
	own = json_object();
	json_set_str(own, "kind", "text");
	json_set_str(own, "text",
		     arena_strndup(a, text, utf8_cut(text, strlen(text), SUMMARY_BYTES_MAX)));
	json_set_str(own, "needs", *needs ? needs : NULL);
	json_push_take(items, own);
}

/* ---- using them ---- */

const json_t *memory_standing(const json_t *items, const struct principal *who, struct arena *a)
{
	const json_t *item = find_kind(items, "standing");

	return item && may_know(who, item, a) ? json_object_get(item, "standing") : NULL;
}

const char *memory_text(const json_t *items, const struct principal *who, bool answers,
			struct arena *a)
{
	const json_t *text = find_kind(items, "text"), *item;
	const char *all = "";
	size_t i;

	if (answers && text && may_know(who, text, a))
		return json_string_value(json_object_get(text, "text"));
	json_array_foreach((json_t *)items, i, item) {
		const char *answer = json_string_value(json_object_get(item, "answer"));
		bool tell = answers && answer && may_know(who, item, a);

		if (strcmp(kind_of(item), "turn") == 0)
			all = arena_printf(a, "%s- %s%s%s\n", all,
					   json_string_value(json_object_get(item, "question")),
					   tell ? " -> " : "", tell ? answer : "");
	}
	return all;
}
