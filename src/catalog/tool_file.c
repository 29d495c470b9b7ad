/*
 * Reads the header of a tool file, the only description of a tool. The model's schema, the checks
 * of arguments and the labels of columns are derived from it.
 */
#include "tool_header.h"

#include <string.h>

#include "vesper/limits.h"
#include "vesper/source.h"

/* ---- key: value ---- */

static bool read_names(struct tool_header *h, const char *text, struct strlist *list, struct err *e)
{
	struct str rest = str_of(text), word;

	while (str_split(&rest, ',', &word)) {
		word = str_trim(word);
		const char *name = arena_strndup(h->l->arena, word.p, word.n);
		if (!tool_is_name(name))
			return tool_fail(h, e, "\"%s\" is not a valid name", name);
		strlist_add(list, h->l->arena, name);
	}
	return true;
}

static bool read_reports(struct tool_header *h, const char *text, struct err *e)
{
	if (!read_names(h, text, &h->reports, e))
		return false;
	for (size_t i = 0; i < h->reports.count; i++) {
		const char *key = h->reports.items[i];

		if (!catalog_report(&h->l->impl->public, key))
			return tool_fail(h, e, "unknown report %s", key);
		for (size_t k = 0; k < i; k++)
			if (strcmp(h->reports.items[k], key) == 0)
				return tool_fail(h, e, "report %s appears twice", key);
	}
	return true;
}

static bool read_window(struct tool_header *h, const char *text, struct err *e)
{
	const char *dot = strrchr(text, '.');

	if (!dot || !dot[1] ||
	    !strlist_has(h->l->impl->views, arena_strndup(h->l->arena, text, (size_t)(dot - text))))
		return tool_fail(h, e, "window %s is not a column of an approved view", text);
	h->tool->window = text;
	return true;
}

static bool read_lookback(struct tool_header *h, const char *text, struct err *e)
{
	int64_t days;

	if (!tool_number_read(h, text, &days, e))
		return false;
	if (days < 0 || days > TOOL_LOOKBACK_MAX)
		return tool_fail(h, e, "lookback must be 0 to %d days", TOOL_LOOKBACK_MAX);
	h->tool->lookback = (int)days;
	return true;
}

static bool read_groups(struct tool_header *h, const char *text, struct err *e)
{
	static const char *const names[] = {[GROUPS_TIME] = "time",
					    [GROUPS_THING] = "thing",
					    [GROUPS_THING_TIME] = "thing time",
					    [GROUPS_THING_DAY] = "thing day",
					    [GROUPS_THINGS] = "thing thing",
					    [GROUPS_THINGS_TIME] = "thing thing time",
					    [GROUPS_ROWS] = "rows"};

	for (size_t i = GROUPS_TIME; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(text, names[i]) == 0)
			h->tool->analysis.groups = (enum tool_groups)i;
	return h->tool->analysis.groups ||
	       tool_fail(h, e,
			 "groups must be time, thing, thing time, thing "
			 "day, thing thing, thing thing time or rows");
}

static bool read_several(struct tool_header *h, const char *text, struct err *e)
{
	int64_t n;

	if (!tool_number_read(h, text, &n, e))
		return false;
	if (n < 1 || n > MAP_METRICS_ASKED_MAX)
		return tool_fail(h, e, "several must be 1 to %d", MAP_METRICS_ASKED_MAX);
	h->tool->analysis.measures = (size_t)n;
	return true;
}

static const char *const *read_list(const struct tool_header *h, struct str rest)
{
	struct str word;
	struct strlist list = {0};

	while (str_split(&rest, ',', &word)) {
		word = str_trim(word);
		strlist_add(&list, h->l->arena, arena_strndup(h->l->arena, word.p, word.n));
	}
	return list.items;
}

static bool read_shows(struct tool_header *h, const char *text, struct err *e)
{
	const char *by = strstr(text, " by ");
	struct tool_def *t = h->tool;

	if (!by) { /* a list of an entity */
		t->words.shows = text;
		return !strchr(text, ' ') ||
		       tool_fail(h, e, "shows must be METRIC by DIMENSION, …, or one entity");
	}
	t->words.shows = arena_strndup(h->l->arena, text, (size_t)(by - text));
	t->words.shows_by = read_list(h, str_of(by + strlen(" by ")));
	return true;
}

