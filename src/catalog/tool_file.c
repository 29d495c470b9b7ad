/*
 * The header of a tool file. It is the only place where a tool is described: the model's schema,
 * the checks of arguments and the labels of columns are made from it.
 */
#include "catalog_int.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/limits.h"

/* What is being read, and where. */
struct header {
	struct loader *l;
	const struct sql_file *file;
	int line;
	struct tool_def *tool;
	struct param_def *params;
	struct column_def *columns;
	struct text_list agents, suggest, seen;
	const char *whole; /* read when every column is known */
	int whole_line;
};

static bool wrong(const struct header *h, struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static bool wrong(const struct header *h, struct err *e, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	char *text = arena_vprintf(h->l->arena, fmt, args);
	va_end(args);
	return err_set(e, ERR_INPUT, "%s:%d: %s", h->file->path, h->line, text);
}

/* ---- words of a line ---- */

/* The next word of *rest; blanks inside "…" belong to it. False at the end. */
static bool next_word(struct str *rest, struct str *word)
{
	struct str s = str_trim(*rest);
	bool quoted = false;
	size_t n = 0;

	while (n < s.n && (quoted || (s.p[n] != ' ' && s.p[n] != '\t')))
		quoted ^= s.p[n++] == '"';
	*word = (struct str){s.p, n};
	*rest = (struct str){s.p + n, s.n - n};
	return n > 0;
}

static const char *unquoted(struct arena *a, struct str s)
{
	if (s.n >= 2 && s.p[0] == '"' && s.p[s.n - 1] == '"')
		s = (struct str){s.p + 1, s.n - 2};
	return arena_strndup(a, s.p, s.n);
}

/* Splits "key=value" when key is a name; a text such as "a = b" is none. */
static bool is_attribute(struct arena *a, struct str word, const char **key, const char **value)
{
	size_t n = 0;

	while (n < word.n && word.p[n] >= 'a' && word.p[n] <= 'z')
		n++;
	if (n == 0 || n == word.n || word.p[n] != '=')
		return false;
	*key = arena_strndup(a, word.p, n);
	*value = unquoted(a, (struct str){word.p + n + 1, word.n - n - 1});
	return true;
}

static bool is_name(const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");

	return n > 0 && text[n] == '\0' && (text[0] < '0' || text[0] > '9');
}

static bool read_number(const struct header *h, const char *text, int64_t *out, struct err *e)
{
	char *end;

	errno = 0;
	*out = strtoll(text, &end, 10);
	return (*text && !*end && errno == 0) || wrong(h, e, "%s is not a whole number", text);
}

/* ---- param NAME type required|optional [attributes] about ---- */

/* "8", or "2-8" */
static bool read_list_bounds(const struct header *h, struct str text, struct param_def *p,
			     struct err *e)
{
	const char *bounds = arena_strndup(h->l->arena, text.p, text.n);
	const char *dash = strchr(bounds, '-');
	int64_t least = 1, most;

	if (dash &&
	    !read_number(h, arena_strndup(h->l->arena, bounds, (size_t)(dash - bounds)), &least, e))
		return false;
	if (!read_number(h, dash ? dash + 1 : bounds, &most, e))
		return false;
	if (least < 1 || most < least || most > LIST_ARG_MAX)
		return wrong(h, e, "a list holds 1 to %d values", LIST_ARG_MAX);
	p->list_min = (size_t)least;
	p->list_max = (size_t)most;
	return true;
}

static bool read_param_type(const struct header *h, struct str word, struct param_def *p,
			    struct err *e)
{
	static const char *const names[] = {"text", "int", "decimal", "date", "bool"};
	struct str max = {0};

	p->list_min = p->list_max = 1;
	if (str_starts(word, STR("list(")) && str_ends(word, STR(")"))) {
		max = (struct str){word.p + 5, word.n - 6};
		p->is_list = true;
		if (!str_split(&max, ',', &word) || !max.p)
			return wrong(h, e, "expected list(type,max)");
		if (!read_list_bounds(h, max, p, e))
			return false;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!str_eq(word, str_of(names[i])))
			continue;
		p->type = (enum param_type)i;
		return true;
	}
	return wrong(h, e, "unknown type %.*s", STR_FMT(word));
}

