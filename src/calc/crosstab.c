/* Counts of pairs: how far each is from what independence expects, and whether that is chance. */
#include <math.h>

#include "calc_int.h"
#include "vesper/calc_groups.h"

struct margins {
	double *rows, *columns, n;
	size_t rows_with, columns_with; /* any */
};

static size_t with_any(const double *sums, size_t n)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += sums[i] > 0;
	return found;
}

static bool read_margins(const struct calc *c, const double *counts, size_t rows, size_t columns,
			 struct margins *m, struct err *e)
{
	struct calc_sum n = {0};

	m->rows = calc_doubles(c, rows);
	m->columns = calc_doubles(c, columns);
	for (size_t i = 0; i < rows; i++)
		m->rows[i] = 0;
	for (size_t i = 0; i < columns; i++)
		m->columns[i] = 0;
	for (size_t i = 0; i < rows * columns; i++) {
		if (!(counts[i] >= 0))
			return err_set(e, ERR_INPUT, "A count of %g is none.", counts[i]);
		m->rows[i / columns] += counts[i];
		m->columns[i % columns] += counts[i];
		calc_sum_add(&n, counts[i]);
	}
	m->n = calc_sum_total(&n);
	m->rows_with = with_any(m->rows, rows);
	m->columns_with = with_any(m->columns, columns);
	return true;
}

bool calc_crosstab(const struct calc *c, const double *counts, size_t rows, size_t columns,
		   struct calc_crosstab *out, struct err *e)
{
	double *lift = calc_doubles(c, rows * columns), least = INFINITY;
	struct calc_sum chi2 = {0};
	struct margins m;

	*out = (struct calc_crosstab){CALC_TOO_FEW, 0, NAN, NAN, NAN, lift};
	if (!calc_check(c, counts, rows * columns, CALC_CROSSTAB_MAX, e) ||
	    !read_margins(c, counts, rows, columns, &m, e))
		return false;
	for (size_t i = 0; i < rows * columns; i++) {
		double expected = m.rows[i / columns] * m.columns[i % columns] / m.n;

		lift[i] = expected > 0 ? counts[i] / expected : (double)NAN;
		if (!(expected > 0))
			continue;
		least = fmin(least, expected);
		calc_sum_add(&chi2, (counts[i] - expected) * (counts[i] - expected) / expected);
	}
	out->n = m.n;
	if (m.rows_with < 2 || m.columns_with < 2 || least < CALC_EXPECTED_LEAST)
		return true;
	out->status = CALC_OK;
	out->chi2 = calc_sum_total(&chi2);
	out->df = (double)((m.rows_with - 1) * (m.columns_with - 1));
	out->p = calc_chi2_upper(out->chi2, out->df);
	return true;
}
