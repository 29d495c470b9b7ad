/*
 * Tool for queries over the pack's map. Input contains names and values only; all identifiers of
 * the statement come from the catalogue. Values of dimensions are resolved like parameters. Queries
 * that would count rows twice are refused with the reason and alternatives.
 */
#include "tool_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/decimal.h"
#include "vesper/frame.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/map.h"
#include "vesper/mem.h"
#include "vesper/view.h"

#define CHANGE_PERCENT_DIGITS 2

static bool refuse(struct tool_call *call, const struct outcome *refused, struct err *e)
{
	call->refused = arena_alloc(call->arena, sizeof(*refused));
	*call->refused = *refused;
	return err_set(e, ERR_INPUT, "%s", refused->detail ? refused->detail : "refused");
}

bool tool_map_refuse(struct tool_call *call, const char *code, const char *detail, struct err *e)
{
	const struct outcome refused = {
		.kind = OUTCOME_ERROR, .code = code, .param = call->tool->map, .detail = detail};

	return refuse(call, &refused, e);
}

/* ---- invalid queries ---- */

/* The query with its level set, as text; run when the user picks that level. */
static const char *with_level(struct tool_call *call, const char *level)
{
	json_t *query = json_own(call->arena, json_deep_copy(call->map.json));
	char *text;
	const char *copy;

	json_set_str(query, MAP_LEVEL, level);
	text = json_text(query);
	copy = arena_strdup(call->arena, text);
	mem_free(text);
	return copy;
}

/* Offers the levels for selection, like similar names. */
static struct outcome offer_levels(struct tool_call *call, const struct map_problem *why)
{
	const struct entity_def *n = why->from;
	struct suggestion *levels = arena_alloc(call->arena, n->levels.count * sizeof(*levels));

	for (size_t i = 0; i < n->levels.count; i++)
		levels[i] = (struct suggestion){
			.value = with_level(call, n->levels.values[i].value),
			.label = sentence(call->result->language, SAY_MAP_LEVEL, call->arena,
					  n->levels.values[i].label, n->levels.values[i].value),
		};
	return (struct outcome){.kind = OUTCOME_UNKNOWN_ENTITY,
				.code = why->code,
				.param = call->tool->map,
				.detail = why->text,
				.suggestions = levels,
				.suggestion_count = n->levels.count};
}

static struct outcome outcome_of(struct tool_call *call, struct map_problem *why,
				 const struct err *e)
{
	const struct language *l = call->result->language;
	struct suggestion *offers;

	if (why->code && strcmp(why->code, MAP_NEEDS_LEVEL) == 0)
		return offer_levels(call, why);
	if (why->code && strcmp(why->code, MAP_NO_PATH) == 0 && why->from)
		map_explain_no_path(call->box->map, call->who, call->arena, why);
	offers = arena_alloc(call->arena, (why->offer_count + 1) * sizeof(*offers));

	for (size_t i = 0; i < why->offer_count; i++)
		offers[i] = (struct suggestion){.value = why->offers[i], .label = why->offers[i]};
	if (e->code == ERR_DENIED)
		return (struct outcome){
			.kind = OUTCOME_NOT_PERMITTED,
			.detail = why->permission
					  ? sentence(l, SAY_TOOL_PERMISSION, call->arena,
						     permission_words(why->permission, call->arena))
					  : NULL,
		};
	return (struct outcome){
		.kind = OUTCOME_ERROR,
		.code = why->code,
		.param = call->tool->map,
		.detail = why->text ? why->text
				    : sentence(l, SAY_TOOL_BAD_ARGUMENT, call->arena, e->text),
		.suggestions = offers,
		.suggestion_count = why->offer_count,
	};
}

/* ---- resolving values ---- */

/* The values that scope others: "south" is only known within its market. */
static struct args context_of(const struct tool_call *call, const struct map_query *q)
{
	struct args context = {0};

	for (size_t i = 0; i < q->where_count; i++)
		if (q->where[i].dimension && q->where[i].op == OP_IS && q->where[i].count == 1)
			args_set(&context, call->arena, q->where[i].dimension->filter,
				 q->where[i].values[0]);
	return context;
}

