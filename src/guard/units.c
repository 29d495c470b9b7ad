/* Units as people write them, and which of them may stand for which. One table, longer spellings
 * before shorter ones that begin alike. */
#include "units.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* glued: may follow its number without a space. */
const struct unit_word unit_words[] = {
	{"percentage points", UNIT_PERCENT, false, false},
	{"percentage point", UNIT_PERCENT, false, false},
	{"percent", UNIT_PERCENT, false, false},
	{"per cent", UNIT_PERCENT, false, false},
	{"pp", UNIT_PERCENT, false, false},
	{"%", UNIT_PERCENT, true, false},
	{"$/MWh", UNIT_PRICE, true, false},
	{"USD/MWh", UNIT_PRICE, false, false},
	{"US$/MWh", UNIT_PRICE, false, false},
	{"EUR/MWh", UNIT_PRICE, false, true},
	{"€/MWh", UNIT_PRICE, true, true},
	{"dollars per MWh", UNIT_PRICE, false, false},
	{"dollars per megawatt-hour", UNIT_PRICE, false, false},
	{"USD per MWh", UNIT_PRICE, false, false},
	{"per megawatt-hour", UNIT_PRICE, false, false},
	{"per megawatt hour", UNIT_PRICE, false, false},
	{"per MWh", UNIT_PRICE, false, false},
	{"/MWh", UNIT_PRICE, true, false},
	{"/ MWh", UNIT_PRICE, true, false},
	{"$/kWh", UNIT_OTHER, true, false},
	{"$/MW", UNIT_OTHER, true, false},
	{"/kWh", UNIT_OTHER, true, false},
	{"/GWh", UNIT_OTHER, true, false},
	{"/MW", UNIT_OTHER, true, false},
	{"/kW", UNIT_OTHER, true, false},
	{"per kWh", UNIT_OTHER, false, false},
	{"per GWh", UNIT_OTHER, false, false},
	{"per MW", UNIT_OTHER, false, false},
	{"per kW", UNIT_OTHER, false, false},
	{"dollars", UNIT_MONEY, false, false},
	{"dollar", UNIT_MONEY, false, false},
	{"USD", UNIT_MONEY, false, false},
	{"EUR", UNIT_MONEY, false, true},
	{"GBP", UNIT_MONEY, false, true},
	{"JPY", UNIT_MONEY, false, true},
	{"pounds", UNIT_MONEY, false, true},
	{"yen", UNIT_MONEY, false, true},
	{"euros per MWh", UNIT_PRICE, false, true},
	{"euros", UNIT_MONEY, false, true},
	{"euro", UNIT_MONEY, false, true},
	{"€", UNIT_MONEY, true, true},
	{"¢", UNIT_HUNDREDTH, true, false},
	{"cents", UNIT_HUNDREDTH, false, false},
	{"megawatt-hours", UNIT_MWH, false, false},
	{"megawatt hours", UNIT_MWH, false, false},
	{"megawatts", UNIT_MW, false, false},
	{"MWh", UNIT_MWH, true, false},
	{"MW", UNIT_MW, true, false},
	{"GWh", UNIT_GWH, true, false},
	{"GW", UNIT_GW, true, false},
	{"kWh", UNIT_KWH, true, false},
	{"kW", UNIT_KW, true, false},
	{"hours", UNIT_HOURS, false, false},
	{"hour", UNIT_HOURS, false, false},
	{"-hour", UNIT_HOURS, true, false},
	{"hrs", UNIT_HOURS, false, false},
	{"h", UNIT_HOURS, true, false},
	{"days", UNIT_DAYS, false, false},
	{"day", UNIT_DAYS, false, false},
	{"-day", UNIT_DAYS, true, false},
	{"weeks", UNIT_WEEKS, false, false},
	{"week", UNIT_WEEKS, false, false},
	{"months", UNIT_MONTHS, false, false},
	{"month", UNIT_MONTHS, false, false},
	{"years", UNIT_YEARS, false, false},
	{"year", UNIT_YEARS, false, false},
	{"views", UNIT_VIEWS, false, false},
	{"view", UNIT_VIEWS, false, false},
	{"times", UNIT_RATIO, false, false},
	{"x", UNIT_RATIO, true, false},
	{NULL, UNIT_NONE, false, false},
};

enum unit unit_of_text(const char *unit)
{
	if (!unit || !*unit || strcmp(unit, "count") == 0)
		return UNIT_NONE;
	if (strcmp(unit, "$") == 0 || strcmp(unit, "€") == 0)
		return UNIT_MONEY;
	for (const struct unit_word *w = unit_words; w->text; w++)
		if (strcasecmp(w->text, unit) == 0)
			return w->unit;
	return UNIT_OTHER;
}

/* A word of the name: "AvgPrice_PerMWh" holds "permwh" and "price". */
static bool holds(const char *name, const char *word)
{
	return str_find_nocase(name, word) != NULL;
}

enum unit unit_of_column(const struct column *c)
{
	if (c->unit && strcmp(c->unit, "$") == 0 && holds(c->name, "price"))
		return UNIT_PRICE;
	if (c->unit)
		return unit_of_text(c->unit);
	if (holds(c->name, "permwh") || holds(c->name, "price"))
		return UNIT_PRICE;
	if (holds(c->name, "percent") || holds(c->name, "pct"))
		return UNIT_PERCENT;
	if (holds(c->name, "budget") || holds(c->name, "spend") || holds(c->name, "cost") ||
	    holds(c->name, "usd"))
		return UNIT_MONEY;
	return UNIT_NONE;
}

static enum unit unit_at(const char *text, size_t len)
{
	int first = tolower((unsigned char)*text);

	for (const struct unit_word *w = unit_words; w->text; w++) {
		size_t n;

		if (first != tolower((unsigned char)*w->text))
			continue;
		n = strlen(w->text);
		if (text_starts(text, len, true, w->text) == 1 &&
		    (n == len || !isalpha((unsigned char)text[n]) ||
		     !isalpha((unsigned char)w->text[n - 1])))
			return w->unit;
	}
	return text[0] == '$' ? UNIT_MONEY : UNIT_NONE;
}

/* Words such as "hours" in a heading name what is counted, not how. */
enum unit unit_in_text(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		enum unit u;

		if (i > 0 && isalnum((unsigned char)text[i - 1]))
			continue;
		u = unit_at(text + i, len - i);
		if (u == UNIT_PERCENT || u == UNIT_MONEY || u == UNIT_PRICE || u == UNIT_MW ||
		    u == UNIT_MWH)
			return u;
	}
	return UNIT_NONE;
}

static bool is_plain_count(enum unit u)
{
	return u == UNIT_NONE || u == UNIT_VIEWS || (u >= UNIT_HOURS && u <= UNIT_YEARS);
}

bool unit_fits(const struct shown *s, enum unit shown, enum unit known, bool loses_decimals)
{
	if (shown == known)
		return true;
	switch (shown) {
	case UNIT_NONE:
		/* A bare integer is no price or percentage that was rounded. */
		return !(loses_decimals && s->decimals == 0);
	case UNIT_MONEY:
		return known == UNIT_PRICE && !s->scaled; /* "$52.14" */
	case UNIT_RATIO:                                  /* "opened 1,840 times" */
		return is_plain_count(known) && s->decimals == 0 &&
		       s->value > 12 * (guard_value)100000000;
	default:
		return is_plain_count(shown) && known == UNIT_NONE;
	}
}