static bool read_key(struct tool_header *h, const char *key, const char *text, struct err *e)
{
	struct tool_def *t = h->tool;

	if (!*text)
		return tool_fail(h, e, "%s is empty", key);
	if (strcmp(key, "tool") == 0) {
		t->name = text;
		return tool_is_name(text) || tool_fail(h, e, "%s is not a valid name", text);
	}
	if (strcmp(key, "about") == 0) {
		t->about = text;
		return true;
	}
	if (strcmp(key, "permission") == 0) {
		t->callers.permission = text;
		return strlist_has(h->l->impl->permissions, text) ||
		       tool_fail(h, e, "unknown permission %s", text);
	}
	if (strcmp(key, "report") == 0)
		return read_reports(h, text, e);
	if (strcmp(key, "agents") == 0 && strcmp(text, "*") == 0) {
		/* Resolved once all domains are known. */
		strlist_add(&h->agents, h->l->arena, text);
		return true;
	}
	if (strcmp(key, "agents") == 0)
		return read_names(h, text, &h->agents, e);
	if (strcmp(key, "visible") == 0) {
		t->callers.visible = strcmp(text, "yes") == 0;
		t->callers.agents_only = strcmp(text, "agents") == 0;
		return t->callers.visible || t->callers.agents_only || strcmp(text, "no") == 0 ||
		       tool_fail(h, e, "visible must be yes, no or agents");
	}
	if (strcmp(key, "gate") == 0) {
		t->gate = text;
		return true;
	}
	if (strcmp(key, "policy") == 0) {
		t->callers.by_protocol = true;
		return strcmp(text, "map") == 0 || tool_fail(h, e, "policy must be map");
	}
	if (strcmp(key, "kind") == 0) {
		t->source = strcmp(text, "sources") == 0 ? SOURCE_OWN : SOURCE_DOCUMENTS;
		return tool_is_own(t) || strcmp(text, "doc") == 0 ||
		       tool_fail(h, e, "kind must be doc or sources");
	}
	if (strcmp(key, "map") == 0) {
		t->map = text;
		return true;
	}
	if (strcmp(key, "groups") == 0)
		return read_groups(h, text, e);
	if (strcmp(key, "several") == 0)
		return read_several(h, text, e);
	if (strcmp(key, "counted") == 0) {
		t->analysis.counted = true;
		return strcmp(text, "yes") == 0 || tool_fail(h, e, "counted must be yes");
	}
	if (strcmp(key, "points") == 0) {
		t->analysis.points = text;
		return true;
	}
	if (strcmp(key, "cue") == 0) {
		t->analysis.cues = read_list(h, str_of(text));
		return true;
	}
	if (strcmp(key, "cache_s") == 0)
		return tool_number_read(h, text, &t->cache_s, e);
	if (strcmp(key, "lookback") == 0)
		return read_lookback(h, text, e);
	if (strcmp(key, "window") == 0)
		return read_window(h, text, e);
	if (strcmp(key, "totals") == 0) {
		h->totals = text; /* its columns may be declared later */
		h->totals_line = h->line;
		return true;
	}
	if (strcmp(key, "answer") == 0)
		return true; /* its names may be declared later */
	if (strcmp(key, "measures") == 0) {
		t->words.measures = text;
		return true;
	}
	if (strcmp(key, "source") == 0) {
		t->source = text;
		return str_is_name(text, SOURCE_NAME_BYTES_MAX) ||
		       tool_fail(h, e, "\"%s\" is not a source name", text);
	}
	if (strcmp(key, "shows") == 0)
		return read_shows(h, text, e);
	if (strcmp(key, "grain") == 0) {
		t->words.grain = text;
		return true;
	}
	if (strcmp(key, "words") == 0) {
		t->words.asked = text;
		return true;
	}
	return tool_fail(h, e, "unknown key %s", key);
}

static bool read_line(struct tool_header *h, const struct sql_header_line *line, struct err *e)
{
	h->line = line->line;
	if (strcmp(line->key, "param") == 0)
		return tool_param_read(h, line->value, e);
	if (strcmp(line->key, "column") == 0)
		return tool_column_read(h, line->value, e);
	if (strcmp(line->key, "fact") == 0)
		return tool_fact_read(h, line->value, e);
	if (strcmp(line->key, "suggest") == 0 || strcmp(line->key, "refer") == 0)
		return true; /* their names may be declared later */
	if (strcmp(line->key, "frame") == 0)
		return tool_frame_read(h, line->value, e);
	if (strcmp(line->key, "derive") == 0) {
		if (h->tool->derive_count == TOOL_DERIVES_MAX)
			return tool_fail(h, e, "more than %d derivations", TOOL_DERIVES_MAX);
		h->derives[h->tool->derive_count++] =
			(struct derive_def){.name = line->value, .line = line->line};
		return true;
	}
	if (strlist_has(h->seen.items, line->key))
		return tool_fail(h, e, "%s appears twice", line->key);
	strlist_add(&h->seen, h->l->arena, line->key);
	return read_key(h, line->key, line->value, e);
}

