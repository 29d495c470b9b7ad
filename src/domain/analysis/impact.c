/*
 * Effects of a change: the elasticity of one measure to another in past data, and scenarios
 * computed from it. Without it, scenarios use several assumed elasticities side by side.
 */
#include "analysis_int.h"

#include <math.h>
#include <stdlib.h>

#define CHANGE_DEFAULT   10 /* percent */
#define ASSOCIATION      "An association in past data is not proof of an effect."
#define OTHERS_UNCHANGED "Everything else is assumed to stay the same."

static const double assumed_elasticities[] = {-0.5, -1, -1.5};
static const double default_changes[] = {-20, -10, -5, 5, 10, 20};

/* The response is the first measure, the driver the second. */
struct impact {
	struct analysis_series response, driver;
	const char *driver_label, *driver_unit;
	struct calc_elasticity e;
};

/* Reads the series of the second measure, aligned with the first. */
static bool read_driver(struct analysis *x, struct impact *m)
{
	struct analysis second = *x;

	second.values = analysis_measure(x, 1, &m->driver_label);
	if (!second.values)
		return false;
	m->driver_unit = arena_strdup(x->a, x->table->columns[x->groups + 1].unit);
	return analysis_series_read(&second, NULL, x->n, &m->driver);
}

static bool read_impact(struct analysis *x, struct impact *m)
{
	struct err e = {0};

	if (!analysis_series_begin(x, NULL, x->n, &m->response) ||
	    (analysis_measures(x) > 1 && !read_driver(x, m)))
		return false;
	domain_add_text(x->r, x->a, "driver", "What changes",
			m->driver_label ? m->driver_label : x->label);
	if (!m->driver_label)
		return true;
	if (!calc_elasticity(&x->calc, m->driver.values, m->response.values, m->response.n, &m->e,
			     &e)) {
		analysis_fail(x, &e);
		return false;
	}
	return true;
}

/* Adds a note on why no elasticity can be used. */
static void note_unusable(struct analysis *x, const struct impact *m)
{
	if (m->e.status == CALC_TOO_FEW)
		analysis_note(x,
			      "At least %d %ss with both above zero are needed for an elasticity; "
			      "there are %zu.",
			      CALC_ELASTICITY_MIN, x->grain, m->e.n);
	else if (m->e.status == CALC_CONSTANT)
		analysis_note(x,
			      "%s varied too little for an elasticity: by %.1f %%, and %.0f %% are "
			      "needed.",
			      m->driver_label, 100 * m->e.variation,
			      100 * CALC_ELASTICITY_VARIATION);
	else
		analysis_note(x,
			      "The relation of %s to %s cannot be distinguished from chance, so no "
			      "elasticity is given.",
			      x->label, m->driver_label);
}

static void add_elasticity(struct analysis *x, const struct calc_elasticity *e)
{
	analysis_add(x, "elasticity", "Elasticity", e->elasticity, NULL);
	analysis_add(x, "low", "Lower end, 95 %", e->low, NULL);
	analysis_add(x, "high", "Upper end, 95 %", e->high, NULL);
	analysis_add_p(x, e->p);
}

/* ---- elasticity ---- */

static void show_series(struct analysis *x, const struct impact *m)
{
	struct analysis_rows w;

	analysis_rows_begin(&w, x);
	analysis_rows_column(&w, x->grain, analysis_period_type(x), NULL);
	analysis_rows_column(&w, x->label, COLUMN_DECIMAL, x->unit);
	analysis_rows_column(&w, m->driver_label, COLUMN_DECIMAL, m->driver_unit);
	for (size_t i = 0; i < m->response.n; i++)
		analysis_rows_add(&w,
				  (const char *const[]){
					  analysis_period_cell(x, m->response.first + (int64_t)i),
					  analysis_digits(x->a, m->response.values[i]),
					  analysis_digits(x->a, m->driver.values[i])});
	analysis_rows_end(&w);
}

