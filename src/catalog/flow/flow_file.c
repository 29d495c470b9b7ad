/*
 * Parses flow files: front matter and lines, into a struct flow_def. flow_check.c checks that the
 * names exist.
 */
#include "catalog_int.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/condition.h"
#include "vesper/flow.h"
#include "vesper/hash.h"
#include "vesper/json.h"
#include "vesper/limits.h"

struct reader {
	const char *p; /* position in the current line */
	int line;      /* line number in the file */
	const char *path;
	struct arena *arena;
	struct flow_def *flow;
	struct strlist examples;
	size_t show_count; /* number of show lines so far */
	const char *name;  /* name required by the file name */
	struct err *e;
};

static bool fail(const struct reader *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static bool fail(const struct reader *r, const char *fmt, ...)
{
	va_list args;
	const char *what;

	va_start(args, fmt);
	what = arena_vprintf(r->arena, fmt, args);
	va_end(args);
	return err_set(r->e, ERR_INPUT, "%s:%d: %s", r->path, r->line, what);
}

/* ---- parts of a line ---- */

static void skip_blanks(struct reader *r)
{
	r->p += strspn(r->p, " \t\r");
}

static bool take(struct reader *r, const char *text)
{
	size_t n = strlen(text);

	skip_blanks(r);
	if (strncmp(r->p, text, n) != 0)
		return false;
	r->p += n;
	return true;
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Reads the next name; "": none. */
static const char *take_name(struct reader *r)
{
	const char *from;

	skip_blanks(r);
	from = r->p;
	while (is_name_char(*r->p))
		r->p++;
	return arena_strndup(r->arena, from, (size_t)(r->p - from));
}

static bool take_keyword(struct reader *r, const char *word)
{
	size_t n = strlen(word);

	skip_blanks(r);
	if (strncmp(r->p, word, n) != 0 || is_name_char(r->p[n]))
		return false;
	r->p += n;
	return true;
}

static bool expect_name(struct reader *r, const char *what, const char **out)
{
	*out = take_name(r);
	return **out || fail(r, "expected %s, not \"%.*s\"", what, STR_CUT(r->p, 30));
}

/* Reads "…" with the escapes \" and \\. */
static bool take_quoted(struct reader *r, const char **out)
{
	char *text = arena_alloc(r->arena, strlen(r->p) + 1);
	size_t n = 0;

	if (!take(r, "\""))
		return fail(r, "expected quoted text \"…\", not \"%.*s\"", STR_CUT(r->p, 30));
	for (; *r->p && *r->p != '"'; r->p++) {
		if (*r->p == '\\' && (r->p[1] == '"' || r->p[1] == '\\'))
			r->p++;
		text[n++] = *r->p;
	}
	text[n] = '\0';
	*out = text;
	return take(r, "\"") || fail(r, "a \" is not closed");
}

/* ---- values ---- */

static bool take_reference(struct reader *r, json_t **out)
{
	size_t n = strcspn(r->p, "}");

	if (!r->p[n])
		return fail(r, "a { is not closed");
	*out = ref_json(arena_strndup(r->arena, r->p, n), 0);
	r->p += n + 1;
	return true;
}

static bool take_scalar(struct reader *r, json_t **out)
{
	const char *text;
	size_t n;

	skip_blanks(r);
	if (take(r, "{"))
		return take_reference(r, out);
	if (*r->p == '"') {
		if (!take_quoted(r, &text))
			return false;
		*out = json_str(text);
		return true;
	}
	n = strcspn(r->p, " \t\r,]\"{}[");
	if (n == 0)
		return fail(r, "expected a value, not \"%.*s\"", STR_CUT(r->p, 30));
	*out = json_strn(r->p, n);
	r->p += n;
	return true;
}

/* *out is owned by the arena. */
static bool take_value(struct reader *r, json_t **out)
{
	json_t *one;

	if (!take(r, "[")) {
		if (!take_scalar(r, &one))
			return false;
		*out = json_own(r->arena, one);
		return true;
	}
	*out = json_own(r->arena, json_array());
	do {
		if (!take_scalar(r, &one))
			return false;
		json_push_take(*out, one);
	} while (take(r, ","));
	return take(r, "]") || fail(r, "a [ is not closed");
}

/* ---- lines ---- */

static bool read_condition(struct reader *r, struct flow_line *l)
{
	struct err why = {0};

	skip_blanks(r);
	if (!*r->p)
		return fail(r, "\"if\" without a condition");
	l->condition = arena_strdup(r->arena, r->p);
	l->when = condition_read(l->condition, r->arena, &why);
	r->p += strlen(r->p);
	return l->when || fail(r, "if: %s", why.text);
}

static bool read_end(struct reader *r, struct flow_line *l)
{
	if (take_keyword(r, "if"))
		return read_condition(r, l);
	skip_blanks(r);
	return !*r->p || fail(r, "unexpected \"%.*s\"", STR_CUT(r->p, 30));
}

/* Returns true when "NAME =" follows. */
static bool is_assignment(struct reader *r)
{
	const char *p;

	skip_blanks(r);
	for (p = r->p; is_name_char(*p);)
		p++;
	return p > r->p && *p == '=' && p[1] != '=';
}

static bool read_values(struct reader *r, struct flow_line *l)
{
	const char *name;
	json_t *value;

	l->values = json_own(r->arena, json_object());
	while (is_assignment(r)) {
		name = take_name(r);
		if (!take(r, "=") || !take_value(r, &value))
			return false;
		if (json_object_get(l->values, name))
			return fail(r, "%s is given twice", name);
		json_object_set(l->values, name, value);
	}
	return true;
}

static bool read_do(struct reader *r, struct flow_line *l)
{
	l->kind = FLOW_DO;
	return expect_name(r, "the id of the task", &l->id) &&
	       expect_name(r, "a tool or an agent", &l->agent) &&
	       (!take_keyword(r, "each") || expect_name(r, "a filter", &l->each)) &&
	       read_values(r, l) && read_end(r, l);
}

static bool read_count(struct reader *r, size_t *out)
{
	skip_blanks(r);
	if (!isdigit((unsigned char)*r->p))
		return fail(r, "\"multiple\" needs a range such as 2..5");
	for (*out = 0; isdigit((unsigned char)*r->p) && *out < 1000; r->p++)
		*out = *out * 10 + (size_t)(*r->p - '0');
	return true;
}

static bool read_input(struct reader *r, struct flow_line *l)
{
	if (take_keyword(r, "single"))
		l->input = ASK_SINGLE;
	else if (take_keyword(r, "date"))
		l->input = ASK_DATE;
	else if (take_keyword(r, "date_range"))
		l->input = ASK_DATE_RANGE;
	else if (take_keyword(r, "multiple"))
		l->input = ASK_MULTIPLE;
	else
		return fail(r, "expected single, multiple, date or date_range, not \"%.*s\"",
			    STR_CUT(r->p, 30));
	if (l->input != ASK_MULTIPLE)
		return true;
	if (!read_count(r, &l->min))
		return false;
	if (!take(r, ".."))
		return fail(r, "\"multiple\" needs a range such as 2..5");
	if (!read_count(r, &l->max))
		return false;
	return (l->min > 0 && l->min <= l->max && l->max <= LIST_ARG_MAX) ||
	       fail(r, "%zu..%zu is not a range within 1 to %d", l->min, l->max, LIST_ARG_MAX);
}

static bool read_column(struct reader *r, const char *key, const char **out)
{
	if (!take(r, key))
		return fail(r, "expected %s, not \"%.*s\"", key, STR_CUT(r->p, 30));
	return expect_name(r, "a column", out);
}

static bool read_options(struct reader *r, struct flow_line *l)
{
	struct flow_options *o = arena_alloc(r->arena, sizeof(*o));

	if (!take_keyword(r, "from"))
		return true;
	l->options = o;
	if (!expect_name(r, "a task", &o->task))
		return false;
	if (!take(r, "."))
		return fail(r, "the table of %s is missing, such as %s.rows", o->task, o->task);
	return expect_name(r, "a table", &o->table) && read_column(r, "value=", &o->value) &&
	       read_column(r, "label=", &o->label) &&
	       (!take(r, "group=") || expect_name(r, "a column", &o->group));
}

static bool read_date(struct reader *r, const char **out)
{
	json_t *value;

	if (!take_value(r, &value))
		return false;
	*out = json_string_value(value);
	return *out || fail(r, "\"between\" needs two days");
}

static bool read_between(struct reader *r, struct flow_line *l)
{
	if (!take_keyword(r, "between"))
		return true;
	return read_date(r, &l->first) &&
	       (take_keyword(r, "and") || fail(r, "\"between\" needs two days")) &&
	       read_date(r, &l->last);
}

static bool read_skip(struct reader *r, struct flow_line *l)
{
	json_t *value;

	if (!take(r, "skip="))
		return true;
	if (!take_quoted(r, &l->skip))
		return false;
	if (!take(r, "="))
		return fail(r, "skip needs a value: skip=\"Latest\" = 2026-01-01");
	if (!take_value(r, &value))
		return false;
	l->skip_value = value;
	return true;
}

static bool read_ask(struct reader *r, struct flow_line *l)
{
	l->kind = FLOW_ASK;
	return expect_name(r, "a filter", &l->filter) && read_input(r, l) && read_options(r, l) &&
	       read_between(r, l) && take_quoted(r, &l->text) &&
	       (!take(r, "hint=") || take_quoted(r, &l->hint)) && read_skip(r, l) && read_end(r, l);
}

static bool read_show(struct reader *r, struct flow_line *l)
{
	l->kind = FLOW_SHOW;
	l->id = arena_printf(r->arena, "show%zu", ++r->show_count);
	return expect_name(r, "a component", &l->component) && read_values(r, l) && read_end(r, l);
}

static bool read_say(struct reader *r, struct flow_line *l)
{
	l->kind = FLOW_SAY;
	return take_quoted(r, &l->text) && read_end(r, l);
}

static bool read_suggest(struct reader *r, struct flow_line *l)
{
	l->kind = FLOW_SUGGEST;
	l->primary = take_keyword(r, "primary");
	if (!l->primary && !take_keyword(r, "secondary"))
		return fail(r, "expected primary or secondary, not \"%.*s\"", STR_CUT(r->p, 30));
	if (!take_quoted(r, &l->label))
		return false;
	if (!take(r, "->"))
		return fail(r, "expected -> and a question, not \"%.*s\"", STR_CUT(r->p, 30));
	return take_quoted(r, &l->text) && read_end(r, l);
}

static bool read_line(struct reader *r, const char *text)
{
	struct flow_def *f = r->flow;
	struct flow_line *l = &f->lines[f->line_count];

	r->p = text;
	*l = (struct flow_line){.line = r->line};
	if (f->line_count == FLOW_LINES_MAX)
		return fail(r, "more than %d lines", FLOW_LINES_MAX);
	f->line_count++;
	if (take_keyword(r, "do"))
		return read_do(r, l);
	if (take_keyword(r, "ask"))
		return read_ask(r, l);
	if (take_keyword(r, "show"))
		return read_show(r, l);
	if (take_keyword(r, "say"))
		return read_say(r, l);
	if (take_keyword(r, "suggest"))
		return read_suggest(r, l);
	return fail(r, "do, ask, show, say or suggest must begin a line, not \"%.*s\"",
		    STR_CUT(r->p, 30));
}

/* Joins lines that end in "\"; errors report the first line's number. */
static bool read_lines(struct reader *r, struct str rest, int line)
{
	const char *joined = NULL;
	struct str one;

	for (; str_split(&rest, '\n', &one); line++) {
		bool is_continued;

		one = str_trim(one);
		if (!joined && (one.n == 0 || one.p[0] == '#'))
			continue;
		if (one.n == 0)
			break;
		if (!joined)
			r->line = line;
		is_continued = str_ends(one, STR("\\"));
		joined = arena_printf(r->arena, "%s%.*s ", joined ? joined : "",
				      (int)one.n - is_continued, one.p);
		if (is_continued)
			continue;
		if (!read_line(r, joined))
			return false;
		joined = NULL;
	}
	return !joined || fail(r, "the line continues, but nothing follows");
}

/* ---- front matter ---- */

static bool read_key(struct front_matter *m, struct str key, struct str text, struct err *e)
{
	struct reader *r = m->owner;
	struct flow_def *f = r->flow;
	const char *value = arena_strndup(m->arena, text.p, text.n);

	if (str_eq(key, STR("flow")))
		f->name = value;
	else if (str_eq(key, STR("about")))
		f->about = value;
	else if (str_eq(key, STR("agent")))
		f->agent = value;
	else if (str_eq(key, STR("permission")))
		f->permission = value;
	else if (str_eq(key, STR("examples")))
		m->open = &r->examples;
	else if (str_eq(key, STR("order")))
		return front_matter_int(m, text, &f->order, e);
	else if (!str_eq(key, STR("answer")))
		return front_matter_fail(m, e, "unknown key ", key);
	else if (strcmp(value, "model") != 0 && strcmp(value, "template") != 0)
		return front_matter_fail(m, e, "answer must be model or template, not ", text);
	else
		f->by_model = *value == 'm';
	return true;
}

/* The file name without folder and extension. */
static const char *base_name_of(struct arena *a, const char *path)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

	return arena_strndup(a, name, strcspn(name, "."));
}

static bool check_front(struct reader *r)
{
	struct flow_def *f = r->flow;

	r->line = 1;
	if (!f->name || !f->about || !f->agent)
		return fail(r, "flow, about and agent are required");
	if (!str_is_name(f->name, REF_NAME_MAX) || strcmp(f->name, r->name) != 0)
		return fail(r, "flow: %s must be the name of the file, in a-z, 0-9 and _", f->name);
	return true;
}

bool flow_parse(const char *path, const char *text, struct arena *a, struct flow_def *out,
		struct err *e)
{
	struct flow_def f = {.path = path};
	struct reader r = {
		.path = path, .arena = a, .flow = &f, .name = base_name_of(a, path), .e = e};
	struct front_matter m = {.arena = a, .path = path, .owner = &r, .read_key = read_key};
	struct str rest = str_of(text);
	char hash[HASH_HEX_BYTES];

	r.line = 1;
	if (rest.n > FLOW_BYTES_MAX)
		return fail(&r, "larger than %d bytes", FLOW_BYTES_MAX);
	strlist_add(&r.examples, a, NULL);
	f.lines = arena_alloc(a, (FLOW_LINES_MAX + 1) * sizeof(*f.lines));
	if (!front_matter_read(&m, &rest, e) || !check_front(&r))
		return false;
	f.examples = r.examples.items;
	if (!read_lines(&r, rest, m.line + 1))
		return false;
	text = flow_text(&f, a);
	hash_sha256_hex(text, strlen(text), hash);
	f.hash = arena_strdup(a, hash);
	*out = f;
	return true;
}
