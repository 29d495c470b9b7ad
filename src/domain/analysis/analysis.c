/* Helpers of the analysis derivations: the frame's columns, facts, and rows of the table. */
#include "analysis_int.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "vesper/dict.h"

#define FIGURES      4 /* significant digits of a number below 1 */
#define DECIMALS     2 /* decimal places of other numbers */
#define DECIMALS_MAX 9
#define P_MIN        0.0001
#define NAMES_MAX    10 /* listed in a sentence; the others are counted */

static size_t distinct_count(const struct analysis *x, size_t group)
{
	struct dict known;
	size_t count = 0;

	dict_init(&known, x->a);
	for (size_t i = 0; i < x->n; i++) {
		const char *name = analysis_name(x, group, i);

		if (dict_find(&known, name, strlen(name)) >= 0)
			continue;
		dict_put(&known, name, strlen(name), 1);
		count++;
	}
	return count;
}

/* Two groups may come in either order: the one with more values is taken as the things. */
static void put_things_first(struct analysis *x)
{
	struct frame *f;

	if (!x->second || x->r->context->by_name || distinct_count(x, 0) >= distinct_count(x, 1))
		return;
	f = arena_alloc(x->a, sizeof(*f));
	*f = *x->frame;
	f->columns = arena_alloc(x->a, f->column_count * sizeof(*f->columns));
	memcpy(f->columns, x->frame->columns, f->column_count * sizeof(*f->columns));
	f->columns[0] = x->frame->columns[1];
	f->columns[1] = x->frame->columns[0];
	x->frame = f;
	x->thing = x->r->context->second;
	x->second = x->r->context->thing;
}

bool analysis_begin(struct result *r, struct arena *a, struct analysis *out)
{
	const struct derive_context *c = r->context;
	struct analysis x = {.r = r, .a = a, .frame = result_frame(r, "main")};

	if (!c || !x.frame) /* a tool without a frame has nothing to analyze */
		return false;
	x.calc = (struct calc){.arena = a, .cancelled = c->cancelled};
	x.table = (struct table *)result_table(r, "main");
	x.n = x.frame->rows;
	x.groups = c->groups;
	x.thing = c->thing;
	x.second = c->second;
	x.grain = c->grain;
	x.values = analysis_measure(&x, 0, &x.label);
	x.unit = arena_strdup(a, x.table->columns[x.groups].unit);
	put_things_first(&x);
	*out = x;
	domain_add_text(r, a, "measure", "Measure", x.label);
	return x.values != NULL;
}

size_t analysis_measures(const struct analysis *x)
{
	return x->frame->column_count - x->groups;
}

bool analysis_is_sampled(struct analysis *x)
{
	if (!x->frame->sampled)
		return false;
	analysis_note(x, "There are too many values to examine all of them, so their total and the "
			 "largest one are not known.");
	return true;
}

bool analysis_require_all(struct analysis *x)
{
	if (!analysis_is_sampled(x))
		return true;
	analysis_set_enough(x, false);
	return false;
}

const double *analysis_measure(struct analysis *x, size_t number, const char **label)
{
	double *values;
	struct err e = {0};

	if (number >= analysis_measures(x))
		return NULL;
	*label = arena_strdup(x->a, x->table->columns[x->groups + number].label);
	if (calc_column(&x->calc, &x->frame->columns[x->groups + number], x->n, &values, &e))
		return values;
	analysis_fail(x, &e);
	return NULL;
}

bool analysis_columns_read(struct analysis *x, struct analysis_columns *m)
{
	size_t count = analysis_measures(x);

	for (; m->count < count && m->count < CALC_FEATURES_MAX; m->count++) {
		m->columns[m->count] = analysis_measure(x, m->count, &m->labels[m->count]);
		m->units[m->count] =
			arena_strdup(x->a, x->table->columns[x->groups + m->count].unit);
		if (!m->columns[m->count])
			return false;
	}
	if (count > CALC_FEATURES_MAX)
		analysis_note(x, "Only the first %d measures were used.", CALC_FEATURES_MAX);
	return true;
}

const char *analysis_name(const struct analysis *x, size_t group, size_t row)
{
	const struct frame_column *c = &x->frame->columns[group];
	const char *name = frame_text(c, row);

	if (c->type != FRAME_TEXT)
		name = analysis_digits(x->a, frame_number(c, row));
	return name && *name ? name : "(none)";
}

const char *analysis_row_label(const struct analysis *x)
{
	return x->thing ? x->thing : x->grain ? x->grain : "row";
}

uint32_t *analysis_ascending(struct analysis *x, const double *values, size_t *n)
{
	uint32_t *rows;
	struct err e = {0};

	if (calc_order(&x->calc, values, x->n, &rows, n, &e))
		return rows;
	analysis_fail(x, &e);
	return NULL;
}

const uint32_t *analysis_descending(struct analysis *x, size_t *n)
{
	uint32_t *rows = analysis_ascending(x, x->values, n);

	for (size_t i = 0; rows && i < *n / 2; i++) {
		uint32_t other = rows[i];

		rows[i] = rows[*n - 1 - i];
		rows[*n - 1 - i] = other;
	}
	return rows;
}

/* Numbers the things, and sets the thing of each row and the names. */
static size_t number_things(const struct analysis *x, size_t group, bool and_next,
			    uint32_t *thing_of, const char **names)
{
	struct dict known;
	size_t count = 0;

	dict_init(&known, x->a);
	for (size_t i = 0; i < x->n; i++) {
		const char *name = analysis_name(x, group, i), *key = name;
		int at;

		if (and_next)
			key = arena_printf(x->a, "%s\n%s", name, analysis_name(x, group + 1, i));
		at = dict_find(&known, key, strlen(key));
		if (at < 0) {
			at = (int)count;
			dict_put(&known, key, strlen(key), at);
			names[count++] = name;
		}
		thing_of[i] = (uint32_t)at;
	}
	return count;
}