static bool has_indexed_names(const struct tool_call *call, const struct map_where *w)
{
	return w->dimension && !w->grain && w->source == MAP_EXPLICIT &&
	       (w->op == OP_IS || w->op == OP_NOT) &&
	       catalog_dimension(call->box->options.catalog, w->dimension->name) == w->dimension;
}

static bool resolve(struct tool_call *call, const struct args *context, struct map_where *w,
		    struct err *e)
{
	const struct toolbox_options *o = &call->box->options;
	struct value *values = arena_alloc(call->arena, w->count * sizeof(*values));

	for (size_t i = 0; i < w->count; i++) {
		const char *given = w->values[i].text;
		struct name_match m = {0};
		struct outcome refused;

		values[i] = w->values[i];
		if (!given)
			continue;
		if (!entity_index_resolve(o->names, call->who, w->dimension->name, given, context,
					  call->arena, &m)) {
			refused = tool_unknown_name(call, w->dimension, call->tool->map, given, &m);
			return refuse(call, &refused, e);
		}
		values[i] = value_text(m.value);
	}
	w->values = values;
	return true;
}

static bool resolve_all(struct tool_call *call, struct map_query *q, struct err *e)
{
	struct args context = context_of(call, q);

	for (size_t i = 0; i < q->where_count; i++)
		if (has_indexed_names(call, &q->where[i]) &&
		    !resolve(call, &context, &q->where[i], e))
			return false;
	return true;
}

/* ---- comparison of periods ---- */

struct change {
	const struct table *table;
	int now, before;
};

static bool number_at(const struct table *t, size_t row, int column, struct decimal *out)
{
	const char *cell = t->rows[row][column];

	return cell && decimal_parse(cell, out);
}

/* NULL: a value is missing, not numeric or out of range. */
static const char *change_text(const struct change *c, size_t row, bool percent, struct arena *a)
{
	char text[DECIMAL_TEXT_BYTES];
	struct decimal now, before, d;

	if (!number_at(c->table, row, c->now, &now) ||
	    !number_at(c->table, row, c->before, &before) || !decimal_sub(now, before, &d))
		return NULL;
	if (percent && (before.units == 0 || !decimal_mul(d, decimal_int(100), &d) ||
			!decimal_div(d, before, CHANGE_PERCENT_DIGITS, &d)))
		return NULL;
	decimal_text_short(d, text);
	return arena_strdup(a, text);
}

static void add_change(struct table *t, const struct change *c, const char *name, bool percent,
		       struct arena *a)
{
	const char **cells = arena_alloc(a, (t->row_count + 1) * sizeof(*cells));
	const char *unit = percent ? "%" : t->columns[c->now].unit;
	struct column *added;

	for (size_t row = 0; row < t->row_count; row++)
		cells[row] = change_text(c, row, percent, a);
	table_add_column(t, name, COLUMN_DECIMAL, cells);
	added = &t->columns[t->column_count - 1];
	added->unit = unit ? arena_strdup(t->arena, unit) : NULL;
	added->priority = PRIORITY_HIGH;
}

/* Adds changes for each metric that has a column of the earlier period. Any thread. */
static void derive_changes(struct result *r, struct arena *a)
{
	struct table *t = r->tables[0];
	size_t fetched = t->column_count;

	for (size_t i = 0; i < fetched; i++) {
		const char *name = t->columns[i].name;
		const char *earlier = sentence(r->language, SAY_MAP_BEFORE, a, name);
		struct change c = {.table = t, .now = (int)i, .before = table_column(t, earlier)};

		if (c.before < 0)
			continue;
		add_change(t, &c, sentence(r->language, SAY_MAP_CHANGE, a, name), false, a);
		add_change(t, &c, sentence(r->language, SAY_MAP_CHANGE_PERCENT, a, name), true, a);
	}
}

/* ---- the statement ---- */

