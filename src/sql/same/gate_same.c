/*
 * Refuses expressions whose meaning depends on the database, where that is certain without column
 * types. The message suggests a portable form.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "gate_same.h"
#include "vesper/limits.h"

/* ---- kinds of values ---- */

static bool is_one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (strcasecmp(name, *list) == 0)
			return true;
	return false;
}

static bool is_call_of_any(const struct gate_expr *x, const char *const *list)
{
	for (; *list; list++)
		if (str_eq_nocase(x->text, str_of(*list)))
			return true;
	return false;
}

static enum gate_value value_of_type(const struct gate_type *t)
{
	static const char *const texts[] = {"CHAR",     "CHARACTER", "VARCHAR",           "NCHAR",
					    "NVARCHAR", "TEXT",      "CHARACTER VARYING", NULL};
	static const char *const dates[] = {"DATE",          "DATETIME",  "DATETIME2",
					    "SMALLDATETIME", "TIMESTAMP", NULL};
	static const char *const others[] = {"TIME", "TIMESTAMPTZ",      "DATETIMEOFFSET",
					     "UUID", "UNIQUEIDENTIFIER", NULL};

	return is_one_of(t->name, texts)    ? GATE_VALUE_TEXT
	       : is_one_of(t->name, dates)  ? GATE_VALUE_DATE
	       : is_one_of(t->name, others) ? GATE_VALUE_ANY
					    : GATE_VALUE_NUMBER;
}

static enum gate_value value_of_call(const struct gate_expr *x)
{
	static const char *const texts[] = {"UPPER",    "LOWER",  "TRIM",      "LTRIM",
					    "RTRIM",    "LEFT",   "RIGHT",     "SUBSTRING",
					    "REPLACE",  "CONCAT", "CONCAT_WS", "STRING_AGG",
					    "DATENAME", "FORMAT", "STR",       NULL};
	static const char *const dates[] = {"DATEADD", "EOMONTH",    "DATEFROMPARTS",
					    "GETDATE", "GETUTCDATE", NULL};
	static const char *const same[] = {"COALESCE", "ISNULL", "NULLIF",      "MIN",        "MAX",
					   "LAG",      "LEAD",   "FIRST_VALUE", "LAST_VALUE", NULL};

	if (is_call_of_any(x, texts))
		return GATE_VALUE_TEXT;
	if (is_call_of_any(x, dates))
		return GATE_VALUE_DATE;
	if (is_call_of_any(x, same))
		return x->kids ? gate_value_of(x->kids) : GATE_VALUE_ANY;
	if (str_eq_nocase(x->text, STR("IIF")))
		return x->kids && x->kids->next ? gate_value_of(x->kids->next) : GATE_VALUE_ANY;
	return GATE_VALUE_NUMBER;
}

enum gate_value gate_value_of(const struct gate_expr *x)
{
	switch (x->kind) {
	case GATE_NUMBER:
	case GATE_EXTRACT:
		return GATE_VALUE_NUMBER;
	case GATE_STRING:
		return x->word && x->word[0] != 'N' ? GATE_VALUE_DATE : GATE_VALUE_TEXT;
	case GATE_PAREN:
		return gate_value_of(x->kids);
	case GATE_PREFIX:
		return x->word[0] == 'N' ? GATE_VALUE_ANY : GATE_VALUE_NUMBER;
	case GATE_CHAIN:
		return gate_is_condition(x)                   ? GATE_VALUE_ANY
		       : strcmp(x->kids->next->op, "||") == 0 ? GATE_VALUE_TEXT
							      : GATE_VALUE_NUMBER;
	case GATE_CAST:
	case GATE_CONVERT:
		return value_of_type(x->type);
	case GATE_TRIM:
	case GATE_SUBSTRING:
		return GATE_VALUE_TEXT;
	case GATE_CASE:
		return gate_value_of(x->kids->next);
	case GATE_CALL:
		return value_of_call(x);
	default:
		return GATE_VALUE_ANY;
	}
}

/* ---- operators ---- */

