/*
 * Fragments: text shared by several statements. They are inserted as lines before tokenizing, so
 * that markers, --? lines and checks apply to the expanded text. Each line keeps its origin for
 * error messages.
 */
#include "sql_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "vesper/limits.h"

/* ---- origins ---- */

static struct sql_origin origin_of(const struct sql_source *s, int line)
{
	if (!s->origins)
		return (struct sql_origin){s->path, line, line};
	/* The end of the text counts as one more line. */
	if ((size_t)(line - s->first_line) >= s->origin_count)
		return s->end;
	return s->origins[line - s->first_line];
}

int sql_file_line(const struct sql_source *s, int line)
{
	return origin_of(s, line).file_line;
}

bool sql_fail(const struct sql_source *s, int line, struct err *e, const char *fmt, ...)
{
	struct sql_origin at = origin_of(s, line);
	char what[sizeof(e->text)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return err_set(e, ERR_INPUT, "%s:%d: %s", at.path, at.line, what);
}

/* ---- lines ---- */

struct lines {
	const char *path;
	const char *p;
	int line; /* number of the current line */
	struct str text;
};

static bool next_line(struct lines *l)
{
	size_t n = strcspn(l->p, "\n");

	if (!*l->p)
		return false;
	l->text = (struct str){l->p, n};
	l->p += n + (l->p[n] == '\n');
	l->line++;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_fragment_name(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!(c >= 'a' && c <= 'z') && (i == 0 || (c != '_' && !(c >= '0' && c <= '9'))))
			return false;
	}
	return s.n > 0;
}

static bool is_section(struct str line)
{
	return str_starts(str_trim(line), STR("--#"));
}

/* Matches "--# fragment NAME"; the name is empty when it is invalid. */
static bool is_definition(struct str line, struct str *name)
{
	struct str s = str_trim(line), word = STR("fragment");

	if (!str_starts(s, STR("--#")))
		return false;
	s = str_trim((struct str){s.p + 3, s.n - 3});
	if (!str_starts(s, word) || (s.n > word.n && !is_blank(s.p[word.n])))
		return false;
	*name = str_trim((struct str){s.p + word.n, s.n - word.n});
	if (!is_fragment_name(*name))
		name->n = 0;
	return true;
}

/* Matches a line that begins with ":{"; the name is empty when it is not just `:{name}`. */
static bool is_use(struct str line, struct str *name)
{
	struct str s = str_trim(line);

	if (!str_starts(s, STR(":{")))
		return false;
	*name = (struct str){s.p + 2, s.n - 2};
	if (!str_ends(s, STR("}")) || !is_fragment_name((struct str){name->p, name->n - 1}))
		name->n = 0;
	else
		name->n--;
	return true;
}

static bool fail_at(const struct lines *l, struct err *e, const char *what, struct str name)
{
	return err_set(e, ERR_INPUT, "%s:%d: %s%.*s", l->path, l->line, what, STR_FMT(name));
}

/* ---- definitions ---- */

static struct sql_fragment *find(const struct sql_fragments *f, struct str name)
{
	for (size_t i = 0; f && i < f->count; i++)
		if (str_eq(str_of(f->items[i].name), name))
			return &f->items[i];
	return NULL;
}

const struct sql_fragment *sql_fragment_find(const struct sql_fragments *f, const char *name)
{
	return find(f, str_of(name));
}

const struct sql_fragment *sql_fragment_unused(const struct sql_fragments *f)
{
	for (size_t i = 0; i < f->count; i++)
		if (!f->items[i].is_used)
			return &f->items[i];
	return NULL;
}

struct reader {
	struct lines lines;
	const struct sql_fragments *shared; /* NULL: reading the shared file */
	struct sql_fragments *out;
	struct arena *arena;
	struct sql_fragment *open;
	bool has_text; /* the open fragment has text */
};

/* A fragment must close its literals and comments, or they would swallow the following text. */
static bool check_tokens(const struct sql_fragment *f, struct err *e)
{
	struct sql_source s = {.path = f->path, .text = f->text, .first_line = f->line + 1};
	struct sql_lexer lexer;
	struct sql_token t;

	sql_lex_init(&lexer, &s);
	do {
		if (!sql_lex_next(&lexer, &t, e))
			return false;
	} while (t.kind != SQL_END);
	return true;
}

static bool close_fragment(struct reader *r, const char *end, struct err *e)
{
	struct sql_fragment *f = r->open;

	r->open = NULL;
	if (!f)
		return true;
	if (!r->has_text)
		return err_set(e, ERR_INPUT, "%s:%d: fragment %s is empty", f->path, f->line,
			       f->name);
	f->text = arena_strndup(r->arena, f->text, (size_t)(end - f->text));
	return check_tokens(f, e);
}

static bool open_fragment(struct reader *r, struct str name, struct err *e)
{
	const struct sql_fragment *same = find(r->out, name);

	same = same ? same : find(r->shared, name);
	if (name.n == 0)
		return fail_at(&r->lines, e,
			       "expected \"--# fragment name\"; a name begins with a letter and "
			       "contains only a-z, 0-9 and _",
			       name);
	if (same)
		return err_set(e, ERR_INPUT, "%s:%d: fragment %s is already defined in %s:%d",
			       r->lines.path, r->lines.line, same->name, same->path, same->line);
	if (r->out->count == SQL_FRAGMENTS_MAX)
		return err_set(e, ERR_INPUT, "%s:%d: more than %d fragments", r->lines.path,
			       r->lines.line, SQL_FRAGMENTS_MAX);
	if (r->out->count == 0)
		r->out->items = arena_alloc(r->arena, SQL_FRAGMENTS_MAX * sizeof(*r->open));
	r->open = &r->out->items[r->out->count++];
	r->has_text = false;
	*r->open = (struct sql_fragment){.name = arena_strndup(r->arena, name.p, name.n),
					 .path = arena_strdup(r->arena, r->lines.path),
					 .line = r->lines.line,
					 .text = r->lines.p};
	return true;
}

