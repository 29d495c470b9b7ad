/*
 * The authorizer of read-only SQLite files. While SQLite prepares a statement, it asks for
 * permission for each object and action. Everything not listed here is denied: writes, pragmas,
 * ATTACH, virtual tables, the schema, functions with side effects. A statement with its own allow
 * list is also restricted to that list.
 */
#include "db_int.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Sorted. These compute from their arguments, the rows and the time only. */
static const char *const functions[] = {
	"->",
	"->>",
	"abs",
	"acos",
	"acosh",
	"add_months",
	"asin",
	"asinh",
	"atan",
	"atan2",
	"atanh",
	"avg",
	"ceil",
	"ceiling",
	"char",
	"coalesce",
	"concat",
	"concat_ws",
	"cos",
	"cosh",
	"count",
	"cume_dist",
	"current_date",
	"current_time",
	"current_timestamp",
	"date",
	"date_from_parts",
	"datetime",
	"degrees",
	"dense_rank",
	"exact",
	"exact_avg",
	"exact_part",
	"exact_sum",
	"exp",
	"first_value",
	"floor",
	"format",
	"glob",
	"group_concat",
	"hex",
	"ifnull",
	"iif",
	"instr",
	"json_array_length",
	"json_extract",
	"json_type",
	"json_valid",
	"julianday",
	"lag",
	"last_value",
	"lead",
	"length",
	"like",
	"ln",
	"log",
	"log10",
	"log2",
	"lower",
	"ltrim",
	"max",
	"min",
	"mod",
	"nth_value",
	"ntile",
	"nullif",
	"octet_length",
	"percent_rank",
	"pi",
	"pow",
	"power",
	"printf",
	"quote",
	"radians",
	"rank",
	"replace",
	"round",
	"row_number",
	"rtrim",
	"sign",
	"sin",
	"sinh",
	"sqrt",
	"strftime",
	"string_agg",
	"substr",
	"substring",
	"sum",
	"tan",
	"tanh",
	"time",
	"timediff",
	"total",
	"trim",
	"trunc",
	"typeof",
	"unicode",
	"unixepoch",
	"upper",
};

static int compare_name(const void *key, const void *item)
{
	return strcasecmp(key, *(const char *const *)item);
}

static bool function_is_allowed(const char *name)
{
	return bsearch(name, functions, sizeof(functions) / sizeof(functions[0]),
		       sizeof(functions[0]), compare_name) != NULL;
}

static bool has_prefix(const char *text, const char *prefix)
{
	return strncasecmp(text, prefix, strlen(prefix)) == 0;
}

/* Matches "Stage.prices" for Stage and prices, or "recent" for a name that the statement defines
 * (schema NULL). */
static bool name_matches(const char *name, const char *schema, const char *table)
{
	size_t n = schema ? strlen(schema) : 0;

	if (!schema)
		return strcasecmp(name, table) == 0;
	return strncasecmp(name, schema, n) == 0 && name[n] == '.' &&
	       strcasecmp(name + n + 1, table) == 0;
}

static bool list_allows(const struct source_allow *allow, const char *schema, const char *table,
			const char *column)
{
	for (size_t i = 0; i < allow->count; i++) {
		if (!name_matches(allow->tables[i].name, schema, table))
			continue;
		if (!*column)
			return true;
		for (const char *const *name = allow->tables[i].columns; *name; name++)
			if (strcasecmp(*name, column) == 0)
				return true;
	}
	return false;
}

static bool is_attached(const struct connection *c, const char *schema)
{
	for (size_t i = 0; i < c->schemas->count; i++)
		if (strcasecmp(c->schemas->names[i], schema) == 0)
			return true;
	return false;
}

/* `column` is "" if the statement reads rows of the table but no column, as in COUNT(*). With
 * `schema` NULL, the table is a name as the statement writes it, which may be one that it defines.
 */
static bool may_read(const struct connection *c, const char *schema, const char *table,
		     const char *column)
{
	if (has_prefix(table, "sqlite_") || has_prefix(table, "pragma_"))
		return false;
	if (schema ? !is_attached(c, schema) : *column != '\0')
		return false;
	return !c->allow || list_allows(c->allow, schema, table, column);
}

static int authorize(void *owner, int action, const char *first, const char *second,
		     const char *schema, const char *origin)
{
	const struct connection *c = owner;
	bool allowed = false;

	(void)origin; /* a name that the statement may have chosen */
	switch (action) {
	case SQLITE_SELECT:
		allowed = true;
		break;
	case SQLITE_READ:
		allowed = may_read(c, schema, first, second ? second : "");
		break;
	case SQLITE_FUNCTION:
		allowed = function_is_allowed(second);
		break;
	case SQLITE_RECURSIVE:
		allowed = !c->allow;
		break;
	default:
		break;
	}
	return allowed ? SQLITE_OK : SQLITE_DENY;
}

void db_allow_reading_only(struct connection *c)
{
	sqlite3_drop_modules(c->native, NULL);
	/* No other tenant's file can be attached. */
	sqlite3_limit(c->native, SQLITE_LIMIT_ATTACHED, (int)c->schemas->count);
	sqlite3_set_authorizer(c->native, authorize, c);
}

static const char *const *names_copy(struct arena *a, const char *const *from)
{
	size_t n = 0;
	const char **to;

	while (from[n])
		n++;
	to = arena_alloc(a, (n + 1) * sizeof(*to));
	for (size_t i = 0; i < n; i++)
		to[i] = arena_strdup(a, from[i]);
	to[n] = NULL;
	return to;
}

struct source_allow *db_allow_copy(struct arena *a, const struct source_allow *from)
{
	struct source_allow *to = arena_alloc(a, sizeof(*to));
	struct source_allow_table *tables = arena_alloc(a, (from->count + 1) * sizeof(*tables));

	for (size_t i = 0; i < from->count; i++)
		tables[i] = (struct source_allow_table){arena_strdup(a, from->tables[i].name),
							names_copy(a, from->tables[i].columns)};
	*to = (struct source_allow){tables, from->count};
	return to;
}