void analysis_things_read(const struct analysis *x, size_t group, bool and_next,
			  struct analysis_things *out)
{
	uint32_t *thing_of = arena_alloc(x->a, (x->n + 1) * sizeof(*thing_of));
	uint32_t *rows = arena_alloc(x->a, (x->n + 1) * sizeof(*rows));
	const char **names = arena_alloc(x->a, (x->n + 1) * sizeof(*names));
	size_t count = number_things(x, group, and_next, thing_of, names), *fill;
	size_t *starts = arena_alloc(x->a, (count + 2) * sizeof(*starts));

	memset(starts, 0, (count + 2) * sizeof(*starts));
	for (size_t i = 0; i < x->n; i++)
		starts[thing_of[i] + 1]++;
	for (size_t i = 0; i < count; i++)
		starts[i + 1] += starts[i];
	fill = arena_alloc(x->a, (count + 1) * sizeof(*fill));
	memcpy(fill, starts, (count + 1) * sizeof(*fill));
	for (size_t i = 0; i < x->n; i++)
		rows[fill[thing_of[i]]++] = (uint32_t)i;
	*out = (struct analysis_things){count, names, rows, starts};
}

/* ---- facts ---- */

void analysis_note(struct analysis *x, const char *fmt, ...)
{
	const struct fact *before = result_fact(x->r, "note");
	const char *text;
	va_list args;

	va_start(args, fmt);
	text = arena_vprintf(x->a, fmt, args);
	va_end(args);
	if (before)
		((struct fact *)before)->value = arena_printf(x->a, "%s %s", before->value, text);
	else
		domain_add_text(x->r, x->a, "note", "Note", text);
}

void analysis_set_enough(struct analysis *x, bool enough)
{
	if (!result_fact(x->r, "enough"))
		domain_add_text(x->r, x->a, "enough", "Enough data", enough ? "yes" : "no");
}

void analysis_fail(struct analysis *x, const struct err *e)
{
	analysis_set_enough(x, false);
	analysis_note(x, "Nothing was computed: %s", e->text);
}

size_t analysis_count_arg(const struct result *r, const char *name, size_t default_value)
{
	const struct arg *arg = args_find(&r->args, name);

	return arg ? (size_t)arg->values[0].number : default_value;
}

const char *analysis_digits(struct arena *a, double value)
{
	int decimals = DECIMALS;
	const char *text;

	if (!isfinite(value))
		return NULL;
	if (value != 0 && fabs(value) < 1)
		decimals = FIGURES - 1 - (int)floor(log10(fabs(value)));
	if (decimals > DECIMALS_MAX)
		decimals = DECIMALS_MAX;
	if (value == trunc(value) && fabs(value) < 1e15)
		decimals = 0;
	text = arena_printf(a, "%.*f", decimals, value);
	return *text == '-' && text[strspn(text, "-0.")] == '\0' ? text + 1 : text;
}

void analysis_add(struct analysis *x, const char *name, const char *label, double value,
		  const char *unit)
{
	const char *digits = analysis_digits(x->a, value);

	if (digits)
		result_add_fact(
			x->r, x->a,
			(struct fact){.name = name, .label = label, .value = digits, .unit = unit});
}

void analysis_add_percent(struct analysis *x, const char *name, const char *label, double share)
{
	if (isfinite(share))
		result_add_fact(x->r, x->a,
				(struct fact){.name = name,
					      .label = label,
					      .value = arena_printf(x->a, "%.1f", 100 * share),
					      .unit = "%"});
}

void analysis_add_p(struct analysis *x, double p)
{
	if (isfinite(p))
		domain_add_text(x->r, x->a, "p", "p",
				p < P_MIN ? arena_printf(x->a, "< %.4f", P_MIN)
					  : arena_printf(x->a, "%.4f", p));
}

void analysis_add_against(struct analysis *x, const char *name, const char *label, double value,
			  double other)
{
	if (!(other > 0))
		return;
	analysis_add_percent(x, name, label, fabs(value / other - 1));
	domain_add_text(x->r, x->a, "side", "Side", value < other ? "below" : "above");
}

void analysis_names_begin(struct domain_list *l)
{
	domain_list_init(l);
	l->max = NAMES_MAX;
}

/* ---- rows ---- */

void analysis_rows_begin(struct analysis_rows *w, struct analysis *x)
{
	*w = (struct analysis_rows){.x = x};
}

void analysis_rows_column(struct analysis_rows *w, const char *name, enum column_type type,
			  const char *unit)
{
	w->names[w->columns] = name;
	w->units[w->columns] = unit;
	w->types[w->columns++] = type;
}

void analysis_rows_add(struct analysis_rows *w, const char *const *cells)
{
	if (w->rows == DB_ROWS_MAX) {
		w->left_out++;
		return;
	}
	w->cells = arena_grow(w->x->a, w->cells, w->rows, &w->cap, w->columns * sizeof(*w->cells));
	memcpy(w->cells + w->rows * w->columns, cells, w->columns * sizeof(*cells));
	w->rows++;
}

void analysis_rows_end(struct analysis_rows *w)
{
	struct table *t = w->x->table;

	table_replace(t, w->names, w->types, w->columns, w->cells, w->rows);
	for (size_t i = 0; i < w->columns; i++) {
		t->columns[i].priority = PRIORITY_HIGH;
		t->columns[i].unit = arena_strdup(t->arena, w->units[i]);
	}
	t->total_rows += (int64_t)w->left_out;
	t->truncated = w->left_out > 0;
	if (t->truncated)
		t->truncation = "row cap";
}
