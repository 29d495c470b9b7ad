/*
 * Reads the `param`, `column` and `frame` lines of a tool file's header.
 */
#include "tool_header.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/limits.h"

bool tool_fail(const struct tool_header *h, struct err *e, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	char *text = arena_vprintf(h->l->arena, fmt, args);
	va_end(args);
	return err_set(e, ERR_INPUT, "%s:%d: %s", h->file->path, h->line, text);
}

/* ---- words of a line ---- */

bool tool_next_word(struct str *rest, struct str *word)
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

bool tool_is_attribute(struct arena *a, struct str word, const char **key, const char **value)
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

bool tool_is_name(const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");

	return n > 0 && text[n] == '\0' && (text[0] < '0' || text[0] > '9');
}

bool tool_number_read(const struct tool_header *h, const char *text, int64_t *out, struct err *e)
{
	char *end;

	errno = 0;
	*out = strtoll(text, &end, 10);
	return (*text && !*end && errno == 0) || tool_fail(h, e, "%s is not a whole number", text);
}

/* ---- param NAME type required|optional [attributes] about ---- */

/* "8" or "2-8". With "1-8", single values are as common as several (accepts_single). */
static bool read_list_bounds(const struct tool_header *h, struct str text, struct param_def *p,
			     struct err *e)
{
	const char *bounds = arena_strndup(h->l->arena, text.p, text.n);
	const char *dash = strchr(bounds, '-');
	int64_t min_count = 1, max_count;

	if (dash &&
	    !tool_number_read(h, arena_strndup(h->l->arena, bounds, (size_t)(dash - bounds)),
			      &min_count, e))
		return false;
	if (!tool_number_read(h, dash ? dash + 1 : bounds, &max_count, e))
		return false;
	if (min_count < 1 || max_count < min_count || max_count > LIST_ARG_MAX)
		return tool_fail(h, e, "a list must have 1 to %d values", LIST_ARG_MAX);
	p->list_min = (size_t)min_count;
	p->list_max = (size_t)max_count;
	p->accepts_single = dash && min_count == 1;
	return true;
}

static bool read_param_type(const struct tool_header *h, struct str word, struct param_def *p,
			    struct err *e)
{
	static const char *const names[] = {"text", "int", "decimal", "date", "bool"};
	struct str max = {0};

	p->list_min = p->list_max = 1;
	if (str_starts(word, STR("list(")) && str_ends(word, STR(")"))) {
		max = (struct str){word.p + 5, word.n - 6};
		p->is_list = true;
		if (!str_split(&max, ',', &word) || !max.p)
			return tool_fail(h, e, "expected list(type,max)");
		if (!read_list_bounds(h, max, p, e))
			return false;
	}
	p->is_source = str_eq(word, STR("source")); /* stays PARAM_TEXT, which is 0 */
	if (p->is_source)
		return !p->is_list || tool_fail(h, e, "a source param cannot be a list");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!str_eq(word, str_of(names[i])))
			continue;
		p->type = (enum param_type)i;
		return true;
	}
	return tool_fail(h, e, "unknown type %.*s", STR_FMT(word));
}

static bool read_slot(const struct tool_header *h, const char *text, enum param_slot *out,
		      struct err *e)
{
	static const char *const names[] = {
		[SLOT_DAY] = "day",     [SLOT_DAYS] = "days",   [SLOT_DAYS_AHEAD] = "days_ahead",
		[SLOT_ABOVE] = "above", [SLOT_BELOW] = "below", [SLOT_ORDER] = "order",
		[SLOT_NOT] = "not",     [SLOT_THING] = "thing", [SLOT_CHANGE] = "change",
		[SLOT_WORDS] = "words", [SLOT_STEP] = "step",   [SLOT_PERIODS] = "periods"};

	for (size_t i = SLOT_DAY; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(text, names[i]) != 0)
			continue;
		*out = (enum param_slot)i;
		return true;
	}
	return tool_fail(h, e, "unknown slot %s", text);
}

/* The texts of "day|month". */
static bool split_values(const struct tool_header *h, const char *text, const char *const **out,
			 struct err *e)
{
	struct strlist list = {0};

