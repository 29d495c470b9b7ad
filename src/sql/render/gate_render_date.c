/*
 * Renders dates. The templates have the same meaning in all databases: a month after the 31st is
 * the last day of that month, and no part depends on server settings.
 */
#include <string.h>

#include "gate_render.h"

/* $1, $2, … are the arguments after the part. NULL: unchanged (SQL Server) or unsupported
 * (others). */
static const struct date_part {
	const char *names[5];
	const char *of[DIALECT_COUNT];
	const char *add[DIALECT_COUNT];     /* adds $1 units to $2 */
	const char *between[DIALECT_COUNT]; /* from $1 to $2 */
} date_parts[] = {
	{{"YEAR", "YY", "YYYY"},
	 {"DATEPART(YEAR, $1)", "CAST(EXTRACT(YEAR FROM CAST($1 AS TIMESTAMP)) AS INT)",
	  "CAST(STRFTIME('%Y', $1) AS INT)"},
	 {"DATEADD(YEAR, $1, CAST($2 AS DATE))",
	  "CAST(CAST($2 AS DATE) + MAKE_INTERVAL(CAST($1 AS INT)) AS DATE)",
	  "ADD_MONTHS($2, 12 * ($1))"},
	 {NULL,
	  "CAST(EXTRACT(YEAR FROM CAST($2 AS DATE)) - EXTRACT(YEAR FROM CAST($1 AS DATE)) AS INT)",
	  "(STRFTIME('%Y', $2) - STRFTIME('%Y', $1))"}},
	{{"QUARTER", "QQ", "Q"},
	 {"DATEPART(QUARTER, $1)", "CAST(EXTRACT(QUARTER FROM CAST($1 AS TIMESTAMP)) AS INT)",
	  "((STRFTIME('%m', $1) + 2) / 3)"},
	 {"DATEADD(QUARTER, $1, CAST($2 AS DATE))",
	  "CAST(CAST($2 AS DATE) + MAKE_INTERVAL(0, 3 * CAST($1 AS INT)) AS DATE)",
	  "ADD_MONTHS($2, 3 * ($1))"},
	 {NULL}},
	{{"MONTH", "MM", "M"},
	 {"DATEPART(MONTH, $1)", "CAST(EXTRACT(MONTH FROM CAST($1 AS TIMESTAMP)) AS INT)",
	  "CAST(STRFTIME('%m', $1) AS INT)"},
	 {"DATEADD(MONTH, $1, CAST($2 AS DATE))",
	  "CAST(CAST($2 AS DATE) + MAKE_INTERVAL(0, CAST($1 AS INT)) AS DATE)",
	  "ADD_MONTHS($2, $1)"},
	 {NULL,
	  "CAST((EXTRACT(YEAR FROM CAST($2 AS DATE)) - EXTRACT(YEAR FROM CAST($1 AS DATE))) * 12 + "
	  "EXTRACT(MONTH FROM CAST($2 AS DATE)) - EXTRACT(MONTH FROM CAST($1 AS DATE)) AS INT)",
	  "((STRFTIME('%Y', $2) - STRFTIME('%Y', $1)) * 12 + STRFTIME('%m', $2) - STRFTIME('%m', "
	  "$1))"}},
	{{"WEEK", "WK", "WW"},
	 {NULL},
	 {"DATEADD(WEEK, $1, CAST($2 AS DATE))",
	  "CAST(CAST($2 AS DATE) + MAKE_INTERVAL(0, 0, CAST($1 AS INT)) AS DATE)",
	  "DATE($2, (7 * ($1)) || ' days')"},
	 {NULL}},
	{{"DAY", "DD", "D"},
	 {"DATEPART(DAY, $1)", "CAST(EXTRACT(DAY FROM CAST($1 AS TIMESTAMP)) AS INT)",
	  "CAST(STRFTIME('%d', $1) AS INT)"},
	 {"DATEADD(DAY, $1, CAST($2 AS DATE))", "(CAST($2 AS DATE) + CAST($1 AS INT))",
	  "DATE($2, ($1) || ' days')"},
	 {NULL, "(CAST($2 AS DATE) - CAST($1 AS DATE))",
	  "CAST(JULIANDAY(DATE($2)) - JULIANDAY(DATE($1)) AS INT)"}},
	{{"DAYOFYEAR", "DY", "DOY", "Y"},
	 {"DATEPART(DAYOFYEAR, $1)", "CAST(EXTRACT(DOY FROM CAST($1 AS TIMESTAMP)) AS INT)",
	  "CAST(STRFTIME('%j', $1) AS INT)"},
	 {NULL},
	 {NULL}},
	/* 7 January 1900 was a Sunday; SQL Server's WEEKDAY depends on DATEFIRST. */
	{{"WEEKDAY", "DW"},
	 {"(DATEDIFF(DAY, '19000107', $1) % 7 + 1)",
	  "(CAST(EXTRACT(DOW FROM CAST($1 AS TIMESTAMP)) AS INT) + 1)", "(STRFTIME('%w', $1) + 1)"},
	 {NULL},
	 {NULL}},
	{{"DOW"},
	 {"(DATEDIFF(DAY, '19000107', $1) % 7)",
	  "CAST(EXTRACT(DOW FROM CAST($1 AS TIMESTAMP)) AS INT)",
	  "CAST(STRFTIME('%w', $1) AS INT)"},
	 {NULL},
	 {NULL}},
	{{"ISO_WEEK", "ISOWK", "ISOWW"},
	 {"DATEPART(ISO_WEEK, $1)", "CAST(EXTRACT(WEEK FROM CAST($1 AS TIMESTAMP)) AS INT)",
	  "((STRFTIME('%j', DATE($1, '-3 days', 'weekday 4')) - 1) / 7 + 1)"},
	 {NULL},
	 {NULL}},
	{{"HOUR", "HH"},
	 {"DATEPART(HOUR, CAST($1 AS DATETIME2(0)))",
	  "CAST(EXTRACT(HOUR FROM CAST($1 AS TIMESTAMP)) AS INT)",
	  "CAST(STRFTIME('%H', $1) AS INT)"},
	 {"DATEADD(HOUR, $1, CAST($2 AS DATETIME2(0)))",
	  "CAST(CAST($2 AS TIMESTAMP) + MAKE_INTERVAL(0, 0, 0, 0, CAST($1 AS INT)) AS "
	  "TIMESTAMP(0))",
	  "DATETIME($2, ($1) || ' hours')"},
	 {NULL}},
	{{"MINUTE", "MI", "N"},
	 {"DATEPART(MINUTE, CAST($1 AS DATETIME2(0)))",
	  "CAST(EXTRACT(MINUTE FROM CAST($1 AS TIMESTAMP)) AS INT)",
	  "CAST(STRFTIME('%M', $1) AS INT)"},
	 {"DATEADD(MINUTE, $1, CAST($2 AS DATETIME2(0)))",
	  "CAST(CAST($2 AS TIMESTAMP) + MAKE_INTERVAL(0, 0, 0, 0, 0, CAST($1 AS INT)) AS "
	  "TIMESTAMP(0))",
	  "DATETIME($2, ($1) || ' minutes')"},
	 {NULL}},
	{{"SECOND", "SS", "S"},
	 {"DATEPART(SECOND, CAST($1 AS DATETIME2(0)))",
	  "CAST(FLOOR(EXTRACT(SECOND FROM CAST($1 AS TIMESTAMP))) AS INT)",
	  "CAST(STRFTIME('%S', $1) AS INT)"},
	 {"DATEADD(SECOND, $1, CAST($2 AS DATETIME2(0)))",
	  "CAST(CAST($2 AS TIMESTAMP) + MAKE_INTERVAL(0, 0, 0, 0, 0, 0, CAST($1 AS INT)) AS "
	  "TIMESTAMP(0))",
	  "DATETIME($2, ($1) || ' seconds')"},
	 {NULL}},
};

