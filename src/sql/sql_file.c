/*
 * SQL files: header, statements, optional lines. Files are parsed once at start, and errors are
 * reported with their line.
 */
#include "sql_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/file.h"
#include "vesper/hash.h"
#include "vesper/limits.h"

struct token_list {
	struct sql_token *items;
	size_t count, cap;
};

static void token_push(struct token_list *list, struct arena *a, struct sql_token t)
{
	list->items = arena_grow(a, list->items, list->count, &list->cap, sizeof(t));
	list->items[list->count++] = t;
}

/* ---- header ---- */

static bool is_key(char c)
{
	return (c >= 'a' && c <= 'z') || c == '_';
}

/* Keys that need no colon: "-- param …". */
static bool is_bare(struct str key)
{
	return str_eq(key, STR("param")) || str_eq(key, STR("column")) || str_eq(key, STR("fact"));
}

/* "-- key: value", or a bare key. */
static bool header_line(struct str line, struct str *key, struct str *value)
{
	line = str_trim(line);
	if (!str_starts(line, STR("-- ")))
		return false;
	line = str_trim((struct str){line.p + 3, line.n - 3});

	size_t n = 0;
	while (n < line.n && is_key(line.p[n]))
		n++;
	*key = (struct str){line.p, n};
	if (n == 0 || n == line.n)
		return false;
	if (line.p[n] != ':' && !(is_bare(*key) && (line.p[n] == ' ' || line.p[n] == '\t')))
		return false;
	*value = str_trim((struct str){line.p + n + 1, line.n - n - 1});
	return true;
}

/* Returns the start of the statements; *line is advanced. */
static const char *parse_header(const char *text, struct arena *a, struct sql_file *f, int *line)
{
	struct sql_header_line *items = NULL;
	size_t cap = 0;
	struct str key, value;

	while (*text) {
		size_t n = strcspn(text, "\n");
		if (!header_line((struct str){text, n}, &key, &value))
			break;
		items = arena_grow(a, items, f->header_count, &cap, sizeof(*items));
		items[f->header_count++] = (struct sql_header_line){
			.line = *line,
			.key = arena_strndup(a, key.p, key.n),
			.value = arena_strndup(a, value.p, value.n),
		};
		text += n + (text[n] == '\n');
		(*line)++;
	}
	f->header = items;
	return text;
}

/* ---- statements ---- */

struct parser {
	struct arena *arena;
	struct arena *scratch; /* for temporary data */
	struct sql_source source;
	struct sql_lexer lexer;
	struct sql_file *file;
	struct sql_query *queries;
	size_t cap;
	/* Current statement. */
	const char *name;
	int line;
	struct token_list tokens;
	const char *given; /* condition of a --? line */
};

static bool is_marker(const struct sql_token *t)
{
	return t->kind == SQL_MARKER || t->kind == SQL_LIST;
}

/* Drops trailing blanks and one trailing semicolon. */
static void trim_tail(struct token_list *list)
{
	bool semicolon = false;

	while (list->count > 0) {
		const struct sql_token *last = &list->items[list->count - 1];
		bool is_end = !semicolon && !last->given && str_eq(last->text, STR(";"));
		if (!sql_token_is_space(last) && !is_end)
			return;
		semicolon = semicolon || is_end;
		list->count--;
	}
}

static bool is_blank_statement(const struct token_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (!sql_token_is_space(&list->items[i]))
			return false;
	return true;
}

/* Collects each name once, with its list flag and whether all uses are optional on it. */
static bool collect_markers(struct parser *p, struct sql_query *q, struct err *e)
{
	const struct token_list *list = &p->tokens;
	struct sql_marker *markers = NULL;
	size_t cap = 0, uses = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct sql_token *t = &list->items[i];
		size_t m = 0;

		if (!is_marker(t))
			continue;
		if (++uses > SQL_MARKERS_MAX)
			return sql_fail(&p->source, t->line, e, "more than %d markers",
					SQL_MARKERS_MAX);
		while (m < q->marker_count && strcmp(markers[m].name, t->text.p) != 0)
			m++;
		if (m == q->marker_count) {
			markers = arena_grow(p->arena, markers, q->marker_count, &cap,
					     sizeof(*markers));
			markers[q->marker_count++] =
				(struct sql_marker){.name = t->text.p,
						    .is_list = t->kind == SQL_LIST,
						    .optional = true};
		}
		if (markers[m].is_list != (t->kind == SQL_LIST))
			return sql_fail(&p->source, t->line, e,
					":%s is used as one value and as a list", t->text.p);
		if (!t->given || strcmp(t->given, t->text.p) != 0)
			markers[m].optional = false;
	}
	q->markers = markers;
	return true;
}

static void collect_conditions(struct parser *p, struct sql_query *q)
{
	const char **names = NULL;
	size_t count = 0, cap = 0;

	for (size_t i = 0; i < p->tokens.count; i++) {
		const char *given = p->tokens.items[i].given;
		size_t n = 0;

		while (given && n < count && strcmp(names[n], given) != 0)
			n++;
		if (!given || n < count)
			continue;
		names = arena_grow(p->arena, names, count, &cap, sizeof(*names));
		names[count++] = given;
	}
	names = arena_grow(p->arena, names, count, &cap, sizeof(*names));
	names[count] = NULL;
	q->conditions = names;
}