/* INTERVAL is PostgreSQL's date arithmetic. */
static bool has_interval(const struct gate_expr *chain)
{
	for (const struct gate_expr *kid = chain->kids; kid; kid = kid->next)
		if (kid->kind == GATE_INTERVAL)
			return true;
	return false;
}

static bool check_arithmetic(const struct gate *g, const struct gate_expr *x)
{
	const char *first = x->kids->next->op;
	bool summands = strchr("+-|", first[0]) != NULL, concatenates = false, adds = false;
	size_t divisions = 0;

	for (const struct gate_expr *kid = x->kids->next; kid; kid = kid->next) {
		concatenates |= strcmp(kid->op, "||") == 0;
		adds |= kid->op[0] == '+' || kid->op[0] == '-';
	}
	for (const struct gate_expr *kid = x->kids->next; kid; kid = kid->next)
		divisions += kid->op[0] == '/' || kid->op[0] == '%';
	if (divisions > GATE_DIVISIONS_MAX)
		return gate_limit_reached(g, x->at, "more than %d divisions in one product",
					  GATE_DIVISIONS_MAX);
	if (concatenates && adds)
		return gate_refuse(
			g, x->at,
			"databases evaluate || next to + or - differently; add parentheses");
	if (concatenates || has_interval(x))
		return true;
	for (const struct gate_expr *kid = x->kids; kid; kid = kid->next) {
		enum gate_value v = gate_value_of(kid);

		if (v == GATE_VALUE_TEXT)
			return gate_refuse(g, kid->at,
					   summands ? "+ and - work only with numbers; join text "
						      "with || or CONCAT"
						    : "arithmetic with text; CAST it first");
		if (v == GATE_VALUE_DATE)
			return gate_refuse(g, kid->at,
					   "arithmetic with a date; use DATEDIFF(day, from, to) or "
					   "DATEADD(day, n, date)");
	}
	return true;
}

static bool check_chain(const struct gate *g, const struct gate_expr *x)
{
	const char *op = x->kids->next->op;

	if (op[0] == 'A' || op[0] == 'O')
		return true;
	if (strchr("=<>!", op[0])) {
		enum gate_value a = gate_value_of(x->kids), b = gate_value_of(x->kids->next);

		return !((a == GATE_VALUE_NUMBER && b == GATE_VALUE_TEXT) ||
			 (a == GATE_VALUE_TEXT && b == GATE_VALUE_NUMBER)) ||
		       gate_refuse(g, x->at, "a number is compared with text; CAST one of them");
	}
	return check_arithmetic(g, x);
}

/* ---- literals, types ---- */

static bool is_digit_at(struct str s, size_t i)
{
	return i < s.n && s.p[i] >= '0' && s.p[i] <= '9';
}

/* Accepts '2025-01-31' with its quotes, optionally with a time after a space. */
static bool is_iso(struct str s, bool may_have_time)
{
	static const char form[] = "'0000-00-00 00:00:00'";

	if (s.n != 12 && !(may_have_time && s.n == sizeof(form) - 1))
		return false;
	for (size_t i = 1; i + 1 < s.n; i++)
		if (form[i] == '0' ? !is_digit_at(s, i) : s.p[i] != form[i])
			return false;
	return true;
}

static bool check_string(const struct gate *g, const struct gate_expr *x)
{
	if (!x->word || x->word[0] == 'N')
		return true;
	if (strcmp(x->word, "TIME") == 0)
		return gate_refuse(
			g, x->at,
			"TIME literals differ between databases; compare EXTRACT(HOUR FROM …)");
	return is_iso(x->text, x->word[0] == 'T') ||
	       gate_refuse(g, x->at, "%s takes 'YYYY-MM-DD'%s", x->word,
			   x->word[0] == 'T' ? " or 'YYYY-MM-DD hh:mm:ss'" : "");
}