static bool set_param_attribute(const struct header *h, struct param_def *p, const char *key,
				const char *value, struct err *e)
{
	if (strcmp(key, "default") == 0) {
		p->default_text = value;
	} else if (strcmp(key, "min") == 0) {
		p->has_min = true;
		return read_number(h, value, &p->min, e);
	} else if (strcmp(key, "max") == 0) {
		p->has_max = true;
		return read_number(h, value, &p->max, e);
	} else if (strcmp(key, "entity") == 0) {
		p->entity = value;
		if (!catalog_dimension(&h->l->whole->shown, value))
			return wrong(h, e, "entity %s is no dimension", value);
	} else if (strcmp(key, "filter") == 0) {
		p->filter = value;
		if (!is_name(value))
			return wrong(h, e, "%s is no name", value);
	} else if (strcmp(key, "match") == 0) {
		p->like = strcmp(value, "like") == 0;
		if (!p->like && strcmp(value, "exact") != 0)
			return wrong(h, e, "match is exact or like");
	} else {
		return wrong(h, e, "unknown attribute %s", key);
	}
	return true;
}

static bool check_param(const struct header *h, const struct param_def *p, struct err *e)
{
	struct value unused;
	struct err why = {0};
	bool ranged = p->has_min || p->has_max;

	if (!*p->about)
		return wrong(h, e, "param %s says nothing about itself", p->name);
	if (ranged && p->type != PARAM_INT && p->type != PARAM_DECIMAL)
		return wrong(h, e, "param %s: only numbers have a min and max", p->name);
	if ((p->entity || p->like) && p->type != PARAM_TEXT)
		return wrong(h, e, "param %s: entity and match need a text", p->name);
	if (p->required && p->default_text)
		return wrong(h, e, "param %s: a required one has no default", p->name);
	if (p->default_text && p->is_list)
		return wrong(h, e, "param %s: a list has no default", p->name);
	if (p->default_text && !param_parse(p, p->default_text, h->l->arena, &unused, &why))
		return wrong(h, e, "default of %s", why.text);
	if (p->default_text && p->entity) {
		const struct dimension_def *d = catalog_dimension(&h->l->whole->shown, p->entity);
		if (d->values && !list_has(d->values, p->default_text))
			return wrong(h, e, "default %s is no known %s", p->default_text, p->entity);
	}
	return true;
}

static bool read_param(struct header *h, const char *text, struct err *e)
{
	struct arena *a = h->l->arena;
	struct param_def *p = &h->params[h->tool->param_count];
	struct str rest = str_of(text), word;
	const char *key, *value;

	if (h->tool->param_count == TOOL_ARGS_MAX)
		return wrong(h, e, "more than %d params", TOOL_ARGS_MAX);
	if (!next_word(&rest, &word))
		return wrong(h, e, "param without a name");
	p->name = p->filter = arena_strndup(a, word.p, word.n);
	if (!is_name(p->name))
		return wrong(h, e, "%s is no name", p->name);
	if (catalog_marker_reserved(p->name) || strncmp(p->name, "may_", 4) == 0)
		return wrong(h, e, "%s is bound by code", p->name);
	if (tool_param(h->tool, p->name))
		return wrong(h, e, "param %s is there twice", p->name);
	if (!next_word(&rest, &word))
		return wrong(h, e, "param %s without a type", p->name);
	if (!read_param_type(h, word, p, e))
		return false;
	(void)next_word(&rest, &word);
	p->required = str_eq(word, STR("required"));
	if (!p->required && !str_eq(word, STR("optional")))
		return wrong(h, e, "param %s: required or optional?", p->name);
	p->about = "";
	for (struct str before = rest; next_word(&rest, &word); before = rest) {
		if (!is_attribute(a, word, &key, &value)) {
			before = str_trim(before);
			p->about = arena_strndup(a, before.p, before.n);
			break;
		}
		if (!set_param_attribute(h, p, key, value, e))
			return false;
	}
	h->tool->param_count++;
	return check_param(h, p, e);
}

