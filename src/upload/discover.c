/*
 * The tools for data sources: list them, describe one, report its quality, and find columns of two
 * sources with common values. Only the last runs a query; the others use the profiles in memory.
 * Sources that the caller may not use are reported as nonexistent. A missing name, or one that
 * fits several sources, leads to a clarifying question.
 */
#include "upload_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/language.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/outcome.h"

#define DISCOVER_BYTES    (32 * 1024 * 1024)
#define TABLE_BYTES       (4 * 1024 * 1024)
#define PAIRS_MAX         SOURCE_STATEMENTS_MAX
#define DISCOVER_SOURCE   "source"
#define DISCOVER_OTHER    "other"
#define LINES_SHOWN_MAX   10
#define COMMON_VALUES_MIN 2 /* values; a single one may be chance */

/* Copied, since the rows may be read again while a query runs. */
struct source_info {
	const char *uid, *name, *owner, *updated_at, *table;
	int64_t rows;
	const char *label, *permission;
	const char *profile_text, *meaning; /* borrowed from the rows; invalid once a query runs */
	const json_t *profile;              /* in the arena; NULL: not parsed yet */
};

/* Two columns that may hold the same values. */
struct pair {
	const json_t *left, *right;
};

struct discovery {
	struct op op;
	struct deferred deferred;
	struct tenant_uploads *tenant;
	const struct language *language;
	struct catalog *catalog; /* a reference; owns the language */
	struct arena *arena;
	struct principal *who;
	const char *tool;
	const char *source_name, *other_name;
	struct source_info *list;
	size_t count;
	const struct source_info *source, *other_source; /* those that are named */
	/* the result */
	struct table *table;
	struct source_fact facts[RESULT_FACTS_MAX];
	size_t fact_count;
	const char **cells;
	size_t cell_count, cell_cap;
	/* of find_join_keys */
	struct pair pairs[PAIRS_MAX];
	size_t pair_count;
	struct op *query;
	source_cb cb;
	void *owner;
};

static void discovery_free(struct discovery *d)
{
	op_cancel(&d->query);
	deferred_cancel(&d->deferred);
	table_free(&d->table);
	if (d->catalog)
		catalog_unref(&d->catalog);
	principal_free(&d->who);
	arena_free(&d->arena);
	mem_free(d);
}

static void on_cancel(struct op *op)
{
	discovery_free(list_item(op, struct discovery, op));
}

/* ---- the result ---- */

static const char *result_copy(const struct discovery *d, const char *text)
{
	return arena_strdup(d->table->arena, text);
}

static void add_cell(struct discovery *d, const char *cell)
{
	d->cells = arena_grow(d->arena, d->cells, d->cell_count, &d->cell_cap, sizeof(*d->cells));
	d->cells[d->cell_count++] = cell;
}

static void add_int_cell(struct discovery *d, int64_t n)
{
	add_cell(d, arena_printf(d->arena, "%" PRId64, n));
}

static void add_fact(struct discovery *d, const char *name, const char *value)
{
	if (value)
		d->facts[d->fact_count++] = (struct source_fact){name, result_copy(d, value)};
}

static void add_int_fact(struct discovery *d, const char *name, int64_t n)
{
	add_fact(d, name, arena_printf(d->arena, "%" PRId64, n));
}

static void end(struct discovery *d, const struct outcome *outcome, const struct err *e)
{
	const char **needs = arena_alloc(d->table->arena, (d->count + 1) * sizeof(*needs));
	struct source_batch batch = {.table = d->table,
				     .needs = needs,
				     .outcome = outcome,
				     .facts = arena_alloc(d->table->arena, sizeof(d->facts)),
				     .fact_count = d->fact_count};
	size_t n = 0;

	if (e) {
		d->cb(d->owner, NULL, 0, e);
		discovery_free(d);
		return;
	}
	for (size_t i = 0; i < d->count; i++)
		if (!d->source || &d->list[i] == d->source || &d->list[i] == d->other_source)
			needs[n++] = result_copy(d, d->list[i].permission);
	memcpy((void *)batch.facts, d->facts, sizeof(d->facts));
	d->table = NULL; /* ownership passed to the callback */
	d->cb(d->owner, &batch, 1, NULL);
	discovery_free(d);
}

