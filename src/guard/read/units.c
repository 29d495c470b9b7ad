/* Matches units as written in text with the registry, and checks which units are interchangeable.
 */
#include <assert.h>
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "guard_int.h"

#define DAY_SECONDS 86400
#define MONTH_DAYS  304375 /* 30.4375, in 10^-4 */

/* An unregistered unit of a column; it equals no other unit. */
static const struct unit_def other = {.symbol = "", .dimension = "", .style = STYLE_AFTER};

/* The unit of a column that states none, such as one of an ad hoc query; it may equal any unit. */
static const struct unit_def unstated = {.symbol = "", .dimension = "", .style = STYLE_AFTER};

static bool is_upper_case_code(const char *text)
{
	for (const char *p = text; *p; p++)
		if (!isupper((unsigned char)*p))
			return false;
	return *text;
}

void unit_words_read(struct unit_words *u, const struct units *registry)
{
	*u = (struct unit_words){.registry = registry, .percent = &other, .ratio = &other};
	if (!registry)
		return;
	u->items = registry->words;
	u->count = registry->word_count;
	for (size_t i = registry->count; i-- > 0;) {
		const struct unit_def *unit = &registry->items[i];

		if (unit_is_percent(unit))
			u->percent = unit;
		if (unit->style != STYLE_COUNT && unit_is_ratio(unit))
			u->ratio = unit;
	}
}

const struct unit_def *unit_of_symbol(const struct unit_words *u, const char *symbol)
{
	const struct unit_def *unit = units_find(u->registry, symbol);

	if (!symbol || !*symbol || (unit && unit->style == STYLE_COUNT))
		return NULL;
	return unit ? unit : &other;
}

const struct unit_def *unit_of_name(const struct unit_words *u, const char *name)
{
	const char *last = strrchr(name, '_');

	for (size_t i = 0; last && i < u->count; i++)
		if (strcasecmp(u->items[i].text, last + 1) == 0 && !u->items[i].unit->counted &&
		    !unit_is_ratio(u->items[i].unit))
			return u->items[i].unit;
	return &unstated;
}

bool unit_is_unstated(const struct unit_def *u)
{
	return u == &unstated;
}

/* ---- kinds ---- */

bool unit_is_percent(const struct unit_def *u)
{
	return u && u->style == STYLE_PERCENT;
}

bool unit_is_ratio(const struct unit_def *u)
{
	return u && strcmp(u->dimension, UNITS_RATIO) == 0;
}

bool unit_is_money(const struct unit_def *u)
{
	return u && u->style == STYLE_MONEY;
}

static bool has_dimension(const struct unit_def *u, const char *dimension)
{
	return u && strcmp(u->dimension, dimension) == 0;
}

bool unit_is_span(const struct unit_def *u)
{
	return has_dimension(u, UNITS_TIME) || has_dimension(u, UNITS_MONTHS);
}

/* The part of the dimension after the money: "/energy" for "USD/energy". NULL: not a price in this
 * money. */
static const char *price_denominator(const struct unit_def *unit, const struct unit_def *money)
{
	size_t n = strlen(money->dimension);

	return unit && unit->style == STYLE_MONEY_PER &&
			       strncmp(unit->dimension, money->dimension, n) == 0 &&
			       unit->dimension[n] == '/'
		       ? unit->dimension + n
		       : NULL;
}

bool units_are_alike(const struct unit_def *a, const struct unit_def *b)
{
	return a == b || a == &unstated || b == &unstated ||
	       (unit_is_money(a) && price_denominator(b, a)) ||
	       (unit_is_money(b) && price_denominator(a, b));
}

static bool is_plain_count(const struct unit_def *u)
{
	return !u || u->counted;
}

bool unit_fits(const struct shown *s, const struct unit_def *shown, const struct unit_def *known,
	       bool loses_decimals)
{
	if (shown == known)
		return true;
	if (known == &unstated)
		return !shown || (!unit_is_ratio(shown) && !(shown->counted && s->decimals > 0));
	if (!shown) /* A bare integer does not match a rounded price or percentage. */
		return !(loses_decimals && s->decimals == 0);
	if (unit_is_money(shown))
		return known && price_denominator(known, shown) && !s->scaled; /* "$52.14" */
	if (unit_is_ratio(shown)) /* "opened 1,840 times" */
		return is_plain_count(known) && s->decimals == 0 &&
		       s->value > 12 * (guard_value)100000000;
	return is_plain_count(shown) && !known;
}

