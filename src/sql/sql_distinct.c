/*
 * The names that a column holds. The text is put together from names of the catalogue and then read
 * and rendered as any file is, so that tenant, cap and dialect are treated the same way. A plain
 * name stays bare as in the files, because a quoted one is another name to PostgreSQL; any other is
 * quoted.
 */
#include "vesper/sql.h"

#include <ctype.h>
#include <string.h>

#include "vesper/str.h"

static bool is_plain(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			return false;
	return len > 0 && !isdigit((unsigned char)name[0]);
}

/* "Stage.mc_vendor_files": plain names with one dot at most. */
static bool is_view(const char *view)
{
	const char *dot = strchr(view, '.');
	size_t first = dot ? (size_t)(dot - view) : strlen(view);

	return is_plain(view, first) && (!dot || is_plain(dot + 1, strlen(dot + 1)));
}

/* Blanks and signs are all right in a quoted name, what could end it is not. */
static bool is_quotable(const char *name)
{
	for (const char *c = name; *c; c++)
		if (iscntrl((unsigned char)*c) || strchr("\"[]\\", *c))
			return false;
	return *name != '\0';
}

bool sql_distinct(const char *view, const char *column, const char *tenant, size_t cap,
		  enum dialect dialect, struct arena *a, struct sql_bound *out, struct err *e)
{
	const char *quote = is_plain(column, strlen(column)) ? "" : "\"";
	struct args args = {0};
	struct sql_file *file;

	if (!is_view(view) || !is_quotable(column))
		return err_set(e, ERR_INPUT, "\"%s\" of \"%s\" is no name of a column", column,
			       view);
	if (!sql_file_parse("distinct values",
			    arena_printf(a,
					 "SELECT DISTINCT t.%s%s%s AS \"Value\"\n"
					 "FROM %s t\n"
					 "WHERE t.tenant_id = :tenant_id AND t.%s%s%s IS NOT NULL\n"
					 "ORDER BY t.%s%s%s\n"
					 "OFFSET 0 ROWS FETCH NEXT %zu ROWS ONLY\n",
					 quote, column, quote, view, quote, column, quote, quote,
					 column, quote, cap),
			    a, &file, e))
		return false;
	args_set(&args, a, "tenant_id", value_text(tenant));
	return sql_render(&file->queries[0], &args, dialect, a, out, e);
}