static bool read_fragment_line(struct reader *r, struct err *e)
{
	struct str line = str_trim(r->lines.text), name;
	bool is_text = line.n > 0 && (!str_starts(line, STR("--")) || str_starts(line, STR("--?")));

	if (is_definition(line, &name))
		return close_fragment(r, r->lines.text.p, e) && open_fragment(r, name, e);
	if (is_section(line)) {
		if (!r->shared && !r->open)
			return fail_at(&r->lines, e, "only fragments are allowed here", STR(""));
		if (!r->shared)
			return fail_at(&r->lines, e, "a fragment cannot contain a query", STR(""));
		return close_fragment(r, r->lines.text.p, e);
	}
	if (!r->open)
		return r->shared || !is_text ||
		       fail_at(&r->lines, e, "only fragments are allowed here", STR(""));
	if (is_use(line, &name))
		return fail_at(&r->lines, e, "a fragment cannot contain another fragment: ", line);
	r->has_text = r->has_text || is_text;
	return true;
}

static bool read_fragments(struct reader *r, struct err *e)
{
	while (next_line(&r->lines))
		if (!read_fragment_line(r, e))
			return false;
	return close_fragment(r, r->lines.p, e);
}

bool sql_fragments_parse(const char *path, const char *text, struct arena *a,
			 struct sql_fragments *out, struct err *e)
{
	struct reader r = {.lines = {.path = path, .p = text}, .out = out, .arena = a};

	*out = (struct sql_fragments){0};
	return read_fragments(&r, e);
}

/* ---- uses ---- */

struct expander {
	struct lines lines;
	struct arena *arena;
	struct buf text;
	struct sql_origin *origins;
	size_t count, cap;
};

static void write_line(struct expander *x, struct str line, struct sql_origin origin)
{
	x->origins = arena_grow(x->arena, x->origins, x->count, &x->cap, sizeof(*x->origins));
	x->origins[x->count++] = origin;
	buf_add(&x->text, line.p, line.n);
	buf_char(&x->text, '\n');
}

static bool write_fragment(struct expander *x, struct str name, const struct sql_fragments *own,
			   const struct sql_fragments *shared, struct err *e)
{
	struct sql_fragment *f = find(own, name);

	f = f ? f : find(shared, name);
	if (name.n == 0)
		return fail_at(&x->lines, e, ":{name} must be alone on its line", name);
	if (!f)
		return fail_at(&x->lines, e, "unknown fragment ", name);
	f->is_used = true;
	struct lines l = {.path = f->path, .p = f->text, .line = f->line};
	while (!buf_over(&x->text) && next_line(&l))
		write_line(x, l.text, (struct sql_origin){f->path, l.line, x->lines.line});
	return true;
}

static bool write_lines(struct expander *x, const struct sql_fragments *own,
			const struct sql_fragments *shared, struct err *e)
{
	bool in_fragment = false;
	struct str name;

	while (!buf_over(&x->text) && next_line(&x->lines)) {
		if (is_section(x->lines.text))
			in_fragment = is_definition(x->lines.text, &name);
		if (in_fragment)
			continue;
		if (!is_use(x->lines.text, &name))
			write_line(
				x, x->lines.text,
				(struct sql_origin){x->lines.path, x->lines.line, x->lines.line});
		else if (!write_fragment(x, name, own, shared, e))
			return false;
	}
	return !buf_over(&x->text) ||
	       err_set(e, ERR_INPUT, "%s:1: longer than %d bytes with its fragments", x->lines.path,
		       SQL_FILE_BYTES_MAX);
}

static bool check_used(const struct sql_fragments *own, struct err *e)
{
	const struct sql_fragment *f = sql_fragment_unused(own);

	return !f ||
	       err_set(e, ERR_INPUT, "%s:%d: fragment %s is not used", f->path, f->line, f->name);
}

bool sql_source_read(struct sql_source *s, struct sql_fragments *own, struct sql_fragments *shared,
		     struct arena *a, struct err *e)
{
	static const struct sql_fragments none = {0};
	const struct lines from = {.path = s->path, .p = s->text, .line = s->first_line - 1};
	struct reader r = {
		.lines = from, .shared = shared ? shared : &none, .out = own, .arena = a};
	struct expander x = {.lines = from, .arena = a};
	bool ok;

	if (!read_fragments(&r, e))
		return false;
	if (own->count == 0 && !strstr(s->text, ":{"))
		return true;
	buf_init(&x.text, SQL_FILE_BYTES_MAX);
	ok = write_lines(&x, own, shared, e) && check_used(own, e);
	if (ok) {
		s->text = arena_strdup(a, buf_text(&x.text));
		s->origins = x.origins;
		s->origin_count = x.count;
		s->end = (struct sql_origin){s->path, x.lines.line + 1, x.lines.line + 1};
	}
	buf_deinit(&x.text);
	return ok;
}