/* ---- money ---- */

const struct unit_def *unit_currency_at(const struct unit_words *u, const char *text, size_t len,
					size_t *taken, bool *more)
{
	*taken = 0;
	for (size_t i = 0; u && u->registry && i < u->registry->money_count; i++) {
		const struct unit_word *w = &u->registry->money[i];
		int match;

		if (isalpha((unsigned char)*w->text))
			continue;
		match = len > 0 ? text_starts(text, len, false, w->text) : 0;
		*more = *more || match < 0;
		if (match == 1) {
			*taken = strlen(w->text);
			return w->unit;
		}
	}
	return NULL;
}

const struct unit_def *unit_currency_code(const struct unit_words *u, const char *word, size_t len)
{
	for (size_t i = 0; u->registry && i < u->registry->money_count; i++) {
		const struct unit_word *w = &u->registry->money[i];

		/* cheap check before the comparison */
		if (len > 0 && (w->text[0] | 32) == (word[0] | 32) &&
		    strncasecmp(w->text, word, len) == 0 && strlen(w->text) == len &&
		    is_upper_case_code(w->text))
			return w->unit;
	}
	return NULL;
}

const struct unit_def *unit_in_currency(const struct unit_words *u, const struct unit_def *unit,
					const struct unit_def *currency)
{
	const char *per =
		unit && unit->style == STYLE_MONEY_PER ? strchr(unit->dimension, '/') : NULL;

	if (!per || price_denominator(unit, currency))
		return per ? unit : currency;
	for (size_t i = 0; i < u->registry->count; i++) {
		const struct unit_def *one = &u->registry->items[i];
		const char *what = price_denominator(one, currency);

		if (what && strcmp(what, per) == 0 && decimal_cmp(one->scale, unit->scale) == 0)
			return one;
	}
	return currency;
}

const struct unit_def *unit_base_currency(const struct unit_words *u, const struct unit_def *unit)
{
	for (size_t i = 0; unit && unit->style == STYLE_AFTER && u && i < u->registry->money_count;
	     i++)
		if (has_dimension(unit, u->registry->money[i].unit->dimension))
			return u->registry->money[i].unit;
	return NULL;
}

/* ---- time ---- */

bool unit_is_calendar(const struct unit_words *u, const struct unit_def *unit, int64_t n)
{
	struct decimal all;

	if (!unit_is_span(unit) || !decimal_mul(unit->scale, decimal_int(n), &all))
		return false;
	if (decimal_cmp(unit->scale, decimal_int(DAY_SECONDS)) == 0 && (n == 365 || n == 366))
		return true;
	for (size_t i = 0; i < u->registry->count; i++) {
		const struct unit_def *longer = &u->registry->items[i];

		if (longer != unit && has_dimension(longer, unit->dimension) &&
		    decimal_cmp(longer->scale, all) == 0)
			return true;
	}
	return false;
}

int64_t unit_days_100(const struct unit_def *u)
{
	struct decimal days;

	if (has_dimension(u, UNITS_TIME) &&
	    decimal_div(u->scale, decimal_int(DAY_SECONDS / 100), 0, &days))
		return (int64_t)days.units;
	if (has_dimension(u, UNITS_MONTHS) &&
	    decimal_mul(u->scale, (struct decimal){MONTH_DAYS, 2}, &days))
		return (int64_t)decimal_round(days, 0).units;
	return 0;
}

/* ---- headings ---- */

static const struct unit_def *unit_at(const struct unit_words *u, const char *text, size_t len)
{
	int first = tolower((unsigned char)*text);

	for (size_t i = 0; i < u->count; i++) {
		const struct unit_word *w = &u->items[i];
		size_t n;

		if (first != tolower((unsigned char)*w->text))
			continue;
		n = strlen(w->text);
		if (text_starts(text, len, true, w->text) == 1 &&
		    (n == len || !isalpha((unsigned char)text[n]) ||
		     !isalpha((unsigned char)w->text[n - 1])))
			return w->unit;
	}
	return NULL;
}

/* Counted units such as "hours" in a heading name the item, not the unit. */
const struct unit_def *unit_in_text(const struct unit_words *u, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		const struct unit_def *unit;

		if (i > 0 && isalnum((unsigned char)text[i - 1]))
			continue;
		unit = unit_at(u, text + i, len - i);
		if (unit && !unit->counted && !unit_is_ratio(unit))
			return unit;
	}
	return NULL;
}