static const char *template_of(enum dialect dialect, struct str function, struct str part)
{
	for (size_t i = 0; i < sizeof(date_parts) / sizeof(date_parts[0]); i++)
		for (size_t k = 0; k < 5 && date_parts[i].names[k]; k++) {
			const struct date_part *p = &date_parts[i];

			if (!str_eq_nocase(part, str_of(p->names[k])))
				continue;
			if (str_eq_nocase(function, STR("DATEADD")))
				return p->add[dialect];
			if (str_eq_nocase(function, STR("DATEDIFF")))
				return p->between[dialect];
			return str_eq_nocase(function, STR("DATENAME")) ? NULL : p->of[dialect];
		}
	return NULL;
}

bool gate_date_part_known(enum dialect dialect, struct str function, struct str part)
{
	return template_of(dialect, function, part) != NULL;
}

/* Handles DATEPART(month, x) and similar calls, whose first argument is the part. */
bool gate_write_dated(struct gate_writer *w, const struct gate_expr *x)
{
	const char *text = x->kids && x->kids->kind == GATE_WORD
				   ? template_of(w->g->dialect, x->text, x->kids->text)
				   : NULL;

	if (!text)
		return false;
	gate_write_template(w, text, x->kids->next);
	return true;
}

void gate_write_extract(struct gate_writer *w, const struct gate_expr *x)
{
	gate_write_template(w, template_of(w->g->dialect, STR("EXTRACT"), x->text), x->kids);
}
