/* Components of an answer: fills props from a plan's results and shows them as a view, which the
 * page draws with the component's layout. */
#include "answer_int.h"

#include <string.h>

#include "vesper/answer.h"
#include "vesper/component.h"
#include "vesper/json_out.h"
#include "vesper/limits.h"
#include "vesper/log.h"

#define TEXT_BYTES_MAX 4096

struct filling {
	const struct component_def *def;
	const struct shown *shown;
	const struct units *units;
	const struct language *language;
	struct arena *arena;
};

static const struct shown_prop *value_of(const struct shown *s, const char *name)
{
	for (size_t i = 0; i < s->prop_count; i++)
		if (strcmp(s->props[i].name, name) == 0)
			return &s->props[i];
	return NULL;
}

/* ---- type checks ---- */

static bool is_integer(const char *text)
{
	struct decimal d;

	return decimal_parse(text, &d) && !strpbrk(text, ".eE");
}

static bool scalar_fits(const struct prop_def *p, const char *text)
{
	struct decimal number;
	struct date day;

	switch (p->type) {
	case PROP_NUMBER:
		return decimal_parse(text, &number);
	case PROP_INTEGER:
		return is_integer(text);
	case PROP_DATE:
		return date_parse_iso(text, &day);
	case PROP_FLAG:
		return strcmp(text, "0") == 0 || strcmp(text, "1") == 0;
	default:
		return true;
	}
}

static int column_named(const struct table *t, const char *name)
{
	for (size_t i = 0; i < t->column_count; i++)
		if (ref_names_match(t->columns[i].name, name))
			return (int)i;
	return -1;
}

/* The declared columns that the table has, under their declared names. NULL: it has none. */
static const struct table *table_of(const struct prop_def *p, const struct table *t,
				    struct arena *a)
{
	size_t *columns = arena_alloc(a, (p->column_count + 1) * sizeof(*columns)), n = 0;
	const char **names = arena_alloc(a, (p->column_count + 1) * sizeof(*names));

	for (size_t i = 0; i < p->column_count; i++) {
		int c = column_named(t, p->columns[i].name);

		if (c < 0)
			continue;
		columns[n] = (size_t)c;
		names[n++] = p->columns[i].name;
	}
	return n > 0 ? table_narrow(t, columns, names, n, p->rows, a) : NULL;
}

static bool prop_fits(const struct prop_def *p, const struct shown_prop *v)
{
	if (prop_is_result_set(p))
		return !v->text && v->place.table;
	return v->text && scalar_fits(p, v->text);
}

const char *component_missing_prop(const struct component_def *def, const struct shown *s)
{
	for (size_t i = 0; i < def->prop_count; i++) {
		const struct shown_prop *v = value_of(s, def->props[i].name);

		if (def->props[i].required && (!v || !prop_fits(&def->props[i], v)))
			return def->props[i].name;
	}
	return NULL;
}

/* ---- writing ---- */

static void write_scalar(struct json_out *j, const struct prop_def *p, const char *text)
{
	if (p->type == PROP_NUMBER || p->type == PROP_INTEGER)
		jo_decimal(j, text);
	else if (p->type == PROP_FLAG)
		jo_bool(j, *text == '1');
	else
		jo_str(j, str_of(text));
}

/* Writes a chart where the shape allows one. */
static void write_set(struct json_out *j, const struct filling *f, const struct prop_def *p,
		      const struct shown_prop *v, const struct table *t)
{
	struct table *tables[] = {(struct table *)(uintptr_t)t};
	struct result part = *v->place.result;
	struct buf chart;

	part.tables = tables;
	part.table_count = 1;
	buf_init(&chart, VIEW_BYTES_MAX * 2);
	if (p->type == PROP_SERIES && view_chart(&chart, &part, p->name, CHART_NO_PREFERENCE)) {
		jo_raw(j, (struct str){buf_text(&chart), chart.n});
	} else {
		jo_object(j);
		view_table(j, t, f->arena);
		jo_object_end(j);
	}
	buf_deinit(&chart);
}

static void write_prop(struct json_out *j, const struct filling *f, const struct prop_def *p,
		       const struct shown_prop *v)
{
	const struct table *t =
		prop_is_result_set(p) ? table_of(p, v->place.table, f->arena) : NULL;

	if (prop_is_result_set(p) && !t)
		return;
	jo_key(j, p->name);
	if (t)
		write_set(j, f, p, v, t);
	else
		write_scalar(j, p, v->text);
}