/* Describes columns by their metric or dimension. */
static void describe(const struct map_statement *s, struct table *t)
{
	for (size_t i = 0; i < t->column_count && i < s->column_count; i++) {
		const struct map_column *from = &s->columns[i];
		struct column *c = &t->columns[i];

		c->type = from->type;
		c->priority = from->priority;
		if (from->unit)
			c->unit = arena_strdup(t->arena, from->unit);
		if (from->dimension)
			tool_describe_values(t, c, from->dimension);
	}
}

static bool has_failed(struct tool_call *call, const struct err *e)
{
	call->query = NULL;
	if (!e)
		return false;
	log_warn("tool.failed", "%s: %s", call->tool->name, e->text);
	call->result->outcome = tool_outcome_of_db(call, e);
	tool_call_end(call);
	return true;
}

static void on_rows(void *owner, struct source_batch *batches, size_t count, const struct err *e)
{
	struct tool_call *call = owner;
	struct result *r = call->result;
	struct table *main;

	if (has_failed(call, e))
		return;
	assert(count == 1);
	main = batches[0].table;
	main->name = "main";
	describe(call->map.statement, main);
	tool_totals_mark(call->rows_max ? call->rows_max : DB_ROWS_MAX, main);
	result_add_table(r, call->arena, main);
	r->outcome.truncated = main->truncated;
	r->outcome.kind = main->row_count > 0 ? OUTCOME_ROWS : OUTCOME_EMPTY;
	if (r->outcome.kind == OUTCOME_EMPTY)
		r->outcome.detail = sentence(r->language, SAY_MAP_NOTHING, call->arena, r->about);
	call->derives = call->derive && main->row_count > 0;
	if (!main->truncated || !tool_map_narrow(call))
		tool_call_end(call);
}

/* An empty main table with the column descriptions. The rows are in the frame, and derivations fill
 * the table. */
static struct table *empty_table_of(const struct map_statement *s)
{
	struct table *t = table_new(0);
	const char *names[MAP_GROUPS_MAX + 2 * MAP_METRICS_ASKED_MAX];
	enum column_type types[MAP_GROUPS_MAX + 2 * MAP_METRICS_ASKED_MAX];

	for (size_t i = 0; i < s->column_count; i++) {
		names[i] = s->columns[i].label;
		types[i] = s->columns[i].type;
	}
	table_replace(t, names, types, s->column_count, NULL, 0);
	describe(s, t);
	t->name = "main";
	return t;
}

static void on_frame(void *owner, struct source_batch *batches, size_t count, const struct err *e)
{
	struct tool_call *call = owner;
	struct result *r = call->result;

	if (has_failed(call, e))
		return;
	assert(count == 1);
	tool_frame_add(call, "main", batches[0].frame);
	result_add_table(r, call->arena, empty_table_of(call->map.statement));
	r->outcome.kind = r->frames[0]->rows > 0 ? OUTCOME_ROWS : OUTCOME_EMPTY;
	if (r->outcome.kind == OUTCOME_EMPTY)
		r->outcome.detail = sentence(r->language, SAY_MAP_NOTHING, call->arena, r->about);
	call->derives = r->outcome.kind == OUTCOME_ROWS;
	if (call->classification && call->derives)
		tool_classify_run(call);
	else
		tool_call_end(call);
}

/* Groups are text whatever their type, since they are names and periods. Metrics are doubles. */
static void sink_frame(struct tool_call *call, const struct map_statement *s, struct sink *sink)
{
	struct frame_declared *columns =
		arena_alloc(call->arena, s->column_count * sizeof(*columns));

	for (size_t i = 0; i < s->column_count; i++)
		columns[i] = (struct frame_declared){
			s->columns[i].label, s->columns[i].metric ? FRAME_REAL : FRAME_TEXT};
	*sink = (struct sink){.kind = SINK_FRAME,
			      .rows_max = tool_frame(call->tool, "main")->rows,
			      .columns = columns,
			      .column_count = s->column_count};
}

