/* Simple forecasts, chosen and bounded by their errors in backtests. */
#include <assert.h>
#include <math.h>

#include "calc_int.h"
#include "vesper/calc_series.h"

#define ALPHA_STEPS 19
#define ALPHA_STEP  0.05

/* Shared by all origins. */
struct backtest {
	const double *values;
	size_t n;
	const struct calc_forecast_options *o;
	size_t origins;
	double *step_errors[CALC_METHODS];  /* `horizon` lists of CALC_ORIGINS_MAX; NAN: unknown */
	double *total_errors[CALC_METHODS]; /* by origin */
	size_t work;
};

static double last_of(const double *values, size_t n)
{
	while (n > 0)
		if (!calc_is_null(values[--n]))
			return values[n];
	return NAN;
}

/* The mean of the last `width` periods; if all are NULL, the last value before them. */
static double mean_of(const double *values, size_t n, size_t width)
{
	struct calc_sum sum = {0};
	size_t count = 0;

	for (size_t i = n > width ? n - width : 0; i < n; i++) {
		if (calc_is_null(values[i]))
			continue;
		calc_sum_add(&sum, values[i]);
		count++;
	}
	return count ? calc_sum_total(&sum) / (double)count : last_of(values, n);
}

/* The value at the same position of the last season that has one. */
static double seasonal_of(const double *values, size_t n, size_t season, size_t ahead)
{
	for (size_t back = season - ahead % season; back <= n; back += season)
		if (!calc_is_null(values[n - back]))
			return values[n - back];
	return last_of(values, n);
}

/* The level after all values; *errors: the sum of squared errors. */
static double smoothed(const double *values, size_t n, double alpha, double *errors)
{
	double level = NAN, sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (calc_is_null(values[i]))
			continue;
		double error = calc_is_null(level) ? 0 : values[i] - level;
		sum += error * error;
		level = calc_is_null(level) ? values[i] : level + alpha * error;
	}
	*errors = sum;
	return level;
}

static double smooth_of(const double *values, size_t n, double *alpha)
{
	double best = INFINITY, level = NAN;

	for (int i = 1; i <= ALPHA_STEPS; i++) {
		double errors, at = smoothed(values, n, i * ALPHA_STEP, &errors);
		if (errors >= best)
			continue;
		best = errors;
		level = at;
		*alpha = i * ALPHA_STEP;
	}
	return level;
}

/* Predicts the `horizon` values after the first n by one method. */
static void predict(const struct backtest *b, enum calc_method method, size_t n, double *alpha,
		    double *out)
{
	const double *values = b->values;
	double level = method == CALC_LAST     ? last_of(values, n)
		       : method == CALC_MEAN   ? mean_of(values, n, b->o->season)
		       : method == CALC_SMOOTH ? smooth_of(values, n, alpha)
					       : NAN;

	for (size_t h = 0; h < b->o->horizon; h++)
		out[h] = method == CALC_SEASONAL ? seasonal_of(values, n, b->o->season, h) : level;
}

static double scale_at(const struct backtest *b, size_t row)
{
	return b->o->scale ? b->o->scale[row] : 1;
}

static void try_origin(struct backtest *b, enum calc_method method, size_t origin, size_t at,
		       double *predicted)
{
	struct calc_sum total = {0};
	double alpha;
	bool any = false;

	predict(b, method, at, &alpha, predicted);
	for (size_t h = 0; h < b->o->horizon; h++) {
		double error = b->values[at + h] - predicted[h];
		b->step_errors[method][h * CALC_ORIGINS_MAX + origin] = error;
		if (calc_is_null(error))
			continue;
		any = true;
		calc_sum_add(&total, error * scale_at(b, at + h));
	}
	b->total_errors[method][origin] = any ? calc_sum_total(&total) : NAN;
}

/* Computes the errors of all methods at the last origins with enough periods before and the whole
 * horizon after. */
static bool try_all(const struct calc *c, struct backtest *b, double *predicted, struct err *e)
{
	size_t possible = b->n - b->o->before - b->o->horizon + 1;

	b->origins = possible < CALC_ORIGINS_MAX ? possible : CALC_ORIGINS_MAX;
	for (int m = 0; m < CALC_METHODS; m++) {
		b->step_errors[m] = calc_doubles(c, b->o->horizon * CALC_ORIGINS_MAX);
		b->total_errors[m] = calc_doubles(c, CALC_ORIGINS_MAX);
	}
	for (size_t i = 0; i < b->origins; i++)
		for (int m = 0; m < CALC_METHODS; m++) {
			size_t at = b->n - b->o->horizon + 1 - b->origins + i;
			try_origin(b, (enum calc_method)m, i, at, predicted);
			if (calc_is_cancelled_after(c, &b->work,
						    m == CALC_SMOOTH ? ALPHA_STEPS * at : at, e))
				return false;
		}
	return true;
}

static double mean_absolute(const double *errors, size_t n)
{
	struct calc_sum sum = {0};
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		if (calc_is_null(errors[i]))
			continue;
		calc_sum_add(&sum, fabs(errors[i]));
		count++;
	}
	return count ? calc_sum_total(&sum) / (double)count : NAN;
}

/* The band of sorted residuals, without the one at `skip` (n: none). */
static struct calc_band band_of(const double *sorted, size_t n, size_t skip, double level)
{
	size_t count = skip < n ? n - 1 : n;
	double tail = (1 - level) / 2, m = (double)count + 1;
	/* Rounding must not push a whole number up to the next one. */
	size_t low = (size_t)ceil(m * tail - 1e-9), high = (size_t)ceil(m * (1 - tail) - 1e-9);

