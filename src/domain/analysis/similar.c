/* The things most similar to a given one, by Gower's distance over the measures. */
#include "analysis_int.h"

#include <math.h>
#include <strings.h>

#define THINGS_MIN   10
#define MEASURES_MIN 2 /* measures that are not constant */
#define SHOWN        10

static bool has_spread(const double *values, size_t n)
{
	double first = NAN;

	for (size_t i = 0; i < n; i++)
		if (isnan(first))
			first = values[i];
		else if (!isnan(values[i]) && values[i] != first)
			return true;
	return false;
}

/* Reads the measures that are not constant. */
static size_t read_features(const struct analysis *x, const struct analysis_columns *m,
			    struct calc_feature *out)
{
	size_t n = 0;

	for (size_t f = 0; f < m->count; f++)
		if (has_spread(m->columns[f], x->n))
			out[n++] = (struct calc_feature){m->columns[f], false};
	return n;
}

static size_t row_of(const struct analysis *x, const char *name)
{
	size_t i = 0;

	while (i < x->n && strcasecmp(analysis_name(x, 0, i), name) != 0)
		i++;
	return i;
}

static void add_row(struct analysis_rows *w, const struct analysis_columns *m, size_t row,
		    double distance)
{
	const char *cells[2 + CALC_FEATURES_MAX] = {analysis_name(w->x, 0, row),
						    arena_printf(w->x->a, "%.4f", distance)};

	for (size_t f = 0; f < m->count; f++)
		cells[2 + f] = analysis_digits(w->x->a, m->columns[f][row]);
	analysis_rows_add(w, cells);
}

static void show(struct analysis *x, const struct analysis_columns *m, size_t from,
		 const double *distances, const uint32_t *order, size_t n)
{
	struct analysis_rows w;

	analysis_rows_begin(&w, x);
	analysis_rows_column(&w, analysis_row_label(x), COLUMN_TEXT, NULL);
	analysis_rows_column(&w, "Distance", COLUMN_DECIMAL, NULL);
	for (size_t f = 0; f < m->count; f++)
		analysis_rows_column(&w, m->labels[f], COLUMN_DECIMAL, m->units[f]);
	add_row(&w, m, from, 0);
	for (size_t i = 0; i < n && i < SHOWN; i++)
		add_row(&w, m, order[i], distances[order[i]]);
	analysis_rows_end(&w);
}

static const char *figure(const struct analysis *x, double value)
{
	const char *digits = analysis_digits(x->a, value);

	return digits ? digits : "nothing";
}

static void report(struct analysis *x, const struct analysis_columns *m, size_t from,
		   const double *distances, const uint32_t *order, size_t n)
{
	struct domain_list reasons;

	domain_add_text(x->r, x->a, "name", "Examined", analysis_name(x, 0, from));
	domain_add_text(x->r, x->a, "nearest", "Nearest", analysis_name(x, 0, order[0]));
	domain_add_text(x->r, x->a, "distance", "Distance, 0 to 1",
			arena_printf(x->a, "%.4f", distances[order[0]]));
	domain_list_init(&reasons);
	for (size_t f = 0; f < m->count; f++)
		domain_list_add(&reasons, "%s %s compared with %s", m->labels[f],
				figure(x, m->columns[f][order[0]]), figure(x, m->columns[f][from]));
	domain_add_text(x->r, x->a, "reasons", "Measures of both", domain_list_end(&reasons, x->a));
	show(x, m, from, distances, order, n);
}

static void find_near(struct analysis *x, const struct analysis_columns *m,
		      const struct calc_feature *features, size_t count, size_t from)
{
	const uint32_t *order;
	double *distances;
	struct err e = {0};
	size_t n;

	if (!calc_gower(&x->calc, features, count, x->n, from, &distances, &e)) {
		analysis_fail(x, &e);
		return;
	}
	distances[from] = NAN;
	order = analysis_ascending(x, distances, &n);
	if (!order)
		return;
	domain_add_count(x->r, x->a, "n", "Others to compare with", n);
	analysis_set_enough(x, n + 1 >= THINGS_MIN);
	if (n + 1 < THINGS_MIN)
		analysis_note(x, "At least %d are needed to tell which are similar; there are %zu.",
			      THINGS_MIN, n + 1);
	else
		report(x, m, from, distances, order, n);
}

void analysis_similar_to_entity(struct result *r, const struct derive_def *of, struct arena *a)
{
	const struct arg *name = args_find(&r->args, "name");
	struct calc_feature features[CALC_FEATURES_MAX];
	struct analysis_columns m = {0};
	struct analysis x;
	size_t count, from;

	(void)of;
	if (!analysis_begin(r, a, &x) || !analysis_require_all(&x) ||
	    !analysis_columns_read(&x, &m))
		return;
	domain_add_text(r, a, "one", "One value per", analysis_row_label(&x));
	domain_add_text(r, a, "method", "Method", "Gower's distance over the measures");
	count = read_features(&x, &m, features);
	from = name ? row_of(&x, name->values[0].text) : x.n;
	if (!name || from == x.n || count < MEASURES_MIN)
		analysis_set_enough(&x, false);
	if (!name)
		analysis_note(&x, "Name the one to compare the others with.");
	else if (from == x.n)
		analysis_note(&x, "%s has no value for %s.", name->values[0].text, x.label);
	else if (count < MEASURES_MIN)
		analysis_note(&x,
			      "At least %d measures whose values vary are needed; there %s %zu.",
			      MEASURES_MIN, count == 1 ? "is" : "are", count);
	else
		find_near(&x, &m, features, count, from);
}
