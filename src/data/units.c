/* The unit registry: reading it, and exact conversion. */
#include "vesper/units.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/language.h"

#define DECIMALS_MAX 9

static const char *const styles[] = {
	[STYLE_MONEY] = "money", [STYLE_MONEY_PER] = "money_per", [STYLE_PERCENT] = "percent",
	[STYLE_COUNT] = "count", [STYLE_AFTER] = "after",
};
enum { STYLES = sizeof(styles) / sizeof(styles[0]) };

static bool read_style(const struct words_file *f, const char *member, const char *name,
		       enum unit_style *out)
{
	for (size_t i = 0; i < STYLES; i++)
		if (strcmp(styles[i], name) == 0) {
			*out = (enum unit_style)i;
			return true;
		}
	return words_fail(f, member, "style must be money, money_per, percent, count or after");
}

static bool read_unit(const struct words_file *f, const json_t *item, const char *member,
		      struct unit_def *out)
{
	static const char *const members[] = {"symbol", "dimension", "scale",
					      "style",  "decimals",  "spellings",
					      "glued",  "counted",   NULL};
	const char *scale, *style;
	int64_t decimals;
	struct err e;

	if (!json_check_members(item, members, &e) ||
	    !json_get_str(item, "symbol", &out->symbol, &e) ||
	    !json_get_str(item, "dimension", &out->dimension, &e) ||
	    !json_get_str(item, "scale", &scale, &e) || !json_get_str(item, "style", &style, &e) ||
	    !json_get_int(item, "decimals", &decimals, &e))
		return words_fail(f, member, "%s", e.text);
	if (!*out->symbol || !*out->dimension)
		return words_fail(f, member, "symbol and dimension must not be empty");
	if (!decimal_parse(scale, &out->scale) || out->scale.units <= 0)
		return words_fail(f, member, "scale must be a number above 0, in quotes");
	if (decimals < 0 || decimals > DECIMALS_MAX)
		return words_fail(f, member, "decimals must be 0 to %d", DECIMALS_MAX);
	out->decimals = (int)decimals;
	out->counted = json_is_true(json_object_get(item, "counted"));
	if (json_object_get(item, "counted") && !json_is_boolean(json_object_get(item, "counted")))
		return words_fail(f, member, "counted must be true or false");
	return read_style(f, member, style, &out->style) &&
	       words_list(f, json_object_get(item, "spellings"),
			  arena_printf(f->arena, "%s.spellings", member), true, &out->spellings) &&
	       words_list(f, json_object_get(item, "glued"),
			  arena_printf(f->arena, "%s.glued", member), true, &out->glued);
}

static bool is_same(const struct unit_def *a, const struct unit_def *b)
{
	return strcmp(a->dimension, b->dimension) == 0 && a->style == b->style &&
	       a->decimals == b->decimals && decimal_cmp(a->scale, b->scale) == 0;
}

/* ---- words ---- */

static void add_word(struct unit_word *words, size_t *count, const char *text,
		     const struct unit_def *unit, bool glued)
{
	bool is_letter = strlen(text) == 1 && isalpha((unsigned char)*text);
	bool is_sign = unit->style == STYLE_MONEY && !isalpha((unsigned char)*text);

	for (size_t i = 0; i < *count; i++)
		if (strcmp(words[i].text, text) == 0) {
			words[i].glued = words[i].glued || glued;
			return;
		}
	/* In "5 x 3" and "this one $450", a single letter or a currency sign is not a unit of the
	 * number before it. */
	words[(*count)++] = (struct unit_word){text, unit, glued, !is_letter && !is_sign};
}

static int by_length(const void *a, const void *b)
{
	const struct unit_word *x = a, *y = b;
	size_t n = strlen(x->text), m = strlen(y->text);

	return n != m ? (n < m) - (n > m) : strcmp(x->text, y->text);
}

/* Collected once per registry; number checks borrow the list. */
static void collect_words(struct units *u, struct arena *a)
{
	struct unit_word *words, *money;
	size_t capacity = 0;

	for (size_t i = 0; i < u->count; i++) {
		capacity++;
		for (const char *const *w = u->items[i].spellings; *w; w++)
			capacity++;
		for (const char *const *w = u->items[i].glued; *w; w++)
			capacity++;
	}
	u->words = words = arena_alloc(a, (capacity + 1) * sizeof(*words));
	for (size_t i = 0; i < u->count; i++) {
		const struct unit_def *unit = &u->items[i];

		if (unit->style == STYLE_COUNT)
			continue; /* has no unit words */
		add_word(words, &u->word_count, unit->symbol, unit, false);
		for (const char *const *w = unit->spellings; *w; w++)
			add_word(words, &u->word_count, *w, unit, false);
		for (const char *const *w = unit->glued; *w; w++)
			add_word(words, &u->word_count, *w, unit, true);
	}
	qsort(words, u->word_count, sizeof(*words), by_length);
	u->money = money = arena_alloc(a, (u->word_count + 1) * sizeof(*money));
	for (size_t i = 0; i < u->word_count; i++)
		if (words[i].unit->style == STYLE_MONEY)
			money[u->money_count++] = words[i];
}

/* ---- the registry ---- */

bool units_read(const struct words_file *f, const json_t *list, const char *member,
		const struct units *base, struct units *out)
{
	size_t count = base ? base->count : 0, i;
	struct unit_def *items =
		arena_alloc(f->arena, (count + json_array_size(list) + 1) * sizeof(*items));
	const json_t *item;

	if (!json_is_array(list))
		return words_fail(f, member, list ? "not a list" : "is missing");
	if (count > 0)
		memcpy(items, base->items, count * sizeof(*items));
	json_array_foreach(list, i, item) {
		const char *place = arena_printf(f->arena, "%s[%zu]", member, i);
		const struct units before = {.items = items, .count = count};
		const struct unit_def *existing;

		if (!read_unit(f, item, place, &items[count]))
			return false;
		existing = units_find(&before, items[count].symbol);
		if (existing &&
		    !(base && existing < items + base->count && is_same(existing, &items[count])))
			return words_fail(f, place, "%s is already registered",
					  items[count].symbol);
		count += !existing;
	}
	*out = (struct units){.items = items, .count = count};
	collect_words(out, f->arena);
	return true;
}

const struct unit_def *units_find(const struct units *u, const char *symbol)
{
	for (size_t i = 0; u && symbol && i < u->count; i++)
		if (strcmp(u->items[i].symbol, symbol) == 0)
			return &u->items[i];
	return NULL;
}

bool units_convert(struct decimal value, const struct unit_def *from, const struct unit_def *to,
		   struct decimal *out)
{
	struct decimal base, converted, check;

	if (strcmp(from->dimension, to->dimension) != 0)
		return false;
	if (decimal_cmp(from->scale, to->scale) == 0) {
		*out = value;
		return true;
	}
	/* Rejects a conversion if the quotient was rounded. */
	if (!decimal_mul(value, from->scale, &base) ||
	    !decimal_div(base, to->scale, DECIMAL_SCALE_MAX, &converted) ||
	    !decimal_mul(converted, to->scale, &check) || decimal_cmp(check, base) != 0)
		return false;
	*out = converted;
	return true;
}