	for (size_t n;; text += n + 1) {
		n = strcspn(text, "|");
		if (n == 0)
			return tool_fail(h, e, "values must not contain an empty text");
		strlist_add(&list, h->l->arena, arena_strndup(h->l->arena, text, n));
		if (!text[n])
			break;
	}
	strlist_add(&list, h->l->arena, NULL);
	*out = list.items;
	return true;
}

static bool set_param_attribute(const struct tool_header *h, struct param_def *p, const char *key,
				const char *value, struct err *e)
{
	if (strcmp(key, "default") == 0) {
		p->default_text = value;
	} else if (strcmp(key, "min") == 0) {
		p->has_min = true;
		return tool_number_read(h, value, &p->min, e);
	} else if (strcmp(key, "max") == 0) {
		p->has_max = true;
		return tool_number_read(h, value, &p->max, e);
	} else if (strcmp(key, "entity") == 0) {
		p->entity = value;
		if (!catalog_dimension(&h->l->impl->public, value))
			return tool_fail(h, e, "entity %s is not a dimension", value);
	} else if (strcmp(key, "filter") == 0) {
		p->filter = value;
		if (!tool_is_name(value))
			return tool_fail(h, e, "%s is not a valid name", value);
	} else if (strcmp(key, "match") == 0) {
		p->like = strcmp(value, "like") == 0;
		if (!p->like && strcmp(value, "exact") != 0)
			return tool_fail(h, e, "match must be exact or like");
	} else if (strcmp(key, "unit") == 0) {
		p->unit = units_find(&h->l->impl->public.units, value);
		if (!p->unit)
			return tool_fail(h, e,
					 "unit %s is not registered (units of the pack's "
					 "catalogue.json, or config/units.json)",
					 value);
	} else if (strcmp(key, "values") == 0) {
		return split_values(h, value, &p->values, e);
	} else if (strcmp(key, "slot") == 0) {
		return read_slot(h, value, &p->slot, e);
	} else {
		return tool_fail(h, e, "unknown attribute %s", key);
	}
	return true;
}

static bool is_number(const struct param_def *p)
{
	return p->type == PARAM_INT || p->type == PARAM_DECIMAL;
}

/* Several bounds or exclusions are allowed: their units or dimensions differ. */
static bool is_only_one(const struct tool_header *h, const struct param_def *p)
{
	if (p->slot == SLOT_ABOVE || p->slot == SLOT_BELOW || p->slot == SLOT_NOT)
		return true;
	for (size_t i = 0; i < h->tool->param_count; i++)
		if (&h->params[i] != p && h->params[i].slot == p->slot)
			return false;
	return true;
}

static bool are_grains(const char *const *names)
{
	enum grain unused;

	for (; *names; names++)
		if (!grain_parse(*names, &unused))
			return false;
	return true;
}

static bool check_slot(const struct tool_header *h, const struct param_def *p, struct err *e)
{
	bool is_allowed = true;

	switch (p->slot) {
	case SLOT_NONE:
		return true;
	case SLOT_DAY:
		is_allowed = p->type == PARAM_DATE && !p->is_list;
		break;
	case SLOT_DAYS:
	case SLOT_DAYS_AHEAD:
		is_allowed = p->type == PARAM_INT && !p->is_list;
		break;
	case SLOT_ABOVE:
	case SLOT_BELOW:
		is_allowed = is_number(p) && !p->is_list && !p->required && !p->default_text;
		break;
	case SLOT_ORDER:
		is_allowed = p->type == PARAM_TEXT && !p->is_list && !p->entity && !p->like;
		break;
	case SLOT_STEP:
		is_allowed = p->values && are_grains(p->values);
		break;
	case SLOT_NOT:
		is_allowed = p->is_list && p->entity && !p->required;
		break;
	case SLOT_THING:
		is_allowed = h->tool->analysis.groups && p->type == PARAM_TEXT && !p->is_list &&
			     !p->entity && !p->required;
		break;
	case SLOT_CHANGE:
		is_allowed = h->tool->analysis.groups && p->type == PARAM_DECIMAL && p->unit &&
			     !p->is_list && !p->required;
		break;
	case SLOT_PERIODS:
		is_allowed = h->tool->analysis.groups == GROUPS_TIME && p->type == PARAM_INT &&
			     p->has_min && p->has_max && !p->is_list && !p->required;
		break;
	case SLOT_WORDS:
		is_allowed =
			h->tool->analysis.groups && p->type == PARAM_TEXT && !p->entity && !p->like;
		break;
	}
	if (!is_allowed)
		return tool_fail(h, e, "param %s cannot have this slot", p->name);
	if (!is_only_one(h, p))
		return tool_fail(h, e, "param %s: another param has the same slot", p->name);
	return true;
}