/* ---- totals: count, sum(Column), … ---- */

static const struct column_def *find_column(const struct tool_def *t, struct str name)
{
	for (size_t i = 0; i < t->column_count; i++)
		if (str_eq(str_of(t->columns[i].name), name))
			return &t->columns[i];
	return NULL;
}

static bool read_totals_column(struct tool_header *h, struct str word,
			       struct sql_totals_column *out, struct err *e)
{
	struct str name = {word.p + 4, word.n > 5 ? word.n - 5 : 0};
	const struct column_def *c;

	if (!str_starts(word, STR("sum(")) || !str_ends(word, STR(")")))
		return tool_fail(h, e, "totals must be count, then sum(Column), …");
	c = find_column(h->tool, str_trim(name));
	if (!c || c->derived || !c->has_type || !column_is_number(c->type))
		return tool_fail(h, e, "%.*s is not a fetched column of type int or decimal",
				 STR_FMT(name));
	*out = (struct sql_totals_column){.name = c->name, .is_int = c->type == COLUMN_INT};
	return true;
}

static bool read_totals(struct tool_header *h, struct err *e)
{
	struct tool_def *t = h->tool;
	struct str rest = str_of(h->totals), word;
	struct sql_totals_column *columns;

	if (!h->totals)
		return true;
	h->line = h->totals_line;
	columns = arena_alloc(h->l->arena, TOOL_COLUMNS_MAX * sizeof(*columns));
	(void)str_split(&rest, ',', &word);
	if (!str_eq(str_trim(word), STR("count")))
		return tool_fail(h, e, "totals must be count, then sum(Column), …");
	while (str_split(&rest, ',', &word)) {
		if (t->totals.sum_count == TOOL_COLUMNS_MAX)
			return tool_fail(h, e, "totals has more than %d columns", TOOL_COLUMNS_MAX);
		if (!read_totals_column(h, str_trim(word), &columns[t->totals.sum_count++], e))
			return false;
	}
	t->totals.is_queryable = true;
	t->totals.sums = columns;
	return true;
}

/* ---- gate: PARAM ---- */

/* Adds the readable views to the schema, for authors of the SQL. */
static bool read_gate(struct tool_header *h, struct err *e)
{
	struct tool_def *t = h->tool;
	struct param_def *p = t->gate ? (struct param_def *)tool_param(t, t->gate) : NULL;

	if (!t->gate)
		return !t->callers.by_protocol || tool_fail(h, e, "policy requires gate");
	if (!p || !p->required || p->is_list || p->type != PARAM_TEXT || p->entity || p->like)
		return tool_fail(h, e, "gate %s is not a required plain text param", t->gate);
	if (t->cache_s || t->totals.is_queryable || t->window || t->column_count ||
	    t->derive_count || t->source)
		return tool_fail(h, e,
				 "a tool with a gate must not have cache_s, totals, window, "
				 "derive, source or columns");
	p->bytes_max = GATE_SQL_BYTES_MAX;
	if (!t->callers.by_protocol)
		p->about = arena_printf(h->l->arena, "%s%s", p->about, ad_hoc_sql_views(h->l));
	return true;
}

/* ---- map: PARAM ---- */

/* `points` names the param with the words by which the values of one thing are classified. */
static bool check_points(const struct tool_header *h, struct err *e)
{
	const struct tool_def *t = h->tool;
	const struct param_def *p = t->analysis.points ? tool_param(t, t->analysis.points) : NULL;

	if (!t->analysis.points)
		return true;
	if (!p || !p->required || p->slot != SLOT_WORDS || t->analysis.groups != GROUPS_THING ||
	    (p->is_list && p->list_max > CLASSIFY_CLASSES_MAX))
		return tool_fail(h, e,
				 "points %s is not a required param with slot=words, of at most %d "
				 "values, of a tool with groups: thing",
				 t->analysis.points, CLASSIFY_CLASSES_MAX);
	return true;
}