void analysis_elasticity(struct result *r, const struct derive_def *of, struct arena *a)
{
	struct impact m = {0};
	struct analysis x;

	(void)of;
	if (!analysis_begin(r, a, &x))
		return;
	if (analysis_measures(&x) < 2) {
		analysis_set_enough(&x, false);
		analysis_note(&x,
			      "Two measures are needed: one that responds, and one that changes.");
		return;
	}
	if (!read_impact(&x, &m))
		return;
	analysis_set_enough(&x, m.e.is_usable);
	if (m.e.is_usable) {
		add_elasticity(&x, &m.e);
		domain_add_text(r, a, "method", "Method",
				"least squares of logarithms, Newey-West errors");
		analysis_note(&x, ASSOCIATION);
	} else {
		note_unusable(&x, &m);
	}
	show_series(&x, &m);
}

/* ---- what if ---- */

struct scenarios {
	struct analysis_rows rows;
	double base;
	bool by_elasticity; /* the elasticity is a column */
};

static const char *with_sign(struct arena *a, double percent)
{
	const char *digits = analysis_digits(a, percent);

	return digits ? arena_printf(a, "%s%s", percent > 0 ? "+" : "", digits) : NULL;
}

static double apply_change(double base, double change, double elasticity)
{
	double share = elasticity * change / 100;

	return share >= -1 ? base * (1 + share) : (double)NAN; /* the result would be negative */
}

static void add_scenario(struct scenarios *s, double change, double elasticity)
{
	struct arena *a = s->rows.x->a;
	double after = apply_change(s->base, change, elasticity);
	const char *cells[6];
	size_t n = 0;

	cells[n++] = with_sign(a, change);
	if (s->by_elasticity)
		cells[n++] = analysis_digits(a, elasticity);
	cells[n++] = analysis_digits(a, s->base);
	cells[n++] = analysis_digits(a, after);
	cells[n++] = analysis_digits(a, after - s->base);
	cells[n++] = with_sign(a, 100 * (after / s->base - 1));
	analysis_rows_add(&s->rows, cells);
}

static void begin_scenarios(struct scenarios *s, struct analysis *x, const struct impact *m)
{
	analysis_rows_begin(&s->rows, x);
	analysis_rows_column(
		&s->rows,
		arena_printf(x->a, "Change of %s", m->driver_label ? m->driver_label : x->label),
		COLUMN_DECIMAL, "%");
	s->by_elasticity = m->driver_label != NULL;
	if (s->by_elasticity)
		analysis_rows_column(&s->rows, "Elasticity", COLUMN_DECIMAL, NULL);
	analysis_rows_column(&s->rows, x->label, COLUMN_DECIMAL, x->unit);
	analysis_rows_column(&s->rows, "Then", COLUMN_DECIMAL, x->unit);
	analysis_rows_column(&s->rows, "Difference", COLUMN_DECIMAL, x->unit);
	analysis_rows_column(&s->rows, "Difference in percent", COLUMN_DECIMAL, "%");
}

/* Adds the requested change, then the default steps. */
static void show_steps(struct scenarios *s, double change, double elasticity)
{
	add_scenario(s, change, elasticity);
	for (size_t i = 0; i < sizeof(default_changes) / sizeof(*default_changes); i++)
		if (default_changes[i] != change)
			add_scenario(s, default_changes[i], elasticity);
}

static void report_scenario(struct analysis *x, double base, double change, double elasticity)
{
	double after = apply_change(base, change, elasticity);

	analysis_add(x, "then", "Then", after, x->unit);
	analysis_add(x, "difference", "Difference", after - base, x->unit);
	if (isfinite(after))
		result_add_fact(x->r, x->a,
				(struct fact){.name = "difference_pct",
					      .label = "Difference in percent",
					      .value = with_sign(x->a, 100 * (after / base - 1)),
					      .unit = "%"});
}