static bool check_param(const struct tool_header *h, const struct param_def *p, struct err *e)
{
	struct value unused;
	struct err reason = {0};
	bool ranged = p->has_min || p->has_max;

	if (!*p->about)
		return tool_fail(h, e, "param %s has no description", p->name);
	if (ranged && !is_number(p))
		return tool_fail(h, e, "param %s: only numbers can have min and max", p->name);
	if (p->unit && !is_number(p))
		return tool_fail(h, e, "param %s: only numbers can have a unit", p->name);
	if ((p->entity || p->like) && p->type != PARAM_TEXT)
		return tool_fail(h, e, "param %s: entity and match need a text", p->name);
	if (p->values && (p->type != PARAM_TEXT || p->entity || p->like || p->is_list))
		return tool_fail(h, e, "param %s: only a plain text can have values", p->name);
	if (p->required && p->default_text)
		return tool_fail(h, e, "param %s: a required param must not have a default",
				 p->name);
	if (p->default_text && p->is_list)
		return tool_fail(h, e, "param %s: a list must not have a default", p->name);
	if (p->default_text && !param_default(p, clock_today(), h->l->arena, &unused, &reason))
		return tool_fail(h, e, "default of %s", reason.text);
	if (p->default_text && p->entity) {
		const struct dimension_def *d = catalog_dimension(&h->l->impl->public, p->entity);
		if (d->values && !strlist_has(d->values, p->default_text))
			return tool_fail(h, e, "default %s is not a known value of %s",
					 p->default_text, p->entity);
	}
	return check_slot(h, p, e);
}

/* Adds the flag NAME_incl for a bound NAME: true when NAME itself is included. */
static bool add_inclusive(struct tool_header *h, const struct param_def *bound, struct err *e)
{
	struct arena *a = h->l->arena;
	struct param_def *p = &h->params[h->tool->param_count];

	if (bound->slot != SLOT_ABOVE && bound->slot != SLOT_BELOW)
		return true;
	if (h->tool->param_count == TOOL_ARGS_MAX)
		return tool_fail(h, e, "more than %d params", TOOL_ARGS_MAX);
	p->name = p->filter = arena_printf(a, "%s_incl", bound->name);
	if (tool_param(h->tool, p->name))
		return tool_fail(h, e, "param %s is added to %s automatically", p->name,
				 bound->name);
	p->type = PARAM_INT;
	p->list_min = p->list_max = 1;
	p->has_min = p->has_max = true;
	p->max = 1;
	p->bound_of = bound->name;
	p->about = arena_printf(a, "1 includes %s itself, 0 excludes it (default 1)", bound->name);
	h->tool->param_count++;
	return true;
}