static void write_props(struct json_out *j, const struct filling *f)
{
	jo_key(j, "props");
	jo_object(j);
	for (size_t i = 0; i < f->def->prop_count; i++) {
		const struct prop_def *p = &f->def->props[i];
		const struct shown_prop *v = value_of(f->shown, p->name);

		if (v && prop_fits(p, v))
			write_prop(j, f, p, v);
	}
	jo_object_end(j);
}

/* The text that the column shows for the cell. */
static const char *shown_word(const struct shown_prop *v)
{
	const struct table *t = v->place.table;
	const char *const *w = t && v->place.column >= 0 ? t->columns[v->place.column].words : NULL;

	for (; w && *w; w += 2)
		if (strcmp(w[0], v->text) == 0)
			return w[1];
	return v->text;
}

/* Formats the value as in an answer's text. */
static bool add_word(void *owner, struct buf *out, const char *name)
{
	const struct filling *f = owner;
	const struct prop_def *p = component_prop(f->def, name);
	const struct shown_prop *v = p ? value_of(f->shown, name) : NULL;

	if (!v || !prop_fits(p, v))
		return false;
	if (p->type == PROP_NUMBER || p->type == PROP_INTEGER)
		view_number(out, f->units, v->text, p->unit);
	else if (p->type == PROP_DATE)
		view_date(out, f->language, v->text);
	else
		buf_str(out, shown_word(v));
	return true;
}

static void write_text(struct json_out *j, const struct filling *f)
{
	struct buf text;

	buf_init(&text, TEXT_BYTES_MAX);
	if (!view_fill_with(&text, f->def->text, add_word, (void *)(uintptr_t)f))
		buf_str(&text, f->def->about);
	jo_set_str(j, "text", buf_text(&text));
	jo_set_str(j, "alt", f->def->about);
	buf_deinit(&text);
}

static bool is_listed_before(const struct shown *s, size_t count, const struct result *r)
{
	for (size_t i = 0; i < count; i++)
		if (s->props[i].place.result == r)
			return true;
	return false;
}

static void write_calls(struct json_out *j, const struct shown *s)
{
	jo_key(j, "calls");
	jo_array(j);
	for (size_t i = 0; i < s->prop_count; i++) {
		const struct result *r = s->props[i].place.result;

		if (r && r->call && !is_listed_before(s, i, r))
			jo_str(j, str_of(r->call));
	}
	jo_array_end(j);
}

void component_view(struct buf *out, const struct catalog *c, const struct shown *s,
		    const char *view_id, struct arena *a)
{
	const struct filling f = {
		.def = catalog_component(c, s->show->component),
		.shown = s,
		.units = &c->units,
		.language = c->language,
		.arena = a,
	};
	struct json_out j;

	jo_init(&j, out);
	jo_object(&j);
	jo_set_str(&j, "view_type", "component");
	jo_set_str(&j, "view_id", view_id);
	jo_set_str(&j, "component", s->show->component);
	write_props(&j, &f);
	write_text(&j, &f);
	write_calls(&j, s);
	jo_object_end(&j);
}

/* ---- components of a plan ---- */

bool shown_has_table(const struct shown *s, const struct table *t)
{
	for (size_t i = 0; i < s->prop_count; i++)
		if (!s->props[i].text && s->props[i].place.table == t)
			return true;
	return false;
}

static void show_component(struct answer_turn *t, const struct shown *s)
{
	struct arena *a = t->core->arena;
	const char *view_id = arena_printf(a, "%s-v1", s->show->id);
	struct buf view;

	buf_init(&view, COMPONENT_BYTES_MAX);
	component_view(&view, t->core->may.catalog, s, view_id, a);
	if (buf_over(&view))
		log_warn("component.long", "%s: view of %s exceeds the size limit",
			 t->core->id.text, s->show->component);
	else
		answer_emit_component(t, s->show->id, view_id,
				      (struct str){buf_text(&view), view.n});
	buf_deinit(&view);
}

/* Shows the tables of components that could not be shown. */
static void show_remaining_tables(struct answer_turn *t, const struct shown *list, size_t count)
{
	const struct plan *p = t->work->plan;

	for (size_t i = 0; i < p->count; i++) {
		const struct task *task = &p->tasks[i];

		if (!flow_shows_table(p, task->group ? task->group : task->id))
			continue;
		for (size_t r = 0; r < task->result_count; r++) {
			struct result *result = task->results[r];
			bool is_shown =
				result->table_count == 0 || result->tables[0]->row_count == 0;

			for (size_t n = 0; n < count && !is_shown; n++)
				is_shown = shown_has_table(&list[n], result->tables[0]);
			if (!is_shown)
				answer_emit_view(t, result);
		}
	}
}