static bool check_cast(const struct gate *g, const struct gate_expr *x)
{
	static const struct {
		const char *name;
		const char *instead;
	} differ[] = {
		{"BOOLEAN", "CASE WHEN … THEN 1 ELSE 0 END"},
		{"BOOL", "CASE WHEN … THEN 1 ELSE 0 END"},
		{"BIT", "CASE WHEN … THEN 1 ELSE 0 END"},
		{"MONEY", "DECIMAL(19, 4)"},
		{"SMALLMONEY", "DECIMAL(10, 4)"},
		{"TIME", "EXTRACT(HOUR FROM …)"},
		{"TIMESTAMPTZ", "TIMESTAMP"},
		{"DATETIMEOFFSET", "TIMESTAMP"},
		{"UUID", "VARCHAR(36)"},
		{"UNIQUEIDENTIFIER", "VARCHAR(36)"},
		{"CHAR", "VARCHAR"},
		{"CHARACTER", "VARCHAR"},
		{"NCHAR", "VARCHAR"},
	};
	static const char *const decimals[] = {"DECIMAL", "NUMERIC", NULL};
	const struct gate_expr *of = x->kids;
	enum gate_value to = value_of_type(x->type), from = gate_value_of(of);

	if (x->kind == GATE_CONVERT || x->word[0] == 'T')
		return true; /* SQL Server only */
	for (size_t i = 0; i < sizeof(differ) / sizeof(differ[0]); i++)
		if (strcasecmp(x->type->name, differ[i].name) == 0)
			return gate_refuse(g, x->at, "CAST AS %s differs between databases; use %s",
					   differ[i].name, differ[i].instead);
	if (x->type->with_zone)
		return gate_refuse(
			g, x->at, "CAST … WITH TIME ZONE differs between databases; use TIMESTAMP");
	if (is_one_of(x->type->name, decimals) && x->type->sizes == 0)
		return gate_refuse(g, x->at, "give the number of digits, as in DECIMAL(18, 2)");
	while (of->kind == GATE_PAREN)
		of = of->kids;
	if (to == GATE_VALUE_DATE && of->kind == GATE_STRING && !of->word &&
	    !is_iso(of->text, true))
		return gate_refuse(g, of->at, "write dates as 'YYYY-MM-DD'");
	if ((to == GATE_VALUE_DATE && from == GATE_VALUE_NUMBER) ||
	    (to == GATE_VALUE_NUMBER && from == GATE_VALUE_DATE))
		return gate_refuse(g, x->at,
				   "a CAST between dates and numbers differs between databases; "
				   "use DATEFROMPARTS or "
				   "EXTRACT");
	return true;
}

/* ---- nodes ---- */

/* Evaluates a pattern such as LOWER('%SOLAR%'). */
static void fold_pattern(const struct gate *g, struct gate_expr *x)
{
	bool lower = x->kind == GATE_CALL && str_eq_nocase(x->text, STR("LOWER"));
	bool upper = x->kind == GATE_CALL && str_eq_nocase(x->text, STR("UPPER"));
	const struct gate_expr *of = x->kids;
	char *text;

	if ((!lower && !upper) || of->kind != GATE_STRING || of->word)
		return;
	text = arena_strndup(g->arena, of->text.p, of->text.n);
	for (size_t i = 0; i < of->text.n; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c >= 0x80)
			return; /* not every database can convert its case */
		text[i] = (char)(lower ? tolower(c) : toupper(c));
	}
	x->kind = GATE_STRING;
	x->text = (struct str){text, of->text.n};
	x->kids = NULL;
	x->kid_count = 0;
}

static bool check_like(const struct gate *g, const struct gate_expr *x)
{
	struct gate_expr *pattern = x->kids->next;
	const struct gate_expr *escape = pattern->next;

	fold_pattern(g, pattern);
	if (gate_value_of(x->kids) == GATE_VALUE_NUMBER ||
	    gate_value_of(x->kids) == GATE_VALUE_DATE)
		return gate_refuse(g, x->at,
				   "LIKE compares only text; compare numbers and dates with "
				   "BETWEEN");
	if (strcmp(x->word, "LIKE") != 0)
		return true;
	if (pattern->kind != GATE_STRING || (pattern->word && pattern->word[0] != 'N'))
		return gate_refuse(g, pattern->at,
				   "LIKE takes a quoted pattern; to search for computed text use "
				   "CHARINDEX(what, in) > 0");
	if (escape && (escape->text.n != 3 || escape->word))
		return gate_refuse(g, escape->at, "ESCAPE takes one plain character");
	for (size_t i = 1; escape && i + 1 < pattern->text.n; i++)
		if (pattern->text.p[i] == escape->text.p[1]) {
			if (i + 2 >= pattern->text.n || !strchr("%_[", pattern->text.p[i + 1]))
				return gate_refuse(g, pattern->at,
						   "the escape character must precede %% or _");
			i++;
		}
	return true;
}