static void end_rows(struct discovery *d, const char *const *names, const enum column_type *types,
		     size_t columns)
{
	table_replace(d->table, names, types, columns, d->cells, d->cell_count / columns);
	end(d, NULL, NULL);
}

/* ---- available sources ---- */

static const json_t *member(const json_t *object, const char *name)
{
	return json_object_get(object, name);
}

/* Also gets numbers that are stored as text to keep their digits. */
static const char *digits_of(const struct discovery *d, const json_t *object, const char *name)
{
	const json_t *v = member(object, name);
	char *text;
	const char *copy;

	if (!v || json_is_null(v))
		return NULL;
	if (json_is_string(v))
		return json_string_value(v);
	text = json_text((json_t *)v);
	copy = arena_strdup(d->arena, text);
	mem_free(text);
	return copy;
}

static const json_t *profile_of(struct discovery *d, const struct source_info *u)
{
	json_t *profile;
	struct err e;

	if (u->profile)
		return u->profile;
	if (!json_parse(u->profile_text, strlen(u->profile_text), DATA_SOURCE_PROFILE_BYTES_MAX,
			&profile, &e)) {
		log_error("uploads.profile", "%s: %s", u->uid, e.text);
		profile = json_object();
	}
	meaning_apply(profile, u->meaning, d->arena);
	((struct source_info *)u)->profile = json_own(d->arena, profile);
	return u->profile;
}

static struct source_info source_info_of(const struct stored_source *s,
					 const struct stored_version *v, struct arena *a)
{
	return (struct source_info){.uid = arena_strdup(a, s->uid),
				    .name = arena_strdup(a, s->name),
				    .owner = arena_strdup(a, s->owner),
				    .updated_at = arena_strdup(a, s->updated_at),
				    .table = arena_strdup(a, v->table),
				    .rows = v->rows,
				    .label = overlay_label(s, a),
				    .permission = uploads_permission(s, a),
				    .profile_text = v->profile,
				    .meaning = s->meaning};
}

static void list_usable(struct discovery *d)
{
	const struct tenant_uploads *t = d->tenant;

	const struct listing *l = t ? t->listing : NULL;
	struct listing_at at = {0};
	const struct listed_source *k;

	d->list = arena_alloc(d->arena,
			      (listing_sums(l)->parts[LISTING_TABLES] + 1) * sizeof(*d->list));
	while ((k = listing_next(l, LISTING_TABLES, &at))) {
		const struct stored_version *v = overlay_version(t, k);

		if (v && v->profile && v->table && sql_upload_is_table(v->table) &&
		    uploads_may_use(t, k->row, d->who, d->arena))
			d->list[d->count++] = source_info_of(k->row, v, d->arena);
	}
}

/* ---- resolving source names ---- */

static bool has_name(const struct source_info *u, const char *name)
{
	return strcmp(u->uid, name) == 0 || str_eq_nocase(str_of(u->name), str_of(name)) ||
	       str_eq_nocase(str_of(u->label), str_of(name));
}

static bool has_name_part(const struct source_info *u, const char *name)
{
	return str_find_nocase(u->name, name) || str_find_nocase(u->label, name);
}

/* All sources that the name may mean; `name` NULL: none. */
static size_t find_matches(const struct discovery *d, const char *name,
			   const struct source_info **out)
{
	size_t n = 0;

	for (size_t i = 0; name && i < d->count; i++)
		if (has_name(&d->list[i], name))
			out[n++] = &d->list[i];
	for (size_t i = 0; n == 0 && name && i < d->count; i++)
		if (has_name_part(&d->list[i], name))
			out[n++] = &d->list[i];
	return n;
}

