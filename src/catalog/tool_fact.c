/*
 * Reads a tool file's `fact` lines and the lines that use facts: `answer`, `suggest` and `refer`.
 * Names are checked against the header's declarations.
 */
#include "tool_header.h"

#include <ctype.h>
#include <string.h>

#include "vesper/condition.h"
#include "vesper/limits.h"
#include "vesper/ref.h"

/* ---- fact NAME [attributes] about ---- */

static bool read_fact_type(const char *text, enum fact_type *out)
{
	for (int i = FACT_NUMBER; i <= FACT_DATE; i++) {
		if (strcmp(text, fact_type_name((enum fact_type)i)) != 0)
			continue;
		*out = (enum fact_type)i;
		return true;
	}
	return false;
}

static bool set_fact_attribute(const struct tool_header *h, struct fact_def *f, const char *key,
			       const char *value, struct err *e)
{
	if (strcmp(key, "label") == 0) {
		f->label = value;
	} else if (strcmp(key, "unit") == 0) {
		if (*value == '@') {
			f->unit_of = value + 1;
			return true; /* the param may be declared later */
		}
		f->unit = value;
		if (!units_find(&h->l->impl->public.units, value))
			return tool_fail(h, e,
					 "unit %s is not registered (units of the pack's "
					 "catalogue.json, or config/units.json)",
					 value);
	} else if (strcmp(key, "type") == 0) {
		if (!read_fact_type(value, &f->type))
			return tool_fail(h, e, "type must be number, int, text or date");
	} else {
		return tool_fail(h, e, "unknown attribute %s", key);
	}
	return true;
}

/* True for a name in the style of a param (peak_value) or of a JSON member (peakValue). */
static bool is_fact_name(const char *text)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || text[n] == '_')
		n++;
	return n > 0 && !text[n] && islower((unsigned char)text[0]);
}

bool tool_fact_read(struct tool_header *h, const char *text, struct err *e)
{
	struct arena *a = h->l->arena;
	struct fact_def *f = &h->facts[h->tool->fact_count];
	struct str rest = str_of(text), word;
	const char *key, *value;
	bool typed = false;

	if (h->tool->fact_count == RESULT_FACTS_MAX)
		return tool_fail(h, e, "more than %d facts", RESULT_FACTS_MAX);
	if (!tool_next_word(&rest, &word))
		return tool_fail(h, e, "fact without a name");
	f->name = arena_strndup(a, word.p, word.n);
	if (!is_fact_name(f->name))
		return tool_fail(h, e, "%s is not a valid name", f->name);
	if (tool_fact(h->tool, f->name))
		return tool_fail(h, e, "fact %s appears twice", f->name);
	f->about = "";
	for (struct str before = rest; tool_next_word(&rest, &word); before = rest) {
		if (str_eq(word, STR("optional"))) {
			f->optional = true;
			continue;
		}
		if (!tool_is_attribute(a, word, &key, &value)) {
			before = str_trim(before);
			f->about = arena_strndup(a, before.p, before.n);
			break;
		}
		if (!set_fact_attribute(h, f, key, value, e))
			return false;
		typed = typed || strcmp(key, "type") == 0;
	}
	if (!*f->about)
		return tool_fail(h, e, "fact %s has no description", f->name);
	if (!typed)
		f->type = f->unit || f->unit_of ? FACT_NUMBER : FACT_TEXT;
	if ((f->unit || f->unit_of) && (f->type == FACT_TEXT || f->type == FACT_DATE))
		return tool_fail(h, e, "fact %s: only numbers can have a unit", f->name);
	f->line = h->line;
	h->tool->fact_count++;
	return true;
}

/* Checks unit=@PARAM. The column that the param names is only known when the tool runs. */
static bool check_units(struct tool_header *h, struct err *e)
{
	for (size_t i = 0; i < h->tool->fact_count; i++) {
		const struct fact_def *f = &h->facts[i];
		const struct param_def *p = f->unit_of ? tool_param(h->tool, f->unit_of) : NULL;

		h->line = f->line;
		if (f->unit_of && h->tool->map && strcmp(f->unit_of, "measure") == 0)
			continue;
		if (f->unit_of && (!p || p->type != PARAM_TEXT || p->is_list))
			return tool_fail(h, e, "unit=@%s is not a param that names a column",
					 f->unit_of);
	}
	return true;
}

/* ---- sentences with placeholders ---- */

static bool is_column(const struct tool_def *t, const char *name)
{
	for (size_t i = 0; i < t->column_count; i++)
		if (strcmp(t->columns[i].name, name) == 0)
			return true;
	return false;
}

static bool is_known(const struct tool_def *t, const char *name)
{
	if (strncmp(name, "fact.", 5) == 0)
		return tool_fact(t, name + 5);
	if (strncmp(name, "arg.", 4) == 0)
		return tool_param(t, name + 4);
	return strcmp(name, "rows") == 0 || is_column(t, name) || tool_param(t, name);
}