/* ---- column NAME [attributes] ---- */

static bool read_priority(const char *text, enum column_priority *out)
{
	static const char *const names[] = {
		[PRIORITY_LOW] = "low", [PRIORITY_MEDIUM] = "medium", [PRIORITY_HIGH] = "high"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(text, names[i]) != 0)
			continue;
		*out = (enum column_priority)i;
		return true;
	}
	return false;
}

static bool set_column_attribute(const struct header *h, struct column_def *c, const char *key,
				 const char *value, struct err *e)
{
	if (strcmp(key, "label") == 0) {
		c->label = value;
	} else if (strcmp(key, "unit") == 0) {
		c->unit = value;
		if (!list_has(h->l->whole->units, value))
			return wrong(h, e, "unit %s belongs to no measure", value);
	} else if (strcmp(key, "priority") == 0) {
		if (!read_priority(value, &c->priority))
			return wrong(h, e, "priority is high, medium or low");
	} else if (strcmp(key, "type") == 0) {
		c->has_type = true;
		if (!column_type_parse(value, &c->type))
			return wrong(h, e, "unknown type %s", value);
	} else if (strcmp(key, "entity") == 0) {
		c->entity = value;
		if (!catalog_dimension(&h->l->whole->shown, value))
			return wrong(h, e, "entity %s is no dimension", value);
	} else if (strcmp(key, "permission") == 0) {
		c->permission = value;
		if (!list_has(h->l->whole->permissions, value))
			return wrong(h, e, "unknown permission %s", value);
	} else {
		return wrong(h, e, "unknown attribute %s", key);
	}
	return true;
}

static bool read_column(struct header *h, const char *text, struct err *e)
{
	struct arena *a = h->l->arena;
	struct column_def *c = &h->columns[h->tool->column_count];
	struct str rest = str_of(text), word;
	const char *key, *value;

	if (h->tool->column_count == TOOL_COLUMNS_MAX)
		return wrong(h, e, "more than %d columns", TOOL_COLUMNS_MAX);
	if (!next_word(&rest, &word))
		return wrong(h, e, "column without a name");
	c->name = unquoted(a, word);
	c->priority = PRIORITY_MEDIUM;
	for (size_t i = 0; i < h->tool->column_count; i++)
		if (strcmp(h->columns[i].name, c->name) == 0)
			return wrong(h, e, "column %s is there twice", c->name);
	while (next_word(&rest, &word)) {
		if (str_eq(word, STR("derived")))
			c->derived = true;
		else if (str_eq(word, STR("asof")))
			c->asof = true;
		else if (!is_attribute(a, word, &key, &value))
			return wrong(h, e, "column %s: what is %.*s?", c->name, STR_FMT(word));
		else if (!set_column_attribute(h, c, key, value, e))
			return false;
	}
	h->tool->column_count++;
	return true;
}

/* ---- key: value ---- */

static bool read_names(struct header *h, const char *text, struct text_list *list, struct err *e)
{
	struct str rest = str_of(text), word;

	while (str_split(&rest, ',', &word)) {
		word = str_trim(word);
		const char *name = arena_strndup(h->l->arena, word.p, word.n);
		if (!is_name(name))
			return wrong(h, e, "\"%s\" is no name", name);
		text_list_add(list, h->l->arena, name);
	}
	return true;
}

static bool read_window(struct header *h, const char *text, struct err *e)
{
	const char *dot = strrchr(text, '.');

	if (!dot || !dot[1] ||
	    !list_has(h->l->whole->views, arena_strndup(h->l->arena, text, (size_t)(dot - text))))
		return wrong(h, e, "window %s is not a column of an approved view", text);
	h->tool->window = text;
	return true;
}