static bool check_is(const struct gate *g, const struct gate_expr *x)
{
	return !x->word || strcmp(x->word, "NULL") == 0 ||
	       gate_refuse(g, x->at,
			   "IS %s differs between databases; flags are numbers: compare with = 1 "
			   "or = 0",
			   x->word);
}

static bool check_subquery(const struct gate *g, const struct gate_expr *x)
{
	bool quantified = x->word && x->word[0] != 'E';

	if (quantified && g->dialect == DIALECT_SQLITE)
		return gate_refuse(g, x->at,
				   "ANY and ALL are unknown to SQLite; use IN, or compare with "
				   "(SELECT MAX(…) …)");
	return true;
}

/* Branches of CASE, COALESCE and similar functions must be of one kind. */
static bool check_branches(const struct gate *g, const struct gate_expr *x)
{
	static const char *const all[] = {"COALESCE", "ISNULL", "NULLIF", NULL};
	enum gate_value first = GATE_VALUE_ANY, v;
	bool is_case = x->kind == GATE_CASE;

	if (!is_case && !is_call_of_any(x, all))
		return true;
	for (const struct gate_expr *kid = x->kids; kid; kid = kid->next) {
		if (is_case)
			kid = kid->next;
		v = gate_value_of(kid);
		if (first == GATE_VALUE_ANY)
			first = v;
		else if (v != GATE_VALUE_ANY && v != first)
			return gate_refuse(g, kid->at,
					   "one branch is a number, another text or a date; CAST "
					   "them to one type");
	}
	v = x->otherwise ? gate_value_of(x->otherwise) : GATE_VALUE_ANY;
	return first == GATE_VALUE_ANY || v == GATE_VALUE_ANY || v == first ||
	       gate_refuse(g, x->otherwise->at,
			   "one branch is a number, another text or a date; CAST them to one type");
}

bool gate_check_portable_expr(const struct gate *g, const struct gate_expr *x)
{
	switch (x->kind) {
	case GATE_CHAIN:
		return check_chain(g, x);
	case GATE_STRING:
		return check_string(g, x);
	case GATE_WORD:
		return str_eq_nocase(x->text, STR("TRUE")) || str_eq_nocase(x->text, STR("FALSE"))
			       ? gate_refuse(g, x->at, "flags are numbers: write 1 or 0")
			       : true;
	case GATE_CAST:
	case GATE_CONVERT:
		return check_cast(g, x);
	case GATE_LIKE:
		return check_like(g, x);
	case GATE_IS:
		return check_is(g, x);
	case GATE_QUERY:
		return check_subquery(g, x);
	case GATE_CASE:
	case GATE_CALL:
		return check_branches(g, x);
	case GATE_COLLATE:
		return gate_refuse(g, x->at,
				   "COLLATE differs between databases; leave it out, or compare "
				   "UPPER(a) = UPPER(b)");
	case GATE_ZONE:
		return gate_refuse(
			g, x->at,
			"AT TIME ZONE differs between databases; use the times as they are stored");
	case GATE_TRIM:
		return !x->word || x->word[0] == 'B' || g->dialect == DIALECT_SQLITE ||
		       g->dialect == DIALECT_POSTGRES ||
		       gate_refuse(g, x->at,
				   "TRIM(%s …) is not in every SQL Server; use LTRIM or "
				   "RTRIM",
				   x->word);
	default:
		return true;
	}
}
