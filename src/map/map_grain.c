/* Buckets of days and times, by dialect. SQLite stores days as ISO text. */
#include "map_int.h"

#include <assert.h>

static const char *mssql(enum grain g, const char *c, struct arena *a)
{
	switch (g) {
	case GRAIN_HOUR:
		return arena_printf(a, "CONVERT(char(13), %s, 126)", c);
	case GRAIN_DAY:
		return arena_printf(a, "CONVERT(char(10), %s, 126)", c);
	case GRAIN_WEEK:
		return arena_printf(a,
				    "CONVERT(char(10), DATEADD(day, -((DATEPART(weekday, %s) + "
				    "@@DATEFIRST - 2) %% 7), %s), 126)",
				    c, c);
	case GRAIN_MONTH:
		return arena_printf(a, "CONVERT(char(7), %s, 126)", c);
	case GRAIN_QUARTER:
		return arena_printf(a, "CONCAT(YEAR(%s), '-Q', DATEPART(quarter, %s))", c, c);
	case GRAIN_YEAR:
		return arena_printf(a, "YEAR(%s)", c);
	case GRAIN_WEEKDAY:
		return arena_printf(a, "((DATEPART(weekday, %s) + @@DATEFIRST - 2) %% 7 + 1)", c);
	default:
		return arena_printf(a, "DATEPART(hour, %s)", c);
	}
}

static const char *postgres(enum grain g, const char *c, struct arena *a)
{
	switch (g) {
	case GRAIN_HOUR:
		return arena_printf(a, "to_char(%s, 'YYYY-MM-DD\"T\"HH24')", c);
	case GRAIN_DAY:
		return arena_printf(a, "to_char(%s, 'YYYY-MM-DD')", c);
	case GRAIN_WEEK:
		return arena_printf(a, "to_char(date_trunc('week', %s), 'YYYY-MM-DD')", c);
	case GRAIN_MONTH:
		return arena_printf(a, "to_char(%s, 'YYYY-MM')", c);
	case GRAIN_QUARTER:
		return arena_printf(a, "to_char(%s, 'YYYY-\"Q\"Q')", c);
	case GRAIN_YEAR:
		return arena_printf(a, "CAST(EXTRACT(YEAR FROM %s) AS int)", c);
	case GRAIN_WEEKDAY:
		return arena_printf(a, "CAST(EXTRACT(ISODOW FROM %s) AS int)", c);
	default:
		return arena_printf(a, "CAST(EXTRACT(HOUR FROM %s) AS int)", c);
	}
}

static const char *sqlite(enum grain g, const char *c, struct arena *a)
{
	switch (g) {
	case GRAIN_HOUR:
		return arena_printf(a, "replace(substr(%s, 1, 13), ' ', 'T')", c);
	case GRAIN_DAY:
		return arena_printf(a, "substr(%s, 1, 10)", c);
	case GRAIN_WEEK:
		return arena_printf(a,
				    "date(%s, '-' || ((CAST(strftime('%%w', %s) AS int) + 6) %% 7) "
				    "|| ' days')",
				    c, c);
	case GRAIN_MONTH:
		return arena_printf(a, "substr(%s, 1, 7)", c);
	case GRAIN_QUARTER:
		return arena_printf(
			a, "substr(%s, 1, 4) || '-Q' || ((CAST(substr(%s, 6, 2) AS int) + 2) / 3)",
			c, c);
	case GRAIN_YEAR:
		return arena_printf(a, "CAST(substr(%s, 1, 4) AS int)", c);
	case GRAIN_WEEKDAY:
		return arena_printf(a, "((CAST(strftime('%%w', %s) AS int) + 6) %% 7 + 1)", c);
	default:
		return arena_printf(a, "CAST(substr(%s, 12, 2) AS int)", c);
	}
}

const char *map_grain(enum dialect d, enum grain g, enum column_type type, const char *column,
		      struct arena *a)
{
	assert(g > GRAIN_NONE && g < GRAINS);
	assert(type == COLUMN_DATETIME || (g != GRAIN_HOUR && g != GRAIN_HOUR_OF_DAY));
	return d == DIALECT_MSSQL      ? mssql(g, column, a)
	       : d == DIALECT_POSTGRES ? postgres(g, column, a)
				       : sqlite(g, column, a);
}