static bool read_key(struct header *h, const char *key, const char *text, struct err *e)
{
	struct tool_def *t = h->tool;

	if (!*text)
		return wrong(h, e, "%s is empty", key);
	if (strcmp(key, "tool") == 0) {
		t->name = text;
		return is_name(text) || wrong(h, e, "%s is no name", text);
	}
	if (strcmp(key, "about") == 0) {
		t->about = text;
		return true;
	}
	if (strcmp(key, "permission") == 0) {
		t->permission = text;
		return list_has(h->l->whole->permissions, text) ||
		       wrong(h, e, "unknown permission %s", text);
	}
	if (strcmp(key, "report") == 0) {
		t->report = text;
		return catalog_report(&h->l->whole->shown, text) ||
		       wrong(h, e, "unknown report %s", text);
	}
	if (strcmp(key, "agents") == 0)
		return read_names(h, text, &h->agents, e);
	if (strcmp(key, "visible") == 0) {
		t->visible = strcmp(text, "yes") == 0;
		t->agents_only = strcmp(text, "agents") == 0;
		return t->visible || t->agents_only || strcmp(text, "no") == 0 ||
		       wrong(h, e, "visible is yes or no, or agents");
	}
	if (strcmp(key, "gate") == 0) {
		t->gate = text;
		return true;
	}
	if (strcmp(key, "cache_s") == 0)
		return read_number(h, text, &t->cache_s, e);
	if (strcmp(key, "window") == 0)
		return read_window(h, text, e);
	if (strcmp(key, "whole") == 0) {
		h->whole = text; /* its columns may stand further down */
		h->whole_line = h->line;
		return true;
	}
	if (strcmp(key, "answer") == 0) {
		t->answer = text;
		return true;
	}
	return wrong(h, e, "unknown key %s", key);
}

static bool read_line(struct header *h, const struct sql_header_line *line, struct err *e)
{
	h->line = line->line;
	if (strcmp(line->key, "param") == 0)
		return read_param(h, line->value, e);
	if (strcmp(line->key, "column") == 0)
		return read_column(h, line->value, e);
	if (strcmp(line->key, "suggest") == 0) {
		text_list_add(&h->suggest, h->l->arena, line->value);
		return true;
	}
	if (strcmp(line->key, "refer") == 0)
		return refer_read(h->l->arena, line->value, h->tool, e) ||
		       wrong(h, e, "refer: %s", arena_strdup(h->l->arena, e->text));
	if (list_has(h->seen.items, line->key))
		return wrong(h, e, "%s is there twice", line->key);
	text_list_add(&h->seen, h->l->arena, line->key);
	return read_key(h, line->key, line->value, e);
}

/* ---- whole: count, sum(Column), … ---- */

static const struct column_def *find_column(const struct tool_def *t, struct str name)
{
	for (size_t i = 0; i < t->column_count; i++)
		if (str_eq(str_of(t->columns[i].name), name))
			return &t->columns[i];
	return NULL;
}

static bool read_whole_column(struct header *h, struct str word, struct sql_whole_column *out,
			      struct err *e)
{
	struct str name = {word.p + 4, word.n > 5 ? word.n - 5 : 0};
	const struct column_def *c;

	if (!str_starts(word, STR("sum(")) || !str_ends(word, STR(")")))
		return wrong(h, e, "whole is count, then sum(Column), …");
	c = find_column(h->tool, str_trim(name));
	if (!c || c->derived || !c->has_type || !column_is_number(c->type))
		return wrong(h, e, "%.*s is no fetched column of type int or decimal",
			     STR_FMT(name));
	*out = (struct sql_whole_column){.name = c->name, .is_int = c->type == COLUMN_INT};
	return true;
}

static bool read_whole(struct header *h, struct err *e)
{
	struct tool_def *t = h->tool;
	struct str rest = str_of(h->whole), word;
	struct sql_whole_column *columns;

	if (!h->whole)
		return true;
	h->line = h->whole_line;
	columns = arena_alloc(h->l->arena, TOOL_COLUMNS_MAX * sizeof(*columns));
	(void)str_split(&rest, ',', &word);
	if (!str_eq(str_trim(word), STR("count")))
		return wrong(h, e, "whole is count, then sum(Column), …");
	while (str_split(&rest, ',', &word)) {
		if (t->whole_count == TOOL_COLUMNS_MAX)
			return wrong(h, e, "whole has more than %d columns", TOOL_COLUMNS_MAX);
		if (!read_whole_column(h, str_trim(word), &columns[t->whole_count++], e))
			return false;
	}
	t->has_whole = true;
	t->whole = columns;
	return true;
}