/* Ends with a clarifying question. The first source is not offered as the second. */
static void ask_which(struct discovery *d, const char *param, const char *name,
		      const struct source_info **fit, size_t count)
{
	struct arena *a = d->table->arena;
	struct suggestion *list = arena_alloc(a, (d->count + 1) * sizeof(*list));
	struct outcome *o = arena_alloc(a, sizeof(*o));
	size_t n = count > 0 ? count : d->count;

	*o = (struct outcome){
		.kind = OUTCOME_UNKNOWN_ENTITY,
		.param = result_copy(d, param),
		.detail = d->count == (size_t)(d->source != NULL) ? NULL
			  : name && count == 0
				  ? sentence(d->language, SAY_UPLOAD_UNKNOWN, a, name)
				  : result_copy(d, language_text(d->language, SAY_UPLOAD_WHICH)),
		.suggestions = list};
	for (size_t i = 0; i < n; i++) {
		const struct source_info *u = count > 0 ? fit[i] : &d->list[i];

		if (u == d->source)
			continue;
		list[o->suggestion_count++] = (struct suggestion){
			.value = result_copy(d, u->uid),
			.label = overlay_description(d->language, u->label, u->owner, u->rows,
						     u->updated_at, a)};
	}
	end(d, o, NULL);
}

/* False: a clarifying question ended the discovery, which is freed. */
static bool resolve_source(struct discovery *d, const char *param, const char *name,
			   const struct source_info **out)
{
	const struct source_info **fit =
		arena_alloc(d->arena, (d->count + 1) * sizeof(struct source_info *));
	size_t n = find_matches(d, name, fit), others = d->count - (d->source != NULL);

	for (size_t i = 0; !name && others == 1 && i < d->count; i++)
		if (&d->list[i] != d->source)
			fit[n++] = &d->list[i];
	if (n != 1 || fit[0] == d->source) {
		ask_which(d, param, name, fit, fit[0] == d->source ? 0 : n);
		return false;
	}
	*out = fit[0];
	return true;
}

/* ---- list_sources ---- */

static void list_sources(struct discovery *d)
{
	static const char *const names[] = {"Source",  "Rows",  "Columns",
					    "Quality", "Owner", "Updated"};
	static const enum column_type types[] = {COLUMN_TEXT, COLUMN_INT,  COLUMN_INT,
						 COLUMN_INT,  COLUMN_TEXT, COLUMN_TEXT};

	for (size_t i = 0; i < d->count; i++) {
		const struct source_info *u = &d->list[i];
		const json_t *p = profile_of(d, u);

		add_cell(d, u->name);
		add_int_cell(d, u->rows);
		add_int_cell(d, (int64_t)json_array_size(member(p, "columns")));
		add_cell(d, digits_of(d, member(p, "quality"), "score"));
		add_cell(d, u->owner);
		add_cell(d, arena_strndup(d->arena, u->updated_at, strcspn(u->updated_at, "T ")));
	}
	add_int_fact(d, "sources", (int64_t)d->count);
	end_rows(d, names, types, 6);
}

/* ---- describe_source ---- */

static void add_quality_facts(struct discovery *d, const json_t *profile)
{
	static const char *const parts[] = {"complete", "conform", "unique", "consistent"};
	const json_t *quality = member(profile, "quality");

	add_fact(d, "quality_score", digits_of(d, quality, "score"));
	for (size_t i = 0; i < 4; i++) {
		const char *part = digits_of(d, member(quality, "parts"), parts[i]);

		if (part)
			add_fact(d, parts[i],
				 arena_printf(d->arena, "%.2f", 100 * strtod(part, NULL)));
	}
}

