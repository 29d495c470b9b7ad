/*
 * Parses values of conditions: texts, days, and numbers as users and models write them ("2M",
 * "$2,000,000", "60 $/MWh"), converted to the unit of the measure.
 */
#include "map_int.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "vesper/decimal.h"
#include "vesper/json.h"
#include "vesper/units.h"
#include "vesper/language.h"

/* A number and the unit written next to it. */
struct written {
	struct decimal number;
	const struct unit_def *unit; /* NULL: none */
};

static const struct unit_def *unit_of(const struct units *u, struct str text)
{
	text = str_trim(text);
	for (size_t i = 0; i < u->count; i++)
		if (str_eq(text, str_of(u->items[i].symbol)))
			return &u->items[i];
	for (size_t i = 0; i < u->word_count; i++)
		if (str_eq_nocase(text, str_of(u->words[i].text)))
			return u->words[i].unit;
	return NULL;
}

/* Removes a leading currency sign, if there is one. */
static struct str skip_currency_sign(const struct units *u, struct str text,
				     const struct unit_def **unit)
{
	for (size_t i = 0; i < u->money_count; i++) {
		struct str sign = str_of(u->money[i].text);

		if (!str_starts(text, sign))
			continue;
		*unit = u->money[i].unit;
		return str_trim((struct str){text.p + sign.n, text.n - sign.n});
	}
	return text;
}

/* K, M and B follow the digits directly. */
static int64_t scale_of(char c)
{
	switch (toupper((unsigned char)c)) {
	case 'K':
		return 1000;
	case 'M':
		return 1000000;
	case 'B':
		return 1000000000;
	default:
		return 0;
	}
}

static bool read_digits(struct str *text, struct decimal *out)
{
	char digits[DECIMAL_TEXT_BYTES];
	size_t n = 0, i = 0;

	for (; i < text->n && n + 1 < sizeof(digits); i++) {
		char c = text->p[i];

		if (c == ',' && i + 3 < text->n && isdigit((unsigned char)text->p[i + 1]))
			continue;
		if (!isdigit((unsigned char)c) && c != '.' && !(c == '-' && i == 0))
			break;
		digits[n++] = c;
	}
	digits[n] = '\0';
	*text = (struct str){text->p + i, text->n - i};
	return n > 0 && decimal_parse(digits, out);
}

static bool read_written(const struct units *u, const char *given, struct written *out)
{
	struct str text = str_trim(str_of(given));
	int64_t scale;

	*out = (struct written){0};
	text = skip_currency_sign(u, text, &out->unit);
	if (!read_digits(&text, &out->number))
		return false;
	scale = text.n > 0 && (text.n == 1 || !isalpha((unsigned char)text.p[1]))
			? scale_of(text.p[0])
			: 0;
	if (scale && !decimal_mul(out->number, decimal_int(scale), &out->number))
		return false;
	if (scale)
		text = (struct str){text.p + 1, text.n - 1};
	if (str_trim(text).n == 0)
		return true;
	out->unit = unit_of(u, text);
	return out->unit != NULL;
}

static const char *plain_json(const json_t *json, struct arena *a)
{
	const char *digits = json_decimal_text(json);

	if (digits)
		return digits;
	if (json_is_string(json))
		return json_string_value(json);
	if (json_is_integer(json))
		return arena_printf(a, "%" PRId64, (int64_t)json_integer_value(json));
	if (json_is_real(json))
		return arena_printf(a, "%.15g", json_real_value(json));
	return json_is_boolean(json) ? (json_is_true(json) ? "true" : "false") : NULL;
}

static bool read_number(const struct map *m, const char *text, enum column_type type,
			const struct unit_def *unit, const char *name, struct arena *a,
			struct value *out, struct map_problem *why, struct err *e)
{
	char digits[DECIMAL_TEXT_BYTES];
	struct written w;

	if (!read_written(&m->catalog->units, text, &w))
		return map_fail(why, MAP_BAD_VALUE, name, e,
				"\"%.*s\" is not a number that %s can be compared with",
				STR_CUT(text, 60), name);
	if (w.unit && !unit)
		return map_fail(why, MAP_BAD_VALUE, name, e,
				"%s has no unit: write the number alone", name);
	if (w.unit && !units_convert(w.number, w.unit, unit, &w.number)) {
		why->text = sentence(m->catalog->language, SAY_MAP_UNIT, a, name, unit->symbol,
				     w.unit->symbol);
		return map_fail(why, MAP_BAD_VALUE, name, e,
				"%s is measured in %s, and %s cannot be converted to it", name,
				unit->symbol, w.unit->symbol);
	}
	decimal_text_short(w.number, digits);
	*out = value_decimal(arena_strdup(a, digits));
	if (type == COLUMN_INT && !strchr(digits, '.')) {
		int64_t whole;

		if (sscanf(digits, "%" SCNd64, &whole) == 1)
			*out = value_int(whole);
	}
	return true;
}

bool map_value(const struct map *m, const json_t *json, enum column_type type,
	       const struct unit_def *unit, const char *name, struct arena *a, struct value *out,
	       struct map_problem *why, struct err *e)
{
	const char *text = plain_json(json, a);
	struct date day;

	if (!text)
		return map_fail(why, MAP_BAD_VALUE, name, e,
				"a value of %s must be a text, a number or a boolean", name);
	switch (type) {
	case COLUMN_INT:
	case COLUMN_DECIMAL:
		return read_number(m, text, type, unit, name, a, out, why, e);
	case COLUMN_DATE:
	case COLUMN_DATETIME:
		if (!date_parse_iso(text, &day))
			return map_fail(why, MAP_BAD_VALUE, name, e,
					"%s must be compared with days such as 2026-02-27", name);
		*out = value_date(arena_strdup(a, text));
		return true;
	case COLUMN_BOOL:
		if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
			return map_fail(why, MAP_BAD_VALUE, name, e, "%s must be true or false",
					name);
		*out = value_bool(strcmp(text, "true") == 0);
		return true;
	default:
		if (!*text || strlen(text) > TEXT_ARG_BYTES_MAX)
			return map_fail(why, MAP_BAD_VALUE, name, e,
					"a value of %s must be a text of at most %d bytes", name,
					TEXT_ARG_BYTES_MAX);
		*out = value_text(arena_strdup(a, text));
		return true;
	}
}