/* ---- gate: PARAM ---- */

/* The schema has to tell whoever writes the SQL what there is to read. */
static bool read_gate(struct header *h, struct err *e)
{
	struct tool_def *t = h->tool;
	struct param_def *p = t->gate ? (struct param_def *)tool_param(t, t->gate) : NULL;

	if (!t->gate)
		return true;
	if (!p || !p->required || p->is_list || p->type != PARAM_TEXT || p->entity || p->like)
		return wrong(h, e, "gate %s is no required plain text param", t->gate);
	if (t->cache_s || t->has_whole || t->window || t->column_count)
		return wrong(h, e, "a tool with a gate has no cache_s, whole, window or columns");
	p->bytes_max = GATE_SQL_BYTES_MAX;
	p->about = arena_printf(h->l->arena, "%s%s", p->about, own_sql_views(h->l));
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

/* {vendor} of a parameter becomes {arg.vendor}, which is how sentences are filled. */
static bool read_sentence(struct header *h, const char *text, const char **out, struct err *e)
{
	const struct tool_def *t = h->tool;
	struct arena *a = h->l->arena;
	const char *made = "";

	for (const char *open; (open = strchr(text, '{')); text = strchr(open, '}') + 1) {
		size_t n = strcspn(open, "}");
		if (open[n] == '\0')
			return wrong(h, e, "{ without }");
		const char *name = arena_strndup(a, open + 1, n - 1);
		bool column = is_column(t, name);
		bool param = !column && tool_param(t, name);
		if (!column && !param && strcmp(name, "rows") != 0 &&
		    strncmp(name, "fact.", 5) != 0 &&
		    !(strncmp(name, "arg.", 4) == 0 && tool_param(t, name + 4)))
			return wrong(h, e, "{%s} is neither a param nor a column", name);
		made = arena_printf(a, "%s%.*s{%s%s}", made, (int)(open - text), text,
				    param ? "arg." : "", name);
	}
	*out = arena_printf(a, "%s%s", made, text);
	return true;
}

static bool read_sentences(struct header *h, struct err *e)
{
	struct tool_def *t = h->tool;

	for (size_t i = 0; i < h->suggest.count; i++)
		if (!read_sentence(h, h->suggest.items[i], &h->suggest.items[i], e))
			return false;
	t->suggest = h->suggest.items;
	return !t->answer || read_sentence(h, t->answer, &t->answer, e);
}

static bool check_header(struct header *h, struct err *e)
{
	const struct tool_def *t = h->tool;

	h->line = 1;
	if (!t->name)
		return wrong(h, e, "the header has no \"-- tool: NAME\"");
	if (!t->about)
		return wrong(h, e, "the header has no \"-- about: …\"");
	if (!t->permission)
		return wrong(h, e, "the header has no \"-- permission: …\"");
	if (t->cache_s < 0)
		return wrong(h, e, "cache_s is negative");
	return true;
}

bool tool_file_read(struct loader *l, const struct sql_file *f, struct tool_def *out, struct err *e)
{
	struct tool_def t = {.visible = true, .path = f->path};
	struct header h = {
		.l = l,
		.file = f,
		.tool = &t,
		.params = arena_alloc(l->arena, TOOL_ARGS_MAX * sizeof(*h.params)),
		.columns = arena_alloc(l->arena, TOOL_COLUMNS_MAX * sizeof(*h.columns)),
	};

	t.params = h.params;
	t.columns = h.columns;
	text_list_add(&h.suggest, l->arena, NULL);
	for (size_t i = 0; i < f->header_count; i++)
		if (!read_line(&h, &f->header[i], e))
			return false;
	if (!check_header(&h, e) || !read_whole(&h, e) || !read_gate(&h, e) ||
	    !read_sentences(&h, e))
		return false;
	t.agents = h.agents.items;
	*out = t;
	return true;
}