bool tool_map_statement(struct tool_call *call, const struct map_statement *s, const char *name,
			size_t rows_max, struct source_statement *out, struct err *e)
{
	struct args values = s->values;
	struct sql_bound bound;
	struct sql_file *file;

	tool_set_reserved(call->box->options.catalog, call->who->tenant, call->today, call->arena,
			  &values);
	if (rows_max)
		args_set(&values, call->arena, "row_limit", value_int((int64_t)rows_max + 1));
	if (!sql_file_parse(name, s->text, call->arena, &file, e) ||
	    !sql_render(&file->queries[0], &values, call->source->dialect, call->arena, &bound, e))
		return false;
	*out = (struct source_statement){
		.name = name,
		.text = bound.text,
		.values = bound.values,
		.count = bound.count,
		.sink = {.rows_max = rows_max, .stats = true},
	};
	return true;
}

/* Applies the row limit of the pack's protocol to a list that can be narrowed. */
static void limit_list(struct tool_call *call, const struct map_query *q)
{
	const struct protocol_def *p =
		q->list ? schema_protocol(catalog_schema(call->box->options.catalog), q->list->pack)
			: NULL;

	if (p && !q->rows && !call->rows_max && *q->list->facets) {
		call->rows_max = p->select_limit;
		call->map.list = q;
	}
}

static bool send(struct tool_call *call, const struct map_query *q, struct err *e)
{
	enum dialect d = call->source->dialect;
	struct map_problem why = {0};
	struct map_statement *s = arena_alloc(call->arena, sizeof(*s));
	struct source_statement sent;
	struct outcome refused;

	if (!map_write(call->box->map, q, d, call->arena, s, &why, e)) {
		refused = outcome_of(call, &why, e);
		return refuse(call, &refused, e);
	}
	limit_list(call, q);
	call->map.statement = s;
	if (!tool_map_statement(call, s, call->tool->name,
				call->tool->analysis.groups ? CALC_GROUPS_MAX : call->rows_max,
				&sent, e))
		return false;
	if (call->tool->analysis.groups)
		sink_frame(call, s, &sent.sink);
	tool_call_send(call, call->source, &sent, 1, call->timeout_ms,
		       call->tool->analysis.groups ? on_frame : on_rows);
	return true;
}

/* Describes the computed query with its filters, since the answer shows them nowhere else. */
static const char *heading_of(const struct tool_call *call, const struct map_query *q)
{
	struct buf text;
	const char *heading;

	buf_init(&text, MAP_TEXT_BYTES_MAX);
	map_describe(call->box->map, q, view_number, call->arena, &text);
	heading = arena_strdup(call->arena, buf_text(&text));
	buf_deinit(&text);
	return heading;
}

static bool read_query(struct tool_call *call, const json_t *query, struct map_query *q,
		       struct err *e)
{
	struct map_problem why = {0};
	struct outcome refused;

	*q = (struct map_query){0};
	if (map_query_read(call->box->map, call->who, query, call->today, call->arena, q, &why, e))
		return true;
	refused = outcome_of(call, &why, e);
	return refuse(call, &refused, e);
}

bool tool_map_run(struct tool_call *call, struct err *e)
{
	const char *text = args_text(&call->args, call->tool->map, call->arena);
	struct map_query *q = arena_alloc(call->arena, sizeof(*q));
	json_t *query;

	if (!json_parse(text, strlen(text), MAP_QUERY_BYTES_MAX, &query, e))
		return false;
	call->map.json = json_own(call->arena, query);
	if (!read_query(call, query, q, e))
		return false;
	if (call->tool->analysis.groups &&
	    (!tool_map_group(call, query, q, e) || !read_query(call, query, q, e) ||
	     !tool_classify_begin(call, q, e)))
		return false;
	if (!resolve_all(call, q, e))
		return false;
	call->source = source_find(call->box->options.sources, q->source);
	if (!call->source)
		return err_set(e, ERR_INTERNAL, "source %s is not configured", q->source);
	call->result->source = call->source->name;
	call->result->needs = q->needs;
	call->result->about = heading_of(call, q);
	call->derive = q->before.is_set ? derive_changes : NULL;
	return send(call, q, e);
}