static void describe_source(struct discovery *d)
{
	static const char *const names[] = {"Column",   "Type",    "Role",    "Unit",
					    "Distinct", "Missing", "Minimum", "Maximum"};
	static const enum column_type types[] = {COLUMN_TEXT, COLUMN_TEXT, COLUMN_TEXT,
						 COLUMN_TEXT, COLUMN_INT,  COLUMN_INT,
						 COLUMN_TEXT, COLUMN_TEXT};
	const json_t *profile = profile_of(d, d->source), *column;
	size_t i;

	json_array_foreach((json_t *)member(profile, "columns"), i, column) {
		add_cell(d, json_text_at(column, "label"));
		add_cell(d, json_text_at(column, "type"));
		add_cell(d, json_text_at(column, "role"));
		add_cell(d, *json_text_at(column, "unit") ? json_text_at(column, "unit") : NULL);
		add_cell(d, digits_of(d, column, "distinct"));
		add_cell(d, digits_of(d, column, "nulls"));
		add_cell(d, digits_of(d, column, "min"));
		add_cell(d, digits_of(d, column, "max"));
	}
	add_fact(d, "source", d->source->name);
	add_int_fact(d, "rows", d->source->rows);
	add_int_fact(d, "columns", (int64_t)json_array_size(member(profile, "columns")));
	add_quality_facts(d, profile);
	end_rows(d, names, types, 8);
}

/* ---- data_quality ---- */

static const char *lines_of(const struct discovery *d, const json_t *lines)
{
	struct buf b;
	const json_t *line;
	const char *text;
	size_t i;

	if (json_array_size(lines) == 0)
		return NULL;
	buf_init(&b, DATA_SOURCE_PROFILE_BYTES_MAX);
	json_array_foreach((json_t *)lines, i, line) {
		if (i == LINES_SHOWN_MAX)
			break;
		buf_printf(&b, "%s%" JSON_INTEGER_FORMAT, i > 0 ? ", " : "",
			   json_integer_value(line));
	}
	text = arena_strdup(d->arena, buf_text(&b));
	buf_deinit(&b);
	return text;
}

static void add_finding(struct discovery *d, const char *column, const char *what, int64_t count,
			const json_t *lines)
{
	if (count <= 0)
		return;
	add_cell(d, column);
	add_cell(d, what);
	add_int_cell(d, count);
	add_cell(d, lines_of(d, lines));
}

static int64_t int_of(const json_t *object, const char *name)
{
	return json_integer_value(member(object, name));
}

/* Number of days between the first and the last date that occur in no row. */
static int64_t gaps_of(const json_t *column)
{
	struct date first, last;

	if (strcmp(json_text_at(column, "type"), column_type_name(COLUMN_DATE)) != 0 ||
	    !json_is_true(member(column, "distinct_exact")) ||
	    !date_parse_iso(json_text_at(column, "min"), &first) ||
	    !date_parse_iso(json_text_at(column, "max"), &last))
		return 0;
	return date_to_days(last) - date_to_days(first) + 1 - int_of(column, "distinct");
}

static void data_quality(struct discovery *d)
{
	static const char *const names[] = {"Column", "Finding", "Count", "Lines"};
	static const enum column_type types[] = {COLUMN_TEXT, COLUMN_TEXT, COLUMN_INT, COLUMN_TEXT};
	const json_t *profile = profile_of(d, d->source), *column;
	const struct language *l = d->language;
	size_t i;

	json_array_foreach((json_t *)member(profile, "columns"), i, column) {
		const char *label = json_text_at(column, "label");

		add_finding(d, label, language_text(l, SAY_UPLOAD_MISSING), int_of(column, "nulls"),
			    NULL);
		add_finding(d, label,
			    sentence(l, SAY_UPLOAD_MISFITS, d->arena, json_text_at(column, "type")),
			    int_of(column, "misfits"), member(column, "misfit_lines"));
		add_finding(d, label, language_text(l, SAY_UPLOAD_OUTLIERS),
			    int_of(column, "outliers"), NULL);
		add_finding(d, label, language_text(l, SAY_UPLOAD_GAPS), gaps_of(column), NULL);
	}
	add_finding(d, NULL, language_text(l, SAY_UPLOAD_REPEATED),
		    int_of(profile, "duplicate_rows"), NULL);
	add_finding(d, NULL, language_text(l, SAY_UPLOAD_RAGGED), int_of(profile, "ragged_rows"),
		    member(profile, "ragged_lines"));
	add_fact(d, "source", d->source->name);
	add_int_fact(d, "findings", (int64_t)(d->cell_count / 4));
	add_quality_facts(d, profile);
	end_rows(d, names, types, 4);
}

