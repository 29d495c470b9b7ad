/* Labels and names of columns, and detection of a header. */
#include "header.h"

#include <ctype.h>
#include <string.h>

#include "types.h"
#include "vesper/utf8.h"

#define PROMPT_LABEL_CHARS 60
#define PROMPT_LABEL_WORDS 8

/* Bytes of the character at p. */
static size_t step(const char *p, size_t len)
{
	size_t n = 1;

	while (n < len && ((unsigned char)p[n] & 0xC0) == 0x80)
		n++;
	return n;
}

const char *header_label(struct str cell, struct arena *a)
{
	struct buf out;
	size_t chars = 0;
	const char *label;

	buf_init(&out, 4 * HEADER_LABEL_CHARS);
	for (size_t i = 0, n; i < cell.n && chars < HEADER_LABEL_CHARS; i += n) {
		char one[8];

		n = step(cell.p + i, cell.n - i);
		if (n > 4 || !utf8_valid(cell.p + i, n))
			continue;
		memcpy(one, cell.p + i, n);
		one[n] = '\0';
		if (utf8_leading_blanks(one) > 0 && *one != ' ') /* invisible, or no plain blank */
			continue;
		buf_add(&out, one, n);
		chars++;
	}
	label = arena_strndup(a, buf_text(&out), out.n);
	buf_deinit(&out);
	return arena_strndup(a, str_trim(str_of(label)).p ? str_trim(str_of(label)).p : "",
			     str_trim(str_of(label)).n);
}

/* ---- for prompts ---- */

const char *header_prompt_label(const char *label, const char *name, struct arena *a)
{
	static const char signs[] = "_-./%$#&+";
	struct buf out;
	size_t words = 0;
	bool after_blank = true, ok;
	const char *text;

	buf_init(&out, 4 * PROMPT_LABEL_CHARS);
	for (const char *p = label; *p; p++) {
		bool is_kept = (unsigned char)*p >= 0x80 || isalnum((unsigned char)*p) ||
			       strchr(signs, *p);

		if (is_kept) {
			words += after_blank;
			buf_char(&out, *p);
		} else if (!after_blank) {
			buf_char(&out, ' ');
		}
		after_blank = !is_kept;
	}
	ok = !buf_over(&out) && words > 0 && words <= PROMPT_LABEL_WORDS &&
	     utf8_count(buf_text(&out), out.n) <= PROMPT_LABEL_CHARS;
	text = arena_strdup(a, buf_text(&out));
	buf_deinit(&out);
	return ok ? arena_strndup(a, text, str_trim(str_of(text)).n) : name;
}

/* ---- names ---- */

/* Names that a column cannot have unquoted in SQLite, PostgreSQL or SQL Server, and names that
 * uploads use. */
static const char *const reserved[] = {"add",
				       "all",
				       "alter",
				       "analyse",
				       "analyze",
				       "and",
				       "any",
				       "array",
				       "as",
				       "asc",
				       "authorization",
				       "backup",
				       "begin",
				       "between",
				       "binary",
				       "both",
				       "break",
				       "browse",
				       "bulk",
				       "by",
				       "cascade",
				       "case",
				       "cast",
				       "check",
				       "checkpoint",
				       "close",
				       "clustered",
				       "coalesce",
				       "collate",
				       "column",
				       "commit",
				       "compute",
				       "constraint",
				       "contains",
				       "continue",
				       "convert",
				       "create",
				       "cross",
				       "current",
				       "cursor",
				       "database",
				       "dbcc",
				       "deallocate",
				       "declare",
				       "default",
				       "deferrable",
				       "delete",
				       "deny",
				       "desc",
				       "disk",
				       "distinct",
				       "distributed",
				       "do",
				       "double",
				       "drop",
				       "dump",
				       "else",
				       "end",
				       "errlvl",
				       "escape",
				       "except",
				       "exec",
				       "execute",
				       "exists",
				       "exit",
				       "external",
				       "false",
				       "fetch",
				       "file",
				       "fillfactor",
				       "for",
				       "foreign",
				       "freetext",
				       "freeze",
				       "from",
				       "full",
				       "function",
				       "glob",
				       "goto",
				       "grant",
				       "group",
				       "having",
				       "holdlock",
				       "identity",
				       "if",
				       "ilike",
				       "in",
				       "index",
				       "initially",
				       "inner",
				       "insert",
				       "intersect",
				       "into",
				       "is",
				       "isnull",
				       "join",
				       "key",
				       "kill",
				       "lateral",
				       "leading",
				       "left",
				       "like",
				       "limit",
				       "lineno",
				       "load",
				       "localtime",
				       "match",
				       "merge",
				       "national",
				       "natural",
				       "nocheck",
				       "not",
				       "notnull",
				       "null",
				       "nullif",
				       "of",
				       "off",
				       "offset",
				       "offsets",
				       "on",
				       "only",
				       "open",
				       "option",
				       "or",
				       "order",
				       "outer",
				       "over",
				       "overlaps",
				       "percent",
				       "pivot",
				       "placing",
				       "plan",
				       "precision",
				       "primary",
				       "print",
				       "proc",
				       "procedure",
				       "public",
				       "raiserror",
				       "read",
				       "readtext",
				       "references",
				       "regexp",
				       "replication",
				       "restore",
				       "restrict",
				       "return",
				       "returning",
				       "revert",
				       "revoke",
				       "right",
				       "rollback",
				       "row_no",
				       "rowcount",
				       "rowid",
				       "rule",
				       "save",
				       "schema",
				       "select",
				       "set",
				       "setuser",
				       "shutdown",
				       "similar",
				       "some",
				       "statistics",
				       "symmetric",
				       "table",
				       "tablesample",
				       "tenant_id",
				       "textsize",
				       "then",
				       "to",
				       "top",
				       "trailing",
				       "tran",
				       "transaction",
				       "trigger",
				       "true",
				       "truncate",
				       "union",
				       "unique",
				       "unpivot",
				       "update",
				       "use",
				       "user",
				       "using",
				       "values",
				       "variadic",
				       "varying",
				       "verbose",
				       "view",
				       "waitfor",
				       "when",
				       "where",
				       "while",
				       "window",
				       "with",
				       "within",
				       "writetext",
				       NULL};

