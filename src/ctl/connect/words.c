/* Reads config/connect.json, and converts names of tables and columns to words. */
#include "connect_int.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "vesper/file.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/str.h"

#define WORDS_FILE "config/connect.json"

static bool read_list(const json_t *root, const char *member, struct arena *a,
		      const char *const **out, struct err *e)
{
	const json_t *list = json_object_get(root, member), *item;
	struct strlist texts = {0};
	size_t i;

	if (!json_is_array(list))
		return err_set(e, ERR_INPUT, WORDS_FILE ": %s: must be a list", member);
	strlist_add(&texts, a, NULL);
	json_array_foreach(list, i, item) {
		if (!json_is_string(item))
			return err_set(e, ERR_INPUT, WORDS_FILE ": %s[%zu]: must be a string",
				       member, i);
		strlist_add(&texts, a, json_string_value(item));
	}
	*out = texts.items;
	return true;
}

static bool read_units(const json_t *root, struct arena *a, struct connect_words *out,
		       struct err *e)
{
	const json_t *list = json_object_get(root, "units"), *item;
	struct connect_unit *units = NULL;
	size_t cap = 0, i;

	json_array_foreach(list, i, item) {
		const char *const *words;
		const char *symbol;

		if (!read_list(item, "words", a, &words, e) ||
		    !json_get_str(item, "unit", &symbol, e))
			return err_prefix(e, "units[%zu]", i);
		for (; *words; words++) {
			units = arena_grow(a, units, out->unit_count, &cap, sizeof(*units));
			units[out->unit_count++] = (struct connect_unit){*words, symbol};
		}
	}
	out->units = units;
	return true;
}

static bool read_plurals(const json_t *root, struct arena *a, struct connect_words *out,
			 struct err *e)
{
	const json_t *list = json_object_get(root, "plurals"), *item;
	struct strlist pairs = {0};
	size_t i;

	strlist_add(&pairs, a, NULL);
	json_array_foreach(list, i, item) {
		const char *one = json_string_value(json_array_get(item, 0));
		const char *many = json_string_value(json_array_get(item, 1));

		if (!one || !many)
			return err_set(e, ERR_INPUT,
				       WORDS_FILE ": plurals[%zu]: must be two strings", i);
		strlist_add(&pairs, a, one);
		strlist_add(&pairs, a, many);
	}
	out->plurals = pairs.items;
	return true;
}

bool connect_words_read(const char *root_dir, struct arena *a, struct connect_words *out,
			struct err *e)
{
	json_t *root;

	if (!json_parse_file(arena_printf(a, "%s/" WORDS_FILE, root_dir), &root, e))
		return false;
	json_own(a, root);
	out->aggregates = json_object_get(root, "aggregates");
	out->golden = json_object_get(root, "golden");
	return read_list(root, "titles", a, &out->titles, e) &&
	       read_list(root, "lesser_titles", a, &out->lesser_titles, e) &&
	       read_list(root, "personal", a, &out->personal, e) &&
	       read_list(root, "codes", a, &out->codes, e) &&
	       read_list(root, "averages", a, &out->averages, e) &&
	       read_list(root, "counts", a, &out->counts, e) && read_units(root, a, out, e) &&
	       read_plurals(root, a, out, e);
}

/* A word begins after a separator, or at a capital after a lower-case letter. */
const char *connect_name_words(const char *name, struct arena *a)
{
	char *out = arena_alloc(a, 2 * strlen(name) + 1);
	size_t n = 0;

	for (const char *p = name; *p; p++) {
		unsigned char c = (unsigned char)*p;
		bool sign = c < 0x80 && !isalnum(c);
		bool begins = p > name && isupper(c) && islower((unsigned char)p[-1]);

		if ((sign || begins) && n > 0 && out[n - 1] != ' ')
			out[n++] = ' ';
		if (!sign)
			out[n++] = (char)tolower(c);
	}
	while (n > 0 && out[n - 1] == ' ')
		n--;
	out[n] = '\0';
	return out;
}

static bool has_phrase(const char *words, const char *phrase)
{
	size_t len = strlen(phrase);

	for (const char *p = words; (p = strstr(p, phrase)); p++)
		if ((p == words || p[-1] == ' ') && (p[len] == ' ' || p[len] == '\0'))
			return true;
	return false;
}

bool connect_has_word(const char *words, const char *const *list)
{
	for (; *list; list++)
		if (has_phrase(words, *list))
			return true;
	return false;
}

static const char *replace_ending(const char *words, const char *from, const char *to,
				  struct arena *a)
{
	size_t n = strlen(words), tail = strlen(from);

	if (n <= tail || strcmp(words + n - tail, from) != 0)
		return NULL;
	return arena_printf(a, "%.*s%s", (int)(n - tail), words, to);
}

const char *connect_plural(const struct connect_words *w, const char *words, struct arena *a)
{
	for (const char *const *p = w->plurals; *p; p += 2) {
		const char *plural = replace_ending(words, p[0], p[1], a);

		if (plural)
			return plural;
	}
	return words;
}

/* The singular of a plural; the unchanged words when they are not a plural. */
const char *connect_singular(const struct connect_words *w, const char *words, struct arena *a)
{
	for (const char *const *p = w->plurals; *p; p += 2) {
		const char *one = replace_ending(words, p[1], p[0], a);

		if (one && strcmp(connect_plural(w, one, a), words) == 0 && strlen(one) > 2 &&
		    one[strlen(one) - 1] != 's' && one[strlen(one) - 1] != 'u')
			return one;
	}
	return words;
}

const char *connect_fill(const char *sentence, struct arena *a, ...)
{
	const char *out = arena_strdup(a, sentence), *name;
	va_list args;

	va_start(args, a);
	while ((name = va_arg(args, const char *))) {
		const char *text = va_arg(args, const char *);
		const char *mark = arena_printf(a, "{%s}", name);
		const char *at = strstr(out, mark);

		if (at)
			out = arena_printf(a, "%.*s%s%s", (int)(at - out), out, text,
					   at + strlen(mark));
	}
	va_end(args);
	return out;
}