void answer_components(struct answer_turn *t)
{
	const struct catalog *c = t->core->may.catalog;
	struct shown *all, *list;
	size_t n, count = 0;

	if (!t->work->plan || t->work->plan->show_count == 0)
		return;
	n = flow_shown(t->work->plan, t->core->arena, &all);
	list = arena_alloc(t->core->arena, (n + 1) * sizeof(*list));
	for (size_t i = 0; i < n; i++) {
		const struct component_def *def = catalog_component(c, all[i].show->component);
		const char *missing_prop =
			def ? component_missing_prop(def, &all[i]) : "definition";

		if (!missing_prop)
			list[count++] = all[i];
		else
			log_info("component.prop", "%s: %s lacks a valid %s", t->core->id.text,
				 all[i].show->component, missing_prop);
	}
	for (size_t i = 0; i < count; i++)
		show_component(t, &list[i]);
	show_remaining_tables(t, list, count);
}

/* ---- components by name ---- */

static bool has_columns(const struct table *t, const struct prop_def *p)
{
	for (size_t i = 0; i < p->column_count; i++)
		if (column_named(t, p->columns[i].name) < 0)
			return false;
	return true;
}

static bool find_set(const struct prop_def *p, struct result *r, struct shown_prop *out)
{
	for (size_t i = 0; i < r->table_count; i++)
		if (has_columns(r->tables[i], p)) {
			out->place = (struct ref_target){
				.result = r, .table = r->tables[i], .column = -1};
			return true;
		}
	return false;
}

static bool same_unit(const struct prop_def *p, const char *unit)
{
	return !p->unit || !unit || strcmp(p->unit, unit) == 0;
}

/* A fact with this name, or the column of a one-row result. */
static bool find_value(const struct prop_def *p, struct result *r, struct shown_prop *out)
{
	const struct table *t = r->table_count > 0 ? r->tables[0] : NULL;
	int c = t && t->row_count == 1 ? column_named(t, p->name) : -1;

	for (size_t i = 0; i < r->fact_count; i++) {
		const struct fact *f = &r->facts[i];

		if (!ref_names_match(f->name, p->name) || !same_unit(p, f->unit))
			continue;
		out->text = f->value;
		out->place = (struct ref_target){.result = r, .column = -1, .fact = f};
		return prop_fits(p, out);
	}
	if (c < 0 || !t->rows[0][c] || !same_unit(p, t->columns[c].unit))
		return false;
	out->text = t->rows[0][c];
	out->place = (struct ref_target){.result = r, .table = t, .column = c};
	return prop_fits(p, out);
}

static void fill_by_name(const struct component_def *def, struct result *const *results,
			 size_t count, struct arena *a, struct shown *out)
{
	out->props = arena_alloc(a, sizeof(*out->props) * (def->prop_count + 1));
	for (size_t i = 0; i < def->prop_count; i++) {
		const struct prop_def *p = &def->props[i];
		struct shown_prop *v = &out->props[out->prop_count];
		bool found = false;

		for (size_t r = 0; r < count && !found; r++) {
			*v = (struct shown_prop){.name = p->name};
			found = prop_is_result_set(p) ? find_set(p, results[r], v)
						      : find_value(p, results[r], v);
		}
		out->prop_count += found;
	}
}

const struct shown *answer_component_by_name(struct answer_turn *t, const char *id,
					     const char *component, struct result *const *results,
					     size_t count)
{
	const struct component_def *def = catalog_component(t->core->may.catalog, component);
	struct task_show *show = arena_alloc(t->core->arena, sizeof(*show));
	struct shown *shown = arena_alloc(t->core->arena, sizeof(*shown));
	const char *missing_prop;

	*show = (struct task_show){.id = id, .component = component};
	*shown = (struct shown){.show = show};
	fill_by_name(def, results, count, t->core->arena, shown);
	missing_prop = component_missing_prop(def, shown);
	if (!missing_prop) {
		show_component(t, shown);
		return shown;
	}
	log_info("component.prop", "%s: %s lacks a valid %s", t->core->id.text, component,
		 missing_prop);
	return NULL;
}