static bool read_map(struct tool_header *h, struct err *e)
{
	struct tool_def *t = h->tool;
	struct param_def *p = t->map ? (struct param_def *)tool_param(t, t->map) : NULL;

	if (!t->map)
		return (!t->analysis.groups && !t->analysis.cues && !t->analysis.measures &&
			!t->analysis.counted && !t->analysis.points) ||
		       tool_fail(h, e, "groups, cue, several, counted and points require map");
	if (t->derive_count > 0
		    ? !t->analysis.groups || t->frame_count != 1 || !tool_frame(t, "main")
		    : t->frame_count > 0 || t->analysis.groups || t->analysis.cues)
		return tool_fail(h, e,
				 "only a map tool that derives may have groups and a frame main, "
				 "and it needs both");
	if (!p || !p->required || p->is_list || p->type != PARAM_TEXT || p->entity || p->like)
		return tool_fail(h, e, "map %s is not a required plain text param", t->map);
	if (t->gate || t->cache_s || t->totals.is_queryable || t->window || t->column_count ||
	    t->source)
		return tool_fail(h, e,
				 "a map tool must not have gate, cache_s, totals, window, source "
				 "or columns");
	p->bytes_max = MAP_QUERY_BYTES_MAX;
	p->is_query = true;
	return check_points(h, e);
}

/* ---- kind: doc, sources ---- */

/* The search text is the words of the question. */
static bool read_document(const struct tool_header *h, struct err *e)
{
	const struct tool_def *t = h->tool;
	const struct param_def *p =
		tool_is_document(t) ? tool_param(t, DOCUMENT_PARAM_QUESTION) : NULL;

	for (size_t i = 0; i < t->param_count; i++)
		if (t->params[i].is_source && (!tool_is_own(t) || t->params[i].required))
			return tool_fail(h, e,
					 "a param of type source must be optional and belong to a "
					 "tool of data sources, which asks for it");
	if (tool_is_document(t) &&
	    (!p || !p->required || p->is_list || p->type != PARAM_TEXT || p->entity || p->like))
		return tool_fail(h, e, "a tool of documents needs a required plain text param %s",
				 DOCUMENT_PARAM_QUESTION);
	return !tool_has_no_statement(t) ||
	       !(t->gate || t->map || t->cache_s || t->totals.is_queryable || t->window ||
		 t->derive_count) ||
	       tool_fail(h, e,
			 "a tool of documents or data sources must not have gate, map, cache_s, "
			 "totals, window or derive");
}

static bool check_header(struct tool_header *h, struct err *e)
{
	const struct tool_def *t = h->tool;

	h->line = 1;
	if (!t->name)
		return tool_fail(h, e, "the header has no \"-- tool: NAME\"");
	if (!t->about)
		return tool_fail(h, e, "the header has no \"-- about: …\"");
	if (!t->callers.permission)
		return tool_fail(h, e, "the header has no \"-- permission: …\"");
	if (t->cache_s < 0)
		return tool_fail(h, e, "cache_s is negative");
	return true;
}

static size_t count_lines(const struct sql_file *f, const char *key)
{
	size_t n = 0;

	for (size_t i = 0; i < f->header_count; i++)
		n += strcmp(f->header[i].key, key) == 0;
	return n;
}

bool tool_file_read(struct loader *l, const struct sql_file *f, struct tool_def *out, struct err *e)
{
	struct tool_def t = {.callers.visible = true, .path = f->path};
	struct tool_header h = {
		.l = l,
		.file = f,
		.tool = &t,
		/* a bound adds a second param */
		.params = arena_alloc(l->arena, 2 * count_lines(f, "param") * sizeof(*h.params)),
		.columns = arena_alloc(l->arena, count_lines(f, "column") * sizeof(*h.columns)),
		.facts = arena_alloc(l->arena, count_lines(f, "fact") * sizeof(*h.facts)),
	};

	h.frames = arena_alloc(l->arena, (TOOL_QUERIES_MAX + 1) * sizeof(*h.frames));
	t.frames = h.frames;
	t.params = h.params;
	t.columns = h.columns;
	t.facts = h.facts;
	strlist_add(&h.reports, l->arena, NULL);
	for (size_t i = 0; i < f->header_count; i++)
		if (!read_line(&h, &f->header[i], e))
			return false;
	if (!check_header(&h, e) || !read_totals(&h, e) || !tool_derives_read(&h, e) ||
	    !read_gate(&h, e) || !read_map(&h, e) || !read_document(&h, e) ||
	    !tool_sentences_read(&h, e))
		return false;
	t.callers.agents = h.agents.items;
	t.reports = h.reports.items;
	*out = t;
	return true;
}
