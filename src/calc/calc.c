/* Shared by all kernels: columns, checks, sums. */
#include "calc_int.h"

#include <math.h>

const char *calc_status_name(enum calc_status s)
{
	static const char *const names[] = {"ok", "too_few", "constant", "gaps", "zero"};

	return names[s];
}

bool calc_column(const struct calc *c, const struct frame_column *column, size_t rows, double **out,
		 struct err *e)
{
	if (column->type == FRAME_TEXT)
		return err_set(e, ERR_INPUT, "The column \"%s\" contains text, not numbers.",
			       column->name);
	double *values = calc_doubles(c, rows);
	size_t work = 0;
	for (size_t i = 0; i < rows; i++) {
		if (calc_is_cancelled_after(c, &work, 1, e))
			return false;
		values[i] = frame_number(column, i);
	}
	*out = values;
	return true;
}

bool calc_check(const struct calc *c, const double *values, size_t n, size_t max, struct err *e)
{
	if (n > max)
		return err_set(e, ERR_LIMIT, "%zu values are too many; at most %zu are allowed.", n,
			       max);
	for (size_t i = 0; i < n; i++)
		if (fabs(values[i]) > CALC_VALUE_MAX)
			return err_set(e, ERR_INPUT,
				       "The value in row %zu, %g, exceeds the limit of %g.", i + 1,
				       values[i], CALC_VALUE_MAX);
	return !calc_is_cancelled(c, e);
}

size_t calc_present(const double *values, size_t n, double *out)
{
	size_t present = 0;

	for (size_t i = 0; i < n; i++)
		if (!calc_is_null(values[i]))
			out[present++] = values[i];
	return present;
}

bool calc_check_and_copy(const struct calc *c, const double *values, size_t n, size_t max,
			 double **out, size_t *present, struct err *e)
{
	if (!calc_check(c, values, n, max, e))
		return false;
	*out = calc_doubles(c, n);
	*present = calc_present(values, n, *out);
	return true;
}

void calc_sum_add(struct calc_sum *s, double value)
{
	double sum = s->sum + value;

	/* The part of the smaller summand that was rounded away. */
	if (fabs(s->sum) >= fabs(value))
		s->lost += (s->sum - sum) + value;
	else
		s->lost += (value - sum) + s->sum;
	s->sum = sum;
}

double calc_sum_total(const struct calc_sum *s)
{
	return s->sum + s->lost;
}

double calc_mean(const double *values, size_t n)
{
	struct calc_sum s = {0};

	for (size_t i = 0; i < n; i++)
		calc_sum_add(&s, values[i]);
	return calc_sum_total(&s) / (double)n;
}