/* ---- find_join_keys ---- */

/* Columns that may identify rows: IDs, groups, dates and whole numbers, with enough distinct
 * values. */
static bool may_join(const json_t *column)
{
	const char *role = json_text_at(column, "role"), *type = json_text_at(column, "type");
	bool is_whole = strcmp(type, column_type_name(COLUMN_INT)) == 0;

	return (strcmp(role, "id") == 0 || strcmp(role, "dimension") == 0 ||
		strcmp(role, "date") == 0 || (is_whole && strcmp(role, "measure") == 0)) &&
	       int_of(column, "distinct") >= COMMON_VALUES_MIN;
}

static bool is_countable(const json_t *column)
{
	return json_is_true(member(column, "distinct_exact"));
}

static void choose_pairs(struct discovery *d, bool same_name, size_t *left_out)
{
	const json_t *first = member(profile_of(d, d->source), "columns");
	const json_t *second = member(profile_of(d, d->other_source), "columns"), *a, *b;
	size_t i, k;

	json_array_foreach((json_t *)first, i, a)
		json_array_foreach((json_t *)second, k, b) {
			bool same = strcmp(json_text_at(a, "name"), json_text_at(b, "name")) == 0;

			if (same != same_name || !may_join(a) || !may_join(b) ||
			    strcmp(json_text_at(a, "type"), json_text_at(b, "type")) != 0)
				continue;
			if (!is_countable(a) || !is_countable(b) || d->pair_count == PAIRS_MAX)
				(*left_out)++;
			else
				d->pairs[d->pair_count++] = (struct pair){a, b};
		}
}

static void add_pair_row(struct discovery *d, const struct pair *p, int64_t common)
{
	double shared = 100 * (double)common;

	add_cell(d, json_text_at(p->left, "label"));
	add_cell(d, json_text_at(p->right, "label"));
	add_int_cell(d, common);
	add_cell(d, arena_printf(d->arena, "%.1f", shared / (double)int_of(p->left, "distinct")));
	add_cell(d, arena_printf(d->arena, "%.1f", shared / (double)int_of(p->right, "distinct")));
	add_cell(d, join_cardinality(p->left, d->source->rows, p->right, d->other_source->rows));
}

static void on_common(void *owner, struct source_batch *batches, size_t count, const struct err *e)
{
	static const char *const names[] = {"Column",      "Other column",      "Common values",
					    "Covered (%)", "Other covered (%)", "Cardinality"};
	static const enum column_type types[] = {COLUMN_TEXT,    COLUMN_TEXT,    COLUMN_INT,
						 COLUMN_DECIMAL, COLUMN_DECIMAL, COLUMN_TEXT};
	struct discovery *d = owner;

	d->query = NULL;
	for (size_t i = 0; i < count; i++) {
		const struct table *t = batches[i].table;
		int64_t common = t->row_count > 0 ? strtoll(t->rows[0][0], NULL, 10) : 0;

		if (common >= COMMON_VALUES_MIN)
			add_pair_row(d, &d->pairs[i], common);
	}
	source_batches_free(batches, count);
	if (e) {
		end(d, NULL, e);
		return;
	}
	add_int_fact(d, "pairs", (int64_t)(d->cell_count / 6));
	end_rows(d, names, types, 6);
}