/* Replaces {vendor} with {arg.vendor} for params, the form used when sentences are filled. */
static bool read_sentence(struct tool_header *h, const char *text, const char **out, struct err *e)
{
	const struct tool_def *t = h->tool;
	struct arena *a = h->l->arena;
	const char *result = "";

	for (const char *open; (open = strchr(text, '{')); text = strchr(open, '}') + 1) {
		size_t n = strcspn(open, "}");
		if (open[n] == '\0')
			return tool_fail(h, e, "a { is not closed");
		const char *name = arena_strndup(a, open + 1, n - 1);
		if (!is_known(t, name))
			return tool_fail(h, e, "{%s} is not a param, column or fact", name);
		result = arena_printf(a, "%s%.*s{%s%s}", result, (int)(open - text), text,
				      tool_param(t, name) && !is_column(t, name) ? "arg." : "",
				      name);
	}
	*out = arena_printf(a, "%s%s", result, text);
	return true;
}

/* ---- refer FILTER PATH words ---- */

static struct str next_word(struct str *rest)
{
	struct str word = {rest->p, 0};

	while (word.n < rest->n && rest->p[word.n] != ' ')
		word.n++;
	*rest = str_trim((struct str){rest->p + word.n, rest->n - word.n});
	return word;
}

bool refer_read(struct arena *a, const char *text, int line, struct tool_def *tool, struct err *e)
{
	struct refer_def *list = arena_alloc(a, (tool->words.refer_count + 1) * sizeof(*list));
	struct str rest = str_trim(str_of(text)), word = next_word(&rest);
	struct refer_def r = {.filter = arena_strndup(a, word.p, word.n), .line = line};
	struct strlist words = {0};
	struct ref unused;

	word = next_word(&rest);
	r.path = arena_strndup(a, word.p, word.n);
	if (!ref_parse(arena_printf(a, "t.%s", r.path), &unused, e))
		return false;
	strlist_add(&words, a, NULL);
	while (str_split(&rest, ',', &word)) {
		word = str_trim(word);
		if (word.n > 0)
			strlist_add(&words, a, arena_strndup(a, word.p, word.n));
	}
	if (words.count == 0)
		return err_set(e, ERR_INPUT, "no words refer to %s", r.path);
	r.words = words.items;
	for (size_t i = 0; i < tool->words.refer_count; i++)
		list[i] = tool->words.refers[i];
	list[tool->words.refer_count] = r;
	tool->words.refers = list;
	tool->words.refer_count++;
	return true;
}

static bool read_refer(struct tool_header *h, const char *text, struct err *e)
{
	struct tool_def *t = h->tool;
	const struct refer_def *r;
	struct ref path;

	if (!refer_read(h->l->arena, text, h->line, t, e))
		return tool_fail(h, e, "refer: %s", arena_strdup(h->l->arena, e->text));
	r = &t->words.refers[t->words.refer_count - 1];
	if (!ref_parse(arena_printf(h->l->arena, "t.%s", r->path), &path, e))
		return false; /* refer_read has checked it */
	if (path.kind == REF_FACT && !tool_fact(t, path.name))
		return tool_fail(h, e, "refer: %s is not a fact of the tool", path.name);
	if (path.kind != REF_CELL && path.kind != REF_COLUMN)
		return true;
	for (size_t i = 0; i < t->column_count; i++)
		if (ref_names_match(t->columns[i].name, path.name))
			return true;
	return tool_fail(h, e, "refer: %s is not a column of the tool", path.name);
}

/* ---- suggest TEXT, or primary|secondary ["label" ->] TEXT [if CONDITION] ---- */

static bool take_rank(struct str *rest, bool *primary)
{
	struct str word = next_word(rest);

	*primary = str_eq(word, STR("primary"));
	return *primary || str_eq(word, STR("secondary"));
}

/* Reads an optional label: a quoted text and an arrow. */
static bool take_label(struct tool_header *h, struct str *rest, const char **out, struct err *e)
{
	struct str text = str_trim(*rest);
	const char *close =
		text.n > 1 && *text.p == '"' ? memchr(text.p + 1, '"', text.n - 1) : NULL;
	struct str after;

	if (!close)
		return true;
	after = str_trim((struct str){close + 1, text.n - (size_t)(close + 1 - text.p)});
	if (!str_starts(after, STR("->")))
		return tool_fail(h, e, "suggest: -> is missing after the label");
	*rest = (struct str){after.p + 2, after.n - 2};
	return read_sentence(
		h, arena_strndup(h->l->arena, text.p + 1, (size_t)(close - text.p - 1)), out, e);
}

/* Checks that the names of the condition exist. */
static bool check_terms(struct tool_header *h, const struct condition *c, struct err *e)
{
	for (size_t i = 0; i < c->term_count; i++) {
		const struct condition_term *term = &c->terms[i];

		if (term->kind == TERM_MISSING)
			return tool_fail(h, e, "suggest: filters are not available here");
		if (term->ref.kind == REF_FACT && !tool_fact(h->tool, term->ref.name))
			return tool_fail(h, e, "suggest: %s is not a fact of the tool",
					 term->ref.name);
		if (term->ref.kind == REF_CELL && !*term->ref.table &&
		    !is_column(h->tool, term->ref.name))
			return tool_fail(h, e, "suggest: %s is not a column of the tool",
					 term->ref.name);
	}
	return true;
}