/* Uses the given or computed elasticity, or else three assumed ones. */
static void compute_scenarios(struct analysis *x, const struct impact *m, double base,
			      double change)
{
	const struct arg *given = args_find(&x->r->args, "elasticity");
	struct scenarios s = {.base = base};
	bool has_elasticity = !m->driver_label || given || m->e.is_usable;
	double elasticity = !m->driver_label ? 1
			    : given          ? strtod(given->values[0].text, NULL)
					     : m->e.elasticity;

	begin_scenarios(&s, x, m);
	analysis_set_enough(x, has_elasticity);
	if (has_elasticity) {
		show_steps(&s, change, elasticity);
		report_scenario(x, base, change, elasticity);
		domain_add_text(x->r, x->a, "method", "Method",
				!m->driver_label ? "in proportion"
				: given          ? "by the given elasticity"
						 : "by the elasticity in past data");
		if (m->driver_label && !given)
			add_elasticity(x, &m->e);
		analysis_note(x, m->driver_label && !given ? ASSOCIATION : OTHERS_UNCHANGED);
	} else {
		note_unusable(x, m);
		for (size_t i = 0; i < sizeof(assumed_elasticities) / sizeof(*assumed_elasticities);
		     i++)
			add_scenario(&s, change, assumed_elasticities[i]);
		analysis_note(x, "The rows show what three assumed elasticities would give.");
	}
	analysis_rows_end(&s.rows);
}

/* Reads the measures and the total that a change applies to. False: there is none; a note gives the
 * reason. */
static bool read_base(struct analysis *x, struct impact *m, double *base)
{
	struct calc_sum sum = {0};

	if (!read_impact(x, m))
		return false;
	for (size_t i = 0; i < m->response.n; i++)
		calc_sum_add(&sum, isnan(m->response.values[i]) ? 0 : m->response.values[i]);
	*base = calc_sum_total(&sum);
	analysis_add(x, "base", "Now", *base, x->unit);
	if (x->r->context->is_additive && *base > 0)
		return true;
	analysis_set_enough(x, false);
	analysis_note(x,
		      x->r->context->is_additive
			      ? "%s has no total above zero to apply a change to."
			      : "%s is not additive. Name the measure that its change acts on.",
		      x->label);
	return false;
}

void analysis_what_if(struct result *r, const struct derive_def *of, struct arena *a)
{
	const struct arg *given = args_find(&r->args, "change_pct");
	double change = given ? strtod(given->values[0].text, NULL) : CHANGE_DEFAULT;
	struct impact m = {0};
	struct analysis x;
	double base;

	(void)of;
	if (!analysis_begin(r, a, &x) || !read_base(&x, &m, &base))
		return;
	result_add_fact(r, a,
			(struct fact){.name = "change",
				      .label = "Change",
				      .value = with_sign(a, change),
				      .unit = "%"});
	compute_scenarios(&x, &m, base, change);
}

/* ---- several changes side by side ---- */

/* The effect of one percent of the driver. NAN: past data does not show it; a note gives the
 * reason. */
static double elasticity_of(struct analysis *x, const struct impact *m)
{
	const struct arg *given = args_find(&x->r->args, "elasticity");

	if (!m->driver_label)
		return 1;
	if (given)
		return strtod(given->values[0].text, NULL);
	if (m->e.is_usable)
		return m->e.elasticity;
	note_unusable(x, m);
	return NAN;
}

static void add_changed(struct analysis *x, const char *name, const char *label, double base,
			double change, double elasticity)
{
	analysis_add(x, name, label, apply_change(base, change, elasticity), x->unit);
}

/* Without an elasticity, each change is shown with the assumed ones, and nothing is claimed. */
static void show_changes(struct analysis *x, const struct impact *m, double base,
			 const double *changes, size_t count, double elasticity)
{
	struct scenarios s = {.base = base};

	begin_scenarios(&s, x, m);
	for (size_t i = 0; i < count; i++) {
		if (!isnan(elasticity))
			add_scenario(&s, changes[i], elasticity);
		for (size_t k = 0; isnan(elasticity) &&
				   k < sizeof(assumed_elasticities) / sizeof(*assumed_elasticities);
		     k++)
			add_scenario(&s, changes[i], assumed_elasticities[k]);
	}
	analysis_rows_end(&s.rows);
}

