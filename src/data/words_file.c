/* Shared by language files and word files of packs: lists, synonyms and topics, with errors that
 * name path and line. */
#include "language_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/json.h"

#include "vesper/limits.h"
#include "vesper/strlist.h"

#define WORD_BYTES_MAX 100 /* per word or phrase */

struct arena *words_scratch(const struct words_file *f)
{
	return f->scratch ? f->scratch : f->arena;
}

bool words_parse(const struct words_file *f, json_t **out)
{
	const char *line;
	json_t *root;
	struct err e;

	if (!json_parse(f->text, strlen(f->text), JSON_FILE_BYTES_MAX, &root, &e)) {
		line = strstr(e.text, "line ");
		return err_set(f->err, ERR_INPUT, "%s:%d: %s", f->path,
			       line ? (int)strtol(line + 5, NULL, 10) : 1, e.text);
	}
	*out = json_own(f->arena, root);
	return json_is_object(root) || err_set(f->err, ERR_INPUT, "%s:1: not an object", f->path);
}

bool words_fail(const struct words_file *f, const char *member, const char *fmt, ...)
{
	char why[sizeof(f->err->text)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	return err_set(f->err, ERR_INPUT, "%s:%d: %s: %s", f->path, json_line(f->text, member),
		       member, why);
}

static size_t count_words(const char *text)
{
	size_t n = 1;

	for (; *text; text++)
		n += *text == ' ';
	return n;
}

bool words_list(const struct words_file *f, const json_t *list, const char *member,
		bool is_optional, const char *const **out)
{
	const char **items = arena_alloc(f->arena, (json_array_size(list) + 1) * sizeof(*items));
	const json_t *item;
	size_t i;

	if (!json_is_array(list) && !(is_optional && !list))
		return words_fail(f, member, list ? "not a list" : "is missing");
	json_array_foreach(list, i, item) {
		const char *text = json_string_value(item);
		const char *place = arena_printf(words_scratch(f), "%s[%zu]", member, i);

		if (!text || !*text || strlen(text) > WORD_BYTES_MAX)
			return words_fail(f, place, "must be a text of 1 to %d bytes",
					  WORD_BYTES_MAX);
		if (count_words(text) > PHRASE_WORDS_MAX)
			return words_fail(f, place, "at most %d words", PHRASE_WORDS_MAX);
		if (strlist_has(items, text))
			return words_fail(f, place, "\"%s\" is listed twice", text);
		items[i] = arena_strdup(f->arena, text);
	}
	*out = items;
	return true;
}

/* Returns true when one of the first `count` lists has the word. */
static bool is_in_any_list(const char *const *const *lists, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if (strlist_has(lists[i], word))
			return true;
	return false;
}

bool words_synonyms(const struct words_file *f, const json_t *lists, const char *member,
		    const char *const *const **out, size_t *count)
{
	const char *const **all =
		arena_alloc(f->arena, (json_array_size(lists) + 1) * sizeof(*all));
	const json_t *list;
	size_t i;

	if (!json_is_array(lists))
		return words_fail(f, member, lists ? "not a list" : "is missing");
	json_array_foreach(lists, i, list) {
		const char *place = arena_printf(words_scratch(f), "%s[%zu]", member, i);

		if (!words_list(f, list, place, false, &all[i]))
			return false;
		if (json_array_size(list) < 2)
			return words_fail(f, place, "must have at least two words");
		for (size_t w = 0; all[i][w]; w++)
			if (is_in_any_list(all, i, all[i][w]))
				return words_fail(
					f, arena_printf(words_scratch(f), "%s[%zu]", place, w),
					"\"%s\" is also in another list", all[i][w]);
	}
	*out = all;
	*count = json_array_size(lists);
	return true;
}

bool words_topic(const struct words_file *f, const json_t *object, const char *member, bool is_pack,
		 struct topic *out)
{
	static const char *const members[] = {"words", "answer", "unless", "takes", NULL};
	static const char *const common_members[] = {"words", "answer", NULL};
	const char *at = arena_printf(words_scratch(f), "%s.words", member);
	const char *answer, *takes = NULL;
	struct err e;

	if (!object)
		return words_fail(f, member, "is missing");
	if (!json_check_members(object, is_pack ? members : common_members, &e) ||
	    !json_get_str(object, "answer", &answer, &e) ||
	    !json_opt_str(object, "takes", &takes, &e))
		return words_fail(f, member, "%s", e.text);
	if (!*answer)
		return words_fail(f, arena_printf(words_scratch(f), "%s.answer", member),
				  "is empty");
	if (!words_list(f, json_object_get(object, "words"), at, false, &out->phrases))
		return false;
	if (!*out->phrases)
		return words_fail(f, at, "is empty");
	out->answer = arena_strdup(f->arena, answer);
	out->required_filter = arena_strdup(f->arena, takes);
	return words_list(f, json_object_get(object, "unless"),
			  arena_printf(words_scratch(f), "%s.unless", member), true, &out->unless);
}