/* Copies the tokens to their final size; the growing array is freed with the scratch arena. */
static const struct sql_token *copy_tokens(struct parser *p)
{
	size_t bytes = p->tokens.count * sizeof(*p->tokens.items);
	struct sql_token *copy = arena_alloc(p->arena, bytes);

	memcpy(copy, p->tokens.items, bytes);
	return copy;
}

static bool finish_statement(struct parser *p, struct err *e)
{
	struct sql_file *f = p->file;

	trim_tail(&p->tokens);
	if (is_blank_statement(&p->tokens)) {
		bool untitled = f->query_count == 0 && strcmp(p->name, "main") == 0;
		if (untitled)
			return true;
		return sql_fail(&p->source, p->line, e, "query %s is empty", p->name);
	}
	for (size_t i = 0; i < f->query_count; i++)
		if (strcmp(p->queries[i].name, p->name) == 0)
			return sql_fail(&p->source, p->line, e, "query %s is defined twice",
					p->name);

	struct sql_query q = {.name = p->name, .line = sql_file_line(&p->source, p->line)};
	if (!collect_markers(p, &q, e))
		return false;
	collect_conditions(p, &q);
	struct sql_statement *s = arena_alloc(p->arena, sizeof(*s));
	*s = (struct sql_statement){copy_tokens(p), p->tokens.count};
	q.statement = s;
	p->queries = arena_grow(p->arena, p->queries, f->query_count, &p->cap, sizeof(q));
	p->queries[f->query_count++] = q;
	return true;
}

/* A header line below the header would be ignored as a comment, so it is refused. */
static bool check_comment(const struct sql_source *s, const struct sql_token *t, struct err *e)
{
	struct str key, value;

	if (header_line(t->text, &key, &value) && is_bare(key))
		return sql_fail(s, t->line, e, "\"-- %.*s\" must be above the end of the header",
				STR_FMT(key));
	return true;
}

static bool take_token(struct parser *p, struct sql_token t, struct err *e)
{
	struct token_list *list = &p->tokens;
	struct sql_token *last = list->count > 0 ? &list->items[list->count - 1] : NULL;

	if (p->given && t.line != p->lexer.line && t.kind != SQL_NEWLINE)
		return sql_fail(&p->source, t.line, e,
				"a --? line must close its quotes and comments");
	if (t.kind == SQL_SPACE && !check_comment(&p->source, &t, e))
		return false;
	t.given = p->given;
	if (sql_token_is_space(&t) &&
	    (!last || (sql_token_is_space(last) && last->given == t.given))) {
		if (last && t.kind == SQL_NEWLINE)
			last->kind = SQL_NEWLINE; /* a run of blanks keeps one token for all */
		return true;
	}
	if (is_marker(&t))
		t.text.p = arena_strndup(p->arena, t.text.p, t.text.n);
	token_push(list, p->scratch, t);
	return true;
}

static bool parse_statements(struct parser *p, struct err *e)
{
	struct sql_token t;

	for (;;) {
		if (!sql_lex_next(&p->lexer, &t, e))
			return false;
		switch (t.kind) {
		case SQL_END:
			return finish_statement(p, e);
		case SQL_SECTION:
			if (!finish_statement(p, e))
				return false;
			p->name = arena_strndup(p->arena, t.text.p, t.text.n);
			p->line = t.line;
			p->tokens = (struct token_list){0};
			break;
		case SQL_OPTION:
			p->given = arena_strndup(p->arena, t.text.p, t.text.n);
			break;
		case SQL_NEWLINE:
			p->given = NULL;
			if (!take_token(p, t, e))
				return false;
			break;
		default:
			if (!take_token(p, t, e))
				return false;
			break;
		}
	}
}

/* Hashes the file and its statements with the fragments inserted. */
static const char *hash_of(const char *text, const struct sql_source *expanded, struct arena *a)
{
	char hex[HASH_HEX_BYTES];
	struct hasher *h = hasher_new();

	hasher_add(h, text, strlen(text));
	hasher_add(h, expanded->text, strlen(expanded->text));
	hasher_end_hex(h, hex);
	hasher_free(&h);
	return arena_strdup(a, hex);
}

bool sql_file_parse_with(const char *path, const char *text, struct sql_fragments *shared,
			 struct arena *a, struct sql_file **out, struct err *e)
{
	struct sql_file *f = arena_alloc(a, sizeof(*f));
	struct parser p = {.arena = a, .file = f, .name = "main", .line = 1};

	f->path = arena_strdup(a, path);
	p.source = (struct sql_source){.path = f->path, .text = parse_header(text, a, f, &p.line)};
	p.source.first_line = p.line;
	if (!sql_source_read(&p.source, &f->fragments, shared, a, e))
		return false;
	f->hash = hash_of(text, &p.source, a);
	sql_lex_init(&p.lexer, &p.source);
	p.scratch = arena_new(SQL_FILE_BYTES_MAX);
	bool ok = parse_statements(&p, e);
	arena_free(&p.scratch);
	if (!ok)
		return false;
	f->queries = p.queries;
	*out = f;
	return true;
}

bool sql_file_parse(const char *path, const char *text, struct arena *a, struct sql_file **out,
		    struct err *e)
{
	return sql_file_parse_with(path, text, NULL, a, out, e);
}

bool sql_file_load(const char *path, struct arena *a, struct sql_file **out, struct err *e)
{
	const char *text;

	return file_read(path, SQL_FILE_BYTES_MAX, a, &text, e) &&
	       sql_file_parse(path, text, a, out, e);
}