static void find_join_keys(struct discovery *d)
{
	struct source *reader = d->tenant->all->options.reader;
	const struct value bound[] = {value_text(d->tenant->name), value_text(d->tenant->name)};
	struct source_statement list[PAIRS_MAX];
	size_t left_out = 0;

	choose_pairs(d, true, &left_out);
	choose_pairs(d, false, &left_out);
	add_fact(d, "source", d->source->name);
	add_fact(d, "other", d->other_source->name);
	add_int_fact(d, "left_out", (int64_t)left_out);
	for (size_t i = 0; i < d->pair_count; i++)
		list[i] = (struct source_statement){
			.name = "uploads/common",
			.text = sql_upload_count_common(
				d->source->table, json_text_at(d->pairs[i].left, "name"),
				d->other_source->table, json_text_at(d->pairs[i].right, "name"),
				d->arena),
			.values = bound,
			.count = 2,
			.sink = {.rows_max = 1}};
	if (d->pair_count == 0)
		on_common(d, NULL, 0, NULL);
	else
		d->query = reader->start(reader,
					 &(struct source_call){.tenant = d->tenant->name,
							       .statements = list,
							       .count = d->pair_count},
					 on_common, d);
}

/* ---- beginning ---- */

static const struct {
	const char *tool;
	void (*run)(struct discovery *d);
	int source_count; /* sources that it needs */
} tools[] = {
	{"list_sources", list_sources, 0},
	{"describe_source", describe_source, 1},
	{"data_quality", data_quality, 1},
	{"find_join_keys", find_join_keys, 2},
};

static void on_begin(void *owner)
{
	struct discovery *d = owner;
	size_t i = 0;
	struct err e;

	while (i < sizeof(tools) / sizeof(*tools) && strcmp(tools[i].tool, d->tool) != 0)
		i++;
	if (i == sizeof(tools) / sizeof(*tools)) {
		err_set(&e, ERR_INTERNAL, "%s is not a tool for data sources", d->tool);
		end(d, NULL, &e);
		return;
	}
	list_usable(d);
	if ((tools[i].source_count > 0 &&
	     !resolve_source(d, DISCOVER_SOURCE, d->source_name, &d->source)) ||
	    (tools[i].source_count > 1 &&
	     !resolve_source(d, DISCOVER_OTHER, d->other_name, &d->other_source)))
		return;
	tools[i].run(d);
}

struct discovery_source {
	struct source source; /* first */
	struct uploads *uploads;
};

static struct op *start(struct source *source, const struct source_call *call, source_cb cb,
			void *owner)
{
	struct uploads *u = ((struct discovery_source *)source)->uploads;
	struct discovery *d = mem_alloc(sizeof(*d));

	*d = (struct discovery){.op = {.cancel = on_cancel},
				.tenant = uploads_tenant(u, call->tenant),
				.arena = arena_new(DISCOVER_BYTES),
				.table = table_new(TABLE_BYTES),
				.who = principal_copy(call->who),
				.cb = cb,
				.owner = owner};
	d->tool = arena_strdup(d->arena, call->tool);
	d->source_name = args_text(call->args, DISCOVER_SOURCE, d->arena);
	d->other_name = args_text(call->args, DISCOVER_OTHER, d->arena);
	if (d->tenant) {
		d->catalog = catalog_ref(u->options.catalog(u->options.owner, call->tenant));
		d->language = d->catalog->language;
	}
	loop_defer(u->options.loop, &d->deferred, on_begin, d);
	return &d->op;
}

static void close_source(struct source *source)
{
	mem_free(source);
}

struct source *discover_source_new(struct uploads *u)
{
	struct discovery_source *s = mem_alloc(sizeof(*s));

	*s = (struct discovery_source){
		.source = {.name = SOURCE_OWN, .start = start, .close = close_source},
		.uploads = u};
	return &s->source;
}