static bool is_reserved(const char *name)
{
	for (const char *const *r = reserved; *r; r++)
		if (strcmp(*r, name) == 0)
			return true;
	return false;
}

/* The letters and digits of the label; each run of other characters becomes one "_". */
static size_t plain_name(const char *label, char out[HEADER_NAME_BYTES + 1])
{
	size_t n = 0;

	for (const char *p = label; *p && n < HEADER_NAME_BYTES; p++) {
		bool is_kept = isalnum((unsigned char)*p);

		if (n == 0 && !isalpha((unsigned char)*p))
			continue;
		if (is_kept)
			out[n++] = (char)tolower((unsigned char)*p);
		else if (out[n - 1] != '_')
			out[n++] = '_';
	}
	while (n > 0 && out[n - 1] == '_')
		n--;
	out[n] = '\0';
	return n;
}

static bool is_taken(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static const char *name_of(const char *const *names, size_t at, const char *label, struct arena *a)
{
	char base[HEADER_NAME_BYTES + 1];
	const char *name;

	if (plain_name(label, base) == 0)
		name = arena_printf(a, "column_%zu", at + 1);
	else
		name = is_reserved(base) ? arena_printf(a, "%s_", base) : arena_strdup(a, base);
	if (!is_taken(names, at, name))
		return name;
	for (size_t n = 2;; n++) {
		const char *next =
			arena_printf(a, "%.*s_%zu", STR_CUT(name, HEADER_NAME_BYTES - 5), n);

		if (!is_taken(names, at, next))
			return next;
	}
}

const char *const *header_names(const char *const *labels, size_t count, struct arena *a)
{
	const char **names = arena_alloc(a, (count + 1) * sizeof(*names));

	for (size_t i = 0; i < count; i++)
		names[i] = name_of(names, i, labels[i], a);
	return names;
}

/* ---- detecting a header ---- */

/* True if the cell is neither a number nor a time: "n" and "yes" may be names. */
static bool is_text(struct str cell)
{
	struct type_counts c = {0};
	enum type_question question;
	enum column_type type;

	types_count(&c, cell);
	type = types_decide(&c, &question).type;
	return type == COLUMN_TEXT || type == COLUMN_BOOL;
}

static bool is_empty(struct str cell)
{
	return str_trim(cell).n == 0;
}

/* True if all cells differ, none is empty, and none occurs again in its column. */
static bool looks_like_names(const struct record *records, size_t count)
{
	const struct record *first = &records[0];

	for (size_t i = 0; i < first->count; i++) {
		if (is_empty(first->cells[i]))
			return false;
		for (size_t k = 0; k < i; k++)
			if (str_eq(first->cells[i], first->cells[k]))
				return false;
		for (size_t r = 1; r < count; r++)
			if (i < records[r].count && str_eq(records[r].cells[i], first->cells[i]))
				return false;
	}
	return true;
}

bool header_detect(const struct record *records, size_t count)
{
	bool any_typed = false;

	if (count == 0)
		return false;
	for (size_t i = 0; i < records[0].count; i++)
		if (!types_is_null(records[0].cells[i]) && !is_text(records[0].cells[i]))
			return false;
	for (size_t r = 1; r < count; r++)
		for (size_t i = 0; i < records[r].count; i++)
			any_typed |= !types_is_null(records[r].cells[i]) &&
				     !is_text(records[r].cells[i]);
	return any_typed || looks_like_names(records, count);
}
