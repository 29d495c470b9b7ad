/*
 * Parses parameter values from text: defaults in tool files, filter values from models, options
 * picked by users. No other code converts them to typed values.
 */
#include "vesper/catalog.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/decimal.h"
#include "vesper/limits.h"
#include "vesper/strlist.h"

static const char *one_of(const char *const *values, struct arena *a)
{
	const char *list = *values;

	for (const char *const *v = values + 1; *v; v++)
		list = arena_printf(a, "%s%s%s", list, v[1] ? ", " : " or ", *v);
	return list;
}

static bool parse_text(const struct param_def *p, const char *text, struct arena *a,
		       struct value *out, struct err *e)
{
	size_t max = p->bytes_max ? p->bytes_max : TEXT_ARG_BYTES_MAX;

	if (!*text)
		return err_set(e, ERR_INPUT, "%s must not be empty", p->name);
	if (strlen(text) > max)
		return err_set(e, ERR_INPUT, "%s is longer than %zu bytes", p->name, max);
	if (p->slot == SLOT_ORDER && strcmp(text, ORDER_ASC) != 0 && strcmp(text, ORDER_DESC) != 0)
		return err_set(e, ERR_INPUT, "%s must be " ORDER_ASC " or " ORDER_DESC, p->name);
	if (p->values && !strlist_has(p->values, text))
		return err_set(e, ERR_INPUT, "%s must be %s", p->name, one_of(p->values, a));
	*out = value_text(arena_strdup(a, text));
	return true;
}

static bool parse_int(const struct param_def *p, const char *text, struct value *out, struct err *e)
{
	const char *digits = *text == '-' ? text + 1 : text;
	char *end;

	errno = 0;
	long long number = strtoll(text, &end, 10);
	if (*digits < '0' || *digits > '9' || *end || errno != 0)
		return err_set(e, ERR_INPUT, "%s must be a whole number", p->name);
	if (p->has_min && number < p->min)
		return err_set(e, ERR_INPUT, "%s must be at least %" PRId64, p->name, p->min);
	if (p->has_max && number > p->max)
		return err_set(e, ERR_INPUT, "%s must be at most %" PRId64, p->name, p->max);
	*out = value_int(number);
	return true;
}

static bool parse_decimal(const struct param_def *p, const char *text, struct arena *a,
			  struct value *out, struct err *e)
{
	char digits[DECIMAL_TEXT_BYTES];
	struct decimal d;

	if (!decimal_parse(text, &d))
		return err_set(e, ERR_INPUT, "%s must be a number", p->name);
	if (p->has_min && decimal_cmp(d, decimal_int(p->min)) < 0)
		return err_set(e, ERR_INPUT, "%s must be at least %" PRId64, p->name, p->min);
	if (p->has_max && decimal_cmp(d, decimal_int(p->max)) > 0)
		return err_set(e, ERR_INPUT, "%s must be at most %" PRId64, p->name, p->max);
	decimal_text(d, digits);
	*out = value_decimal(arena_strdup(a, digits));
	return true;
}

static bool parse_date(const struct param_def *p, const char *text, struct arena *a,
		       struct value *out, struct err *e)
{
	struct date d;

	if (!date_parse_iso(text, &d))
		return err_set(e, ERR_INPUT, "%s must be a date such as 2026-02-27", p->name);
	*out = value_date(arena_strdup(a, text));
	return true;
}

bool param_parse(const struct param_def *p, const char *text, struct arena *a, struct value *out,
		 struct err *e)
{
	switch (p->type) {
	case PARAM_TEXT:
		return parse_text(p, text, a, out, e);
	case PARAM_INT:
		return parse_int(p, text, out, e);
	case PARAM_DECIMAL:
		return parse_decimal(p, text, a, out, e);
	case PARAM_DATE:
		return parse_date(p, text, a, out, e);
	case PARAM_BOOL:
		break;
	}
	if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
		return err_set(e, ERR_INPUT, "%s must be true or false", p->name);
	*out = value_bool(*text == 't');
	return true;
}

bool param_default(const struct param_def *p, struct date today, struct arena *a, struct value *out,
		   struct err *e)
{
	char iso[DATE_ISO_BYTES];
	struct date d;

	if (p->type != PARAM_DATE)
		return param_parse(p, p->default_text, a, out, e);
	if (!date_parse_value(p->default_text, today, &d))
		return err_set(e, ERR_INPUT, "%s must be a date such as 2026-02-27 or today-30d",
			       p->name);
	date_iso(d, iso);
	*out = value_date(arena_strdup(a, iso));
	return true;
}
