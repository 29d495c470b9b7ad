/* Elasticity: the change of one series in percent per percent of another. */
#include "calc_int.h"

#include <math.h>

#include "vesper/calc_groups.h"
#include "vesper/calc_summary.h"

#define SIGNIFICANT_P 0.001

/* Logarithms; NAN for values that are not above zero. */
static double *logs(const struct calc *c, const double *values, size_t n)
{
	double *out = calc_doubles(c, n);

	for (size_t i = 0; i < n; i++)
		out[i] = values[i] > 0 ? log(values[i]) : NAN;
	return out;
}

/* Standard deviation over mean, of the rows where both are above zero. */
static bool variation(const struct calc *c, const double *driver, const double *response, size_t n,
		      double *out, struct err *e)
{
	double *valid = calc_doubles(c, n);
	struct calc_moments m;

	for (size_t i = 0; i < n; i++)
		valid[i] = driver[i] > 0 && response[i] > 0 ? driver[i] : NAN;
	if (!calc_moments(c, valid, n, &m, e))
		return false;
	*out = m.sd / m.mean;
	return true;
}

bool calc_elasticity(const struct calc *c, const double *driver, const double *response, size_t n,
		     struct calc_elasticity *out, struct err *e)
{
	struct calc_elasticity o = {
		.elasticity = NAN, .low = NAN, .high = NAN, .p = NAN, .variation = NAN};
	struct calc_line line;

	if (!calc_check(c, driver, n, CALC_VALUES_MAX, e) ||
	    !calc_check(c, response, n, CALC_VALUES_MAX, e) ||
	    !calc_line(c, logs(c, driver, n), logs(c, response, n), n, &line, e) ||
	    !variation(c, driver, response, n, &o.variation, e))
		return false;
	o.n = line.n;
	if (o.n < CALC_ELASTICITY_MIN)
		o.status = CALC_TOO_FEW;
	else if (line.status != CALC_OK || o.variation < CALC_ELASTICITY_VARIATION)
		o.status = CALC_CONSTANT;
	if (o.status == CALC_OK) {
		o.elasticity = line.slope;
		o.low = line.low;
		o.high = line.high;
		o.p = line.p;
		o.is_usable = line.p < SIGNIFICANT_P;
	}
	*out = o;
	return true;
}
