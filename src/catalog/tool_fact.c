/*
 * What a tool's file says of the facts that code derives: its `fact` lines, and the lines that use
 * them: `answer`, `suggest` and `refer`. These are checked against everything that the header
 * declares.
 */
#include "tool_header.h"

#include <string.h>

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
			return true; /* parameters may stand further down */
		}
		f->unit = value;
		if (!units_find(&h->l->whole->shown.units, value))
			return tool_wrong(h, e, "unit %s is not registered (config/units.json)",
					  value);
	} else if (strcmp(key, "type") == 0) {
		if (!read_fact_type(value, &f->type))
			return tool_wrong(h, e, "type is number, int, text or date");
	} else {
		return tool_wrong(h, e, "unknown attribute %s", key);
	}
	return true;
}

bool tool_fact_read(struct tool_header *h, const char *text, struct err *e)
{
	struct arena *a = h->l->arena;
	struct fact_def *f = &h->facts[h->tool->fact_count];
	struct str rest = str_of(text), word;
	const char *key, *value;
	bool typed = false;

	if (h->tool->fact_count == RESULT_FACTS_MAX)
		return tool_wrong(h, e, "more than %d facts", RESULT_FACTS_MAX);
	if (!tool_next_word(&rest, &word))
		return tool_wrong(h, e, "fact without a name");
	f->name = arena_strndup(a, word.p, word.n);
	if (!tool_is_name(f->name))
		return tool_wrong(h, e, "%s is no name", f->name);
	if (tool_fact(h->tool, f->name))
		return tool_wrong(h, e, "fact %s is there twice", f->name);
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
		return tool_wrong(h, e, "fact %s says nothing about itself", f->name);
	if (!typed)
		f->type = f->unit || f->unit_of ? FACT_NUMBER : FACT_TEXT;
	if ((f->unit || f->unit_of) && (f->type == FACT_TEXT || f->type == FACT_DATE))
		return tool_wrong(h, e, "fact %s: only numbers have a unit", f->name);
	f->line = h->line;
	h->tool->fact_count++;
	return true;
}

/* The column that a parameter names is known when the tool runs. */
static bool check_units(struct tool_header *h, struct err *e)
{
	for (size_t i = 0; i < h->tool->fact_count; i++) {
		const struct fact_def *f = &h->facts[i];
		const struct param_def *p = f->unit_of ? tool_param(h->tool, f->unit_of) : NULL;

		h->line = f->line;
		if (f->unit_of && (!p || p->type != PARAM_TEXT || p->is_list))
			return tool_wrong(h, e, "unit=@%s is no param that names a column",
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

/* {vendor} of a parameter becomes {arg.vendor}, which is how sentences are filled. */
static bool read_sentence(struct tool_header *h, const char *text, const char **out, struct err *e)
{
	const struct tool_def *t = h->tool;
	struct arena *a = h->l->arena;
	const char *made = "";

	for (const char *open; (open = strchr(text, '{')); text = strchr(open, '}') + 1) {
		size_t n = strcspn(open, "}");
		if (open[n] == '\0')
			return tool_wrong(h, e, "{ without }");
		const char *name = arena_strndup(a, open + 1, n - 1);
		if (!is_known(t, name))
			return tool_wrong(h, e, "{%s} is no param, column or fact", name);
		made = arena_printf(a, "%s%.*s{%s%s}", made, (int)(open - text), text,
				    tool_param(t, name) && !is_column(t, name) ? "arg." : "", name);
	}
	*out = arena_printf(a, "%s%s", made, text);
	return true;
}

/* ---- refer FILTER PATH words ---- */

static bool read_refer(struct tool_header *h, const char *text, struct err *e)
{
	struct tool_def *t = h->tool;
	const struct refer_def *r;
	struct ref path;

	if (!refer_read(h->l->arena, text, h->line, t, e))
		return tool_wrong(h, e, "refer: %s", arena_strdup(h->l->arena, e->text));
	r = &t->refers[t->refer_count - 1];
	if (!ref_parse(arena_printf(h->l->arena, "t.%s", r->path), &path, e))
		return false; /* refer_read has parsed it */
	if (path.kind == REF_FACT && !tool_fact(t, path.name))
		return tool_wrong(h, e, "refer: %s is no fact of the tool", path.name);
	if (path.kind != REF_CELL && path.kind != REF_COLUMN)
		return true;
	for (size_t i = 0; i < t->column_count; i++)
		if (ref_same_name(t->columns[i].name, path.name))
			return true;
	return tool_wrong(h, e, "refer: %s is no column of the tool", path.name);
}

bool tool_sentences_read(struct tool_header *h, struct err *e)
{
	struct tool_def *t = h->tool;
	struct text_list suggest = {0};
	const char *made;

	if (!check_units(h, e))
		return false;
	text_list_add(&suggest, h->l->arena, NULL);
	for (size_t i = 0; i < h->file->header_count; i++) {
		const struct sql_header_line *line = &h->file->header[i];

		h->line = line->line;
		if (strcmp(line->key, "refer") == 0) {
			if (!read_refer(h, line->value, e))
				return false;
		} else if (strcmp(line->key, "suggest") == 0) {
			if (!read_sentence(h, line->value, &made, e))
				return false;
			text_list_add(&suggest, h->l->arena, made);
		} else if (strcmp(line->key, "answer") == 0 &&
			   !read_sentence(h, line->value, &t->answer, e)) {
			return false;
		}
	}
	t->suggest = suggest.items;
	return true;
}
