/*
 * Queries for the names in a column and for their change watermark. The text is built from
 * catalogue names, then parsed and rendered like a file, so that tenant, row limit and dialect are
 * handled the same way. Plain names stay unquoted as in the files, since PostgreSQL treats quoted
 * names differently; others are quoted.
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

/* Accepts "Stage.mc_vendor_files": plain names with at most one dot. */
static bool is_view(const char *view)
{
	const char *dot = strchr(view, '.');
	size_t first = dot ? (size_t)(dot - view) : strlen(view);

	return is_plain(view, first) && (!dot || is_plain(dot + 1, strlen(dot + 1)));
}

static bool is_quoted(const char *name, size_t len)
{
	return len > 2 && name[0] == '"' && name[len - 1] == '"';
}

/* Accepts blanks and punctuation in a quoted name, but not characters that could end it. */
static bool is_quotable(const char *name)
{
	size_t len = strlen(name);
	size_t quotes = is_quoted(name, len) ? 1 : 0;

	for (size_t i = quotes; i + quotes < len; i++)
		if (iscntrl((unsigned char)name[i]) || strchr("\"[]\\", name[i]))
			return false;
	return *name != '\0';
}

static bool is_named(const char *view, const char *column, struct err *e)
{
	return (is_view(view) && is_quotable(column)) ||
	       err_set(e, ERR_INPUT, "\"%s\" of \"%s\" is not a valid column name", column, view);
}

static const char *quoted(const char *column, struct arena *a)
{
	size_t len = strlen(column);

	return is_plain(column, len) || is_quoted(column, len)
		       ? arena_printf(a, "t.%s", column)
		       : arena_printf(a, "t.\"%s\"", column);
}

static bool render(const char *text, const struct args *args, enum dialect dialect, struct arena *a,
		   struct sql_bound *out, struct err *e)
{
	struct sql_file *file;

	return sql_file_parse("values of a column", text, a, &file, e) &&
	       sql_render(&file->queries[0], args, dialect, a, out, e);
}

bool sql_distinct(const struct sql_values *v, const char *tenant, enum dialect dialect,
		  struct arena *a, struct sql_bound *out, struct err *e)
{
	struct args args = {0};
	const char *column, *parent, *after = "";

	if (!is_named(v->view, v->column, e) || (v->parent && !is_named(v->view, v->parent, e)))
		return false;
	column = quoted(v->column, a);
	parent = v->parent ? quoted(v->parent, a) : NULL;
	if (tenant)
		args_set(&args, a, "tenant_id", value_text(tenant));
	if (v->after) {
		after = arena_printf(a, " AND %s %s :after", column, parent ? ">=" : ">");
		args_set(&args, a, "after", value_text(v->after));
	}
	return render(arena_printf(a,
				   "SELECT DISTINCT %s AS \"Value\"%s%s%s\n"
				   "FROM %s t\n"
				   "WHERE %s%s IS NOT NULL%s\n"
				   "ORDER BY %s%s%s\n"
				   "OFFSET 0 ROWS FETCH NEXT %zu ROWS ONLY\n",
				   column, parent ? ", " : "", parent ? parent : "",
				   parent ? " AS \"Parent\"" : "", v->view,
				   tenant ? "t.tenant_id = :tenant_id AND " : "", column, after,
				   column, parent ? ", " : "", parent ? parent : "", v->cap),
		      &args, dialect, a, out, e);
}

bool sql_watermark(const char *view, const char *column, const char *tenant, enum dialect dialect,
		   struct arena *a, struct sql_bound *out, struct err *e)
{
	struct args args = {0};

	if (!is_named(view, column, e))
		return false;
	if (tenant)
		args_set(&args, a, "tenant_id", value_text(tenant));
	return render(arena_printf(a,
				   "SELECT COUNT(*) AS \"Rows\", MAX(%s) AS \"Newest\"\n"
				   "FROM %s t\n%s",
				   quoted(column, a), view,
				   tenant ? "WHERE t.tenant_id = :tenant_id\n" : ""),
		      &args, dialect, a, out, e);
}