static const char *basis_of(const struct impact *m, const struct analysis *x)
{
	if (!m->driver_label)
		return "in proportion";
	return args_find(&x->r->args, "elasticity") ? "by the given elasticity"
						    : "by the elasticity in past data";
}

void analysis_sensitivity(struct result *r, const struct derive_def *of, struct arena *a)
{
	static const struct {
		const char *name, *label;
		double change;
	} facts[] = {{"minus20", "With 20 % less", -20}, {"minus10", "With 10 % less", -10},
		     {"minus5", "With 5 % less", -5},    {"plus5", "With 5 % more", 5},
		     {"plus10", "With 10 % more", 10},   {"plus20", "With 20 % more", 20}};
	struct impact m = {0};
	struct analysis x;
	double base, elasticity;

	(void)of;
	if (!analysis_begin(r, a, &x) || !read_base(&x, &m, &base))
		return;
	elasticity = elasticity_of(&x, &m);
	analysis_set_enough(&x, !isnan(elasticity));
	if (isnan(elasticity)) {
		analysis_note(&x, "The rows show what three assumed elasticities would give.");
	} else {
		for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
			add_changed(&x, facts[i].name, facts[i].label, base, facts[i].change,
				    elasticity);
		domain_add_text(r, a, "method", "Method", basis_of(&m, &x));
		analysis_note(&x, m.driver_label ? ASSOCIATION : OTHERS_UNCHANGED);
	}
	show_changes(&x, &m, base, default_changes,
		     sizeof(default_changes) / sizeof(*default_changes), elasticity);
}

#define SCENARIOS_MIN 2
#define SCENARIOS_MAX 6

/* The changes given one by one; otherwise minus, zero and plus the single change. */
static size_t read_scenarios(const struct result *r, double *changes)
{
	const struct arg *given = args_find(&r->args, "changes");
	const struct arg *one = args_find(&r->args, "change_pct");
	double change = one ? fabs(strtod(one->values[0].text, NULL)) : CHANGE_DEFAULT;
	size_t n = given ? given->count : 3;

	for (size_t i = 0; given && i < n; i++)
		changes[i] = strtod(given->values[i].text, NULL);
	if (!given) {
		changes[0] = -change;
		changes[1] = 0;
		changes[2] = change;
	}
	return n;
}

void analysis_scenarios(struct result *r, const struct derive_def *of, struct arena *a)
{
	double changes[SCENARIOS_MAX], base, elasticity, low = INFINITY, high = -INFINITY;
	size_t n = read_scenarios(r, changes);
	struct impact m = {0};
	struct analysis x;

	(void)of;
	if (!analysis_begin(r, a, &x) || !read_base(&x, &m, &base))
		return;
	elasticity = elasticity_of(&x, &m);
	domain_add_count(r, a, "scenarios", "Scenarios", n);
	analysis_set_enough(&x, !isnan(elasticity) && n >= SCENARIOS_MIN);
	if (n < SCENARIOS_MIN)
		analysis_note(&x, "At least %d scenarios are needed; there is %zu.", SCENARIOS_MIN,
			      n);
	else if (isnan(elasticity))
		analysis_note(&x, "The rows show what three assumed elasticities would give.");
	for (size_t i = 0; i < n && !isnan(elasticity) && n >= SCENARIOS_MIN; i++) {
		low = fmin(low, apply_change(base, changes[i], elasticity));
		high = fmax(high, apply_change(base, changes[i], elasticity));
	}
	if (isfinite(low)) {
		analysis_add(&x, "low", "The lowest", low, x.unit);
		analysis_add(&x, "high", "The highest", high, x.unit);
		analysis_add(&x, "spread", "Highest minus lowest", high - low, x.unit);
		domain_add_text(r, a, "method", "Method", basis_of(&m, &x));
		analysis_note(&x, m.driver_label ? ASSOCIATION : OTHERS_UNCHANGED);
	}
	show_changes(&x, &m, base, changes, n, elasticity);
}
