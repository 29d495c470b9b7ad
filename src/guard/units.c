/* Units as people write them, and which of them may stand for which. One table, longer spellings
 * before shorter ones that begin alike. */
#include "units.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* glued: may follow its number without a space. */
const struct unit_word unit_words[] = {
	{"percentage points", UNIT_PERCENT, false},
	{"percentage point", UNIT_PERCENT, false},
	{"percent", UNIT_PERCENT, false},
	{"per cent", UNIT_PERCENT, false},
	{"pp", UNIT_PERCENT, false},
	{"%", UNIT_PERCENT, true},
	{"$/MWh", UNIT_PRICE, true},
	{"USD/MWh", UNIT_PRICE, false},
	{"US$/MWh", UNIT_PRICE, false},
	{"EUR/MWh", UNIT_PRICE, false},
	{"€/MWh", UNIT_PRICE, true},
	{"dollars per MWh", UNIT_PRICE, false},
	{"dollars per megawatt-hour", UNIT_PRICE, false},
	{"USD per MWh", UNIT_PRICE, false},
	{"per megawatt-hour", UNIT_PRICE, false},
	{"per megawatt hour", UNIT_PRICE, false},
	{"per MWh", UNIT_PRICE, false},
	{"/MWh", UNIT_PRICE, true},
	{"/ MWh", UNIT_PRICE, true},
	{"$/kWh", UNIT_OTHER, true},
	{"$/MW", UNIT_OTHER, true},
	{"/kWh", UNIT_OTHER, true},
	{"/GWh", UNIT_OTHER, true},
	{"/MW", UNIT_OTHER, true},
	{"/kW", UNIT_OTHER, true},
	{"per kWh", UNIT_OTHER, false},
	{"per GWh", UNIT_OTHER, false},
	{"per MW", UNIT_OTHER, false},
	{"per kW", UNIT_OTHER, false},
	{"dollars", UNIT_MONEY, false},
	{"dollar", UNIT_MONEY, false},
	{"USD", UNIT_MONEY, false},
	{"EUR", UNIT_MONEY, false},
	{"euros", UNIT_MONEY, false},
	{"€", UNIT_MONEY, true},
	{"¢", UNIT_OTHER, true},
	{"cents", UNIT_OTHER, false},
	{"megawatt-hours", UNIT_MWH, false},
	{"megawatt hours", UNIT_MWH, false},
	{"megawatts", UNIT_MW, false},
	{"MWh", UNIT_MWH, true},
	{"MW", UNIT_MW, true},
	{"GWh", UNIT_GWH, true},
	{"GW", UNIT_GW, true},
	{"kWh", UNIT_KWH, true},
	{"kW", UNIT_KW, true},
	{"hours", UNIT_HOURS, false},
	{"hour", UNIT_HOURS, false},
	{"-hour", UNIT_HOURS, true},
	{"hrs", UNIT_HOURS, false},
	{"h", UNIT_HOURS, true},
	{"days", UNIT_DAYS, false},
	{"day", UNIT_DAYS, false},
	{"-day", UNIT_DAYS, true},
	{"weeks", UNIT_WEEKS, false},
	{"week", UNIT_WEEKS, false},
	{"months", UNIT_MONTHS, false},
	{"month", UNIT_MONTHS, false},
	{"years", UNIT_YEARS, false},
	{"year", UNIT_YEARS, false},
	{"views", UNIT_VIEWS, false},
	{"view", UNIT_VIEWS, false},
	{"times", UNIT_RATIO, false},
	{"x", UNIT_RATIO, true},
	{NULL, UNIT_NONE, false},
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
	return strcasestr(name, word) != NULL;
}

enum unit unit_of_column(const struct column *c)
{
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
	for (const struct unit_word *w = unit_words; w->text; w++) {
		size_t n = strlen(w->text);

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
	case UNIT_RATIO:
		return false;
	default:
		return is_plain_count(shown) && known == UNIT_NONE;
	}
}