	if (count < CALC_BAND_MIN || high > count || low == 0)
		return (struct calc_band){NAN, NAN};
	return (struct calc_band){sorted[low - 1 + (low - 1 >= skip)],
				  sorted[high - 1 + (high - 1 >= skip)]};
}

/* The known residuals, sorted. Totals may exceed the limit for inputs. */
static bool sorted_errors(const struct calc *c, const double *errors, size_t n, double **sorted,
			  size_t *count, struct err *e)
{
	*sorted = calc_doubles(c, n);
	*count = calc_present(errors, n, *sorted);
	return calc_sort(c, *sorted, *count, e);
}

bool calc_conformal(const struct calc *c, const double *residuals, size_t n, double level,
		    struct calc_band *out, struct err *e)
{
	double *sorted;
	size_t count;

	assert(level > 0 && level < 1);
	if (!calc_check(c, residuals, n, CALC_VALUES_MAX, e) ||
	    !sorted_errors(c, residuals, n, &sorted, &count, e))
		return false;
	*out = band_of(sorted, count, count, level);
	return true;
}

static struct calc_band shift_band(double value, struct calc_band b)
{
	return (struct calc_band){value + b.low, value + b.high};
}

static bool compute_bands(const struct calc *c, const struct backtest *b, struct calc_forecast *f,
			  struct calc_band *band80, struct calc_band *band95, struct err *e)
{
	double *sorted, inside = 0;
	size_t n;

	for (size_t h = 0; h < b->o->horizon; h++) {
		const double *errors = b->step_errors[f->method] + h * CALC_ORIGINS_MAX;
		if (!sorted_errors(c, errors, b->origins, &sorted, &n, e))
			return false;
		band80[h] = shift_band(f->values[h], band_of(sorted, n, n, 0.80));
		band95[h] = shift_band(f->values[h], band_of(sorted, n, n, 0.95));
	}
	if (!sorted_errors(c, b->total_errors[f->method], b->origins, &sorted, &n, e))
		return false;
	f->total80 = shift_band(f->total, band_of(sorted, n, n, 0.80));
	f->total95 = shift_band(f->total, band_of(sorted, n, n, 0.95));
	for (size_t i = 0; i < n; i++) {
		struct calc_band others = band_of(sorted, n, i, 0.80);
		inside += sorted[i] >= others.low && sorted[i] <= others.high;
	}
	f->coverage80 = n > CALC_BAND_MIN ? inside / (double)n : NAN;
	return true;
}

static bool choose(const struct calc *c, struct backtest *b, double *predicted,
		   struct calc_forecast *f, struct err *e)
{
	if (!try_all(c, b, predicted, e))
		return false;
	f->origins = b->origins;
	for (int m = 0; m < CALC_METHODS; m++) {
		f->mae[m] = mean_absolute(b->total_errors[m], b->origins);
		if (f->mae[m] < f->mae[f->method])
			f->method = (enum calc_method)m;
	}
	return true;
}

static bool check_options(const struct calc *c, const double *values, size_t n,
			  const struct calc_forecast_options *o, struct err *e)
{
	assert(o->horizon > 0 && o->horizon <= CALC_HORIZON_MAX);
	assert(o->season > 0 && o->season <= CALC_PERIOD_MAX && o->before >= o->season);
	if (!calc_check(c, values, n, CALC_SERIES_MAX, e))
		return false;
	if (!o->scale)
		return true;
	for (size_t i = 0; i < n + o->horizon; i++)
		if (calc_is_null(o->scale[i]))
			return err_set(e, ERR_INPUT, "The scale of period %zu is missing.", i + 1);
	return calc_check(c, o->scale, n + o->horizon, CALC_SERIES_MAX + CALC_HORIZON_MAX, e);
}

bool calc_forecast(const struct calc *c, const double *values, size_t n,
		   const struct calc_forecast_options *options, struct calc_forecast *out,
		   struct err *e)
{
	const struct calc_band none = {NAN, NAN};
	size_t horizon = options->horizon;
	struct calc_forecast f = {.alpha = NAN,
				  .mae = {NAN, NAN, NAN, NAN},
				  .total80 = none,
				  .total95 = none,
				  .coverage80 = NAN};
	struct backtest b = {.values = values, .n = n, .o = options};

	if (!check_options(c, values, n, options, e))
		return false;
	double *predicted = calc_doubles(c, horizon);
	struct calc_band *band80 = arena_alloc(c->arena, horizon * sizeof(*band80));
	struct calc_band *band95 = arena_alloc(c->arena, horizon * sizeof(*band95));
	for (size_t i = 0; i < n; i++)
		f.n += !calc_is_null(values[i]);
	if (f.n == 0 || n < options->before + horizon)
		f.status = CALC_TOO_FEW;
	else if ((n - f.n) * 100 > n * CALC_GAPS_PERCENT)
		f.status = CALC_GAPS;
	else if (!choose(c, &b, predicted, &f, e))
		return false;

	if (f.status == CALC_OK) {
		predict(&b, f.method, n, &f.alpha, predicted);
	} else {
		f.method = CALC_MEAN;
		for (size_t h = 0; h < horizon; h++)
			predicted[h] = f.n ? mean_of(values, n, n) : NAN;
	}
	struct calc_sum total = {0};
	for (size_t h = 0; h < horizon; h++) {
		band80[h] = band95[h] = none;
		calc_sum_add(&total, predicted[h] * scale_at(&b, n + h));
	}
	f.total = calc_sum_total(&total);
	f.values = predicted;
	f.band80 = band80;
	f.band95 = band95;
	if (f.status == CALC_OK && !compute_bands(c, &b, &f, band80, band95, e))
		return false;
	*out = f;
	return true;
}
