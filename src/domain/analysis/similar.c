/* The things that are most like one of them, by Gower's distance over what was measured. */
#include "analysis_int.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

#define THINGS_LEAST   10
#define MEASURES_LEAST 2 /* with a spread */
#define SHOWN          10

struct near {
	size_t row;
	double distance;
};

/* The nearest first; equal ones in the order of the rows. */
static int by_distance(const void *a, const void *b)
{
	const struct near *x = a, *y = b;

	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	return x->row < y->row ? -1 : 1;
}

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

/* Those with a spread: others say nothing. */
static size_t read_features(const struct analysis *x, const struct analysis_columns *m,
			    struct calc_feature *out)
{
	size_t n = 0;

	for (size_t f = 0; f < m->count; f++)
		if (has_spread(m->columns[f], x->n))
			out[n++] = (struct calc_feature){m->columns[f], false};
	return n;
}

static size_t place_of(const struct analysis *x, const char *name)
{
	size_t i = 0;

	while (i < x->n && strcasecmp(analysis_name(x, 0, i), name) != 0)
		i++;
	return i;
}

static size_t sort_near(const struct analysis *x, const double *distances, size_t from,
			struct near **out)
{
	struct near *all = arena_alloc(x->a, (x->n + 1) * sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < x->n; i++)
		if (i != from && !isnan(distances[i]))
			all[n++] = (struct near){i, distances[i]};
	qsort(all, n, sizeof(*all), by_distance);
	*out = all;
	return n;
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
		 const struct near *near, size_t n)
{
	struct analysis_rows w;

	analysis_rows_begin(&w, x);
	analysis_rows_column(&w, analysis_one_of(x), COLUMN_TEXT, NULL);
	analysis_rows_column(&w, "Distance", COLUMN_DECIMAL, NULL);
	for (size_t f = 0; f < m->count; f++)
		analysis_rows_column(&w, m->labels[f], COLUMN_DECIMAL, m->units[f]);
	add_row(&w, m, from, 0);
	for (size_t i = 0; i < n && i < SHOWN; i++)
		add_row(&w, m, near[i].row, near[i].distance);
	analysis_rows_end(&w);
}

static const char *figure(const struct analysis *x, double value)
{
	const char *digits = analysis_digits(x->a, value);

	return digits ? digits : "nothing";
}

static void say(struct analysis *x, const struct analysis_columns *m, size_t from,
		const struct near *near, size_t n)
{
	struct domain_list reasons;

	domain_add_text(x->r, x->a, "name", "Looked at", analysis_name(x, 0, from));
	domain_add_text(x->r, x->a, "nearest", "Nearest", analysis_name(x, 0, near[0].row));
	domain_add_text(x->r, x->a, "distance", "Distance, 0 to 1",
			arena_printf(x->a, "%.4f", near[0].distance));
	domain_list_init(&reasons);
	for (size_t f = 0; f < m->count; f++)
		domain_list_add(&reasons, "%s %s beside %s", m->labels[f],
				figure(x, m->columns[f][near[0].row]),
				figure(x, m->columns[f][from]));
	domain_add_text(x->r, x->a, "reasons", "What both have", domain_list_end(&reasons, x->a));
	show(x, m, from, near, n);
}

static void find_near(struct analysis *x, const struct analysis_columns *m,
		      const struct calc_feature *features, size_t count, size_t from)
{
	double *distances;
	struct near *near;
	struct err e = {0};
	size_t n;

	if (!calc_gower(&x->calc, features, count, x->n, from, &distances, &e)) {
		analysis_fail(x, &e);
		return;
	}
	n = sort_near(x, distances, from, &near);
	domain_add_count(x->r, x->a, "n", "Things that can be compared", n);
	analysis_enough(x, n + 1 >= THINGS_LEAST);
	if (n + 1 < THINGS_LEAST)
		analysis_note(x, "%d or more are needed to say which are alike; there are %zu.",
			      THINGS_LEAST, n + 1);
	else
		say(x, m, from, near, n);
}

void analysis_similar_to_entity(struct result *r, const struct derive_def *of, struct arena *a)
{
	const struct arg *name = args_find(&r->args, "name");
	struct calc_feature features[CALC_FEATURES_MAX];
	struct analysis_columns m = {0};
	struct analysis x;
	size_t count, from;

	(void)of;
	if (!analysis_begin(r, a, &x) || !analysis_columns_read(&x, &m))
		return;
	domain_add_text(r, a, "one", "One value is of", analysis_one_of(&x));
	domain_add_text(r, a, "method", "Method", "Gower's distance over the measures");
	count = read_features(&x, &m, features);
	from = name ? place_of(&x, name->values[0].text) : x.n;
	if (!name || from == x.n || count < MEASURES_LEAST)
		analysis_enough(&x, false);
	if (!name)
		analysis_note(&x, "It takes the name of the one that others are compared with.");
	else if (from == x.n)
		analysis_note(&x, "%s has no value of %s here.", name->values[0].text, x.label);
	else if (count < MEASURES_LEAST)
		analysis_note(&x,
			      "It takes %d measures that are not the same everywhere; there %s "
			      "%zu.",
			      MEASURES_LEAST, count == 1 ? "is" : "are", count);
	else
		find_near(&x, &m, features, count, from);
}