bool tool_param_read(struct tool_header *h, const char *text, struct err *e)
{
	struct arena *a = h->l->arena;
	struct param_def *p = &h->params[h->tool->param_count];
	struct str rest = str_of(text), word;
	const char *key, *value;

	if (h->tool->param_count == TOOL_ARGS_MAX)
		return tool_fail(h, e, "more than %d params", TOOL_ARGS_MAX);
	if (!tool_next_word(&rest, &word))
		return tool_fail(h, e, "param without a name");
	p->name = p->filter = arena_strndup(a, word.p, word.n);
	if (!tool_is_name(p->name))
		return tool_fail(h, e, "%s is not a valid name", p->name);
	if (catalog_marker_reserved(p->name) || strncmp(p->name, "may_", 4) == 0)
		return tool_fail(h, e, "%s is a reserved name", p->name);
	if (tool_param(h->tool, p->name))
		return tool_fail(h, e, "param %s appears twice", p->name);
	if (!tool_next_word(&rest, &word))
		return tool_fail(h, e, "param %s has no type", p->name);
	if (!read_param_type(h, word, p, e))
		return false;
	(void)tool_next_word(&rest, &word);
	p->required = str_eq(word, STR("required"));
	if (!p->required && !str_eq(word, STR("optional")))
		return tool_fail(h, e, "param %s: must be required or optional", p->name);
	p->about = "";
	for (struct str before = rest; tool_next_word(&rest, &word); before = rest) {
		if (!tool_is_attribute(a, word, &key, &value)) {
			before = str_trim(before);
			p->about = arena_strndup(a, before.p, before.n);
			break;
		}
		if (!set_param_attribute(h, p, key, value, e))
			return false;
	}
	h->tool->param_count++;
	return check_param(h, p, e) && add_inclusive(h, p, e);
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

static bool set_column_attribute(const struct tool_header *h, struct column_def *c, const char *key,
				 const char *value, struct err *e)
{
	if (strcmp(key, "label") == 0) {
		c->label = value;
	} else if (strcmp(key, "unit") == 0) {
		c->unit = value;
		if (!units_find(&h->l->impl->public.units, value))
			return tool_fail(h, e,
					 "unit %s is not registered (units of the pack's "
					 "catalogue.json, or config/units.json)",
					 value);
	} else if (strcmp(key, "priority") == 0) {
		if (!read_priority(value, &c->priority))
			return tool_fail(h, e, "priority must be high, medium or low");
	} else if (strcmp(key, "type") == 0) {
		c->has_type = true;
		c->is_real = strcmp(value, "real") == 0;
		if (!column_type_parse(c->is_real ? "decimal" : value, &c->type))
			return tool_fail(h, e, "unknown type %s", value);
	} else if (strcmp(key, "entity") == 0) {
		c->entity = value;
		if (!catalog_dimension(&h->l->impl->public, value))
			return tool_fail(h, e, "entity %s is not a dimension", value);
	} else if (strcmp(key, "permission") == 0) {
		c->permission = value;
		if (!strlist_has(h->l->impl->permissions, value))
			return tool_fail(h, e, "unknown permission %s", value);
	} else {
		return tool_fail(h, e, "unknown attribute %s", key);
	}
	return true;
}

bool tool_column_read(struct tool_header *h, const char *text, struct err *e)
{
	struct arena *a = h->l->arena;
	struct column_def *c = &h->columns[h->tool->column_count];
	struct str rest = str_of(text), word;
	const char *key, *value;

	if (h->tool->column_count == TOOL_COLUMNS_MAX)
		return tool_fail(h, e, "more than %d columns", TOOL_COLUMNS_MAX);
	if (!tool_next_word(&rest, &word))
		return tool_fail(h, e, "column without a name");
	c->name = unquoted(a, word);
	c->priority = PRIORITY_MEDIUM;
	for (size_t i = 0; i < h->tool->column_count; i++)
		if (strcmp(h->columns[i].name, c->name) == 0)
			return tool_fail(h, e, "column %s appears twice", c->name);
	while (tool_next_word(&rest, &word)) {
		if (str_eq(word, STR("derived")))
			c->derived = true;
		else if (str_eq(word, STR("asof")))
			c->asof = true;
		else if (!tool_is_attribute(a, word, &key, &value))
			return tool_fail(h, e, "column %s: unexpected %.*s", c->name,
					 STR_FMT(word));
		else if (!set_column_attribute(h, c, key, value, e))
			return false;
	}
	h->tool->column_count++;
	return true;
}

/* ---- frame: QUERY ROWS ---- */

bool tool_frame_read(struct tool_header *h, const char *text, struct err *e)
{
	struct frame_def *f = &h->frames[h->tool->frame_count];
	struct str rest = str_of(text), query, rows, more;
	int64_t n;

	if (h->tool->frame_count == TOOL_QUERIES_MAX)
		return tool_fail(h, e, "more than %d frames", TOOL_QUERIES_MAX);
	if (!tool_next_word(&rest, &query) || !tool_next_word(&rest, &rows) ||
	    tool_next_word(&rest, &more))
		return tool_fail(h, e, "expected a query and a number of rows");
	f->query = arena_strndup(h->l->arena, query.p, query.n);
	if (tool_frame(h->tool, f->query))
		return tool_fail(h, e, "frame %s appears twice", f->query);
	if (!tool_number_read(h, arena_strndup(h->l->arena, rows.p, rows.n), &n, e))
		return false;
	if (n < 1 || n > FRAME_ROWS_MAX)
		return tool_fail(h, e, "a frame must have 1 to %d rows", FRAME_ROWS_MAX);
	f->rows = (size_t)n;
	h->tool->frame_count++;
	return true;
}