/* Reads an optional condition: the text after the last " if ". */
static bool take_condition(struct tool_header *h, struct str *rest, const struct condition **out,
			   struct err *e)
{
	const char *text = arena_strndup(h->l->arena, rest->p, rest->n), *at = NULL;
	struct err why = {0};

	for (const char *p = text; (p = strstr(p, " if ")); p++)
		at = p;
	if (!at)
		return true;
	*out = condition_read_single(at + 4, h->l->arena, &why);
	if (!*out)
		return tool_fail(h, e, "suggest: if: %s", arena_strdup(h->l->arena, why.text));
	rest->n = (size_t)(at - text);
	return check_terms(h, *out, e);
}

static bool read_suggest(struct tool_header *h, const char *line, struct suggest_def *out,
			 struct err *e)
{
	struct str rest = str_of(line);

	*out = (struct suggest_def){.text = NULL};
	if (!take_rank(&rest, &out->primary))
		return read_sentence(h, line, &out->text, e);
	if (!take_label(h, &rest, &out->label, e) || !take_condition(h, &rest, &out->when, e))
		return false;
	rest = str_trim(rest);
	if (rest.n == 0)
		return tool_fail(h, e, "suggest: the question is missing");
	return read_sentence(h, arena_strndup(h->l->arena, rest.p, rest.n), &out->text, e);
}

bool tool_sentences_read(struct tool_header *h, struct err *e)
{
	struct tool_def *t = h->tool;
	struct suggest_def *suggest =
		arena_alloc(h->l->arena, (h->file->header_count + 1) * sizeof(*suggest));
	size_t n = 0;

	if (!check_units(h, e))
		return false;
	for (size_t i = 0; i < h->file->header_count; i++) {
		const struct sql_header_line *line = &h->file->header[i];

		h->line = line->line;
		if (strcmp(line->key, "refer") == 0) {
			if (!read_refer(h, line->value, e))
				return false;
		} else if (strcmp(line->key, "suggest") == 0) {
			if (!read_suggest(h, line->value, &suggest[n++], e))
				return false;
		} else if (strcmp(line->key, "answer") == 0 &&
			   !read_sentence(h, line->value, &t->words.answer, e)) {
			return false;
		}
	}
	t->words.suggest = suggest;
	return true;
}

/* ---- derive NAME COLUMN [BY]: the toolbox checks NAME ---- */

static const struct column_def *find_fetched(const struct tool_header *h, const char *name)
{
	for (size_t i = 0; i < h->tool->column_count; i++)
		if (strcmp(h->columns[i].name, name) == 0 && !h->columns[i].derived)
			return &h->columns[i];
	return NULL;
}

static const char *first_text_column(const struct tool_header *h)
{
	for (size_t i = 0; i < h->tool->column_count; i++)
		if (h->columns[i].has_type && h->columns[i].type == COLUMN_TEXT &&
		    !h->columns[i].derived)
			return h->columns[i].name;
	return NULL;
}

static bool read_derive(struct tool_header *h, struct derive_def *d, struct err *e)
{
	struct str rest = str_of(d->name), word;
	const char *words[3] = {0};
	const struct column_def *c;
	size_t n = 0;

	h->line = d->line;
	while (str_split(&rest, ' ', &word)) {
		if (word.n == 0)
			continue;
		if (n == 3)
			return tool_fail(h, e, "expected derive: NAME COLUMN [BY]");
		words[n++] = arena_strndup(h->l->arena, word.p, word.n);
	}
	if (h->tool->map && n == 1 && tool_is_name(words[0])) {
		d->name = words[0];
		return true;
	}
	if (n < 2 || !tool_is_name(words[0]))
		return tool_fail(h, e, "expected derive: NAME COLUMN [BY]");
	c = find_fetched(h, words[1]);
	if (!c || !c->has_type || !column_is_number(c->type))
		return tool_fail(h, e, "%s is not a fetched column of type int or decimal",
				 words[1]);
	if (n == 3 && !find_fetched(h, words[2]))
		return tool_fail(h, e, "%s is not a fetched column", words[2]);
	d->name = words[0];
	d->column = words[1];
	d->by = n == 3 ? words[2] : first_text_column(h);
	if (!d->by)
		return tool_fail(h, e, "no column of type text distinguishes the rows");
	for (const struct derive_def *other = h->derives; other < d; other++)
		if (strcmp(other->name, d->name) == 0)
			return tool_fail(h, e, "derive %s appears twice", d->name);
	return true;
}

bool tool_derives_read(struct tool_header *h, struct err *e)
{
	size_t bytes = h->tool->derive_count * sizeof(*h->derives);
	struct derive_def *list = arena_alloc(h->l->arena, bytes);

	for (size_t i = 0; i < h->tool->derive_count; i++)
		if (!read_derive(h, &h->derives[i], e))
			return false;
	if (bytes > 0)
		memcpy(list, h->derives, bytes);
	h->tool->derives = list;
	return true;
}
