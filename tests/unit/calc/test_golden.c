/* The kernels against what numpy, scipy and statsmodels say of the same columns
 * (tests/calc/golden.py). */
#include "calc_test.h"
#include "vesper/calc_groups.h"
#include "vesper/calc_series.h"
#include "vesper/calc_summary.h"
#include "vesper/calc_trend.h"

enum { VALUES_MAX = 256, LINE_MAX_BYTES = 16384, LINES = 71 };

#define TOLERANCE 1e-9

struct line {
	const char *kernel;
	double params[4];
	double columns[2][VALUES_MAX];
	size_t n[2];
	double want[VALUES_MAX];
	size_t wanted;
};

static size_t read_numbers(char *text, double *out)
{
	size_t n = 0;
	char *rest, *word;

	for (word = strtok_r(text, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest))
		out[n++] = strtod(word, NULL);
	assert_true(n <= VALUES_MAX);
	return n;
}

static void read_line(char *text, struct line *l)
{
	char *field[4], *second;

	*l = (struct line){0};
	for (size_t i = 0; i < 4; i++) {
		field[i] = strsep(&text, "\t");
		assert_non_null(field[i]);
	}
	l->kernel = field[0];
	(void)read_numbers(field[1], l->params);
	second = strchr(field[2], '|');
	if (second) {
		*second++ = '\0';
		l->n[1] = read_numbers(second, l->columns[1]);
	}
	l->n[0] = read_numbers(field[2], l->columns[0]);
	l->wanted = read_numbers(field[3], l->want);
}

/* ---- each kernel gives what stands in the line, in its order ---- */

static void quantile(const struct line *l, double *got)
{
	size_t present;

	assert_true(
		calc_quantiles(&calc, l->columns[0], l->n[0], l->params, 1, got, &present, &err));
}

static void mad(const struct line *l, double *got)
{
	struct calc_spread s;

	assert_true(calc_spread(&calc, l->columns[0], l->n[0], &s, &err));
	got[0] = s.median;
	got[1] = s.mad;
}

static void moments(const struct line *l, double *got)
{
	struct calc_moments m;

	assert_true(calc_moments(&calc, l->columns[0], l->n[0], &m, &err));
	got[0] = m.mean;
	got[1] = m.sd;
	got[2] = m.skewness;
	got[3] = m.kurtosis;
	got[4] = m.k2;
	got[5] = m.normal_p;
}

static void theil_sen(const struct line *l, double *got)
{
	struct calc_theil_sen t;

	assert_true(calc_theil_sen(&calc, NULL, l->columns[0], l->n[0], &t, &err));
	got[0] = t.slope;
	got[1] = t.intercept;
}

static void spearman(const struct line *l, double *got)
{
	struct calc_spearman s;

	assert_true(calc_spearman(&calc, l->columns[0], l->columns[1], l->n[0], &s, &err));
	got[0] = s.rho;
	got[1] = s.p;
}

static void line(const struct line *l, double *got)
{
	struct calc_line f;

	assert_true(calc_line(&calc, l->columns[0], l->columns[1], l->n[0], &f, &err));
	got[0] = f.slope;
	got[1] = f.intercept;
	got[2] = f.r2;
	got[3] = f.error_plain;
	got[4] = f.error_hac;
}

static void integral(const struct line *l, double *got)
{
	struct calc_area area;

	assert_true(calc_integral(&calc, l->columns[0], l->columns[1], l->n[0], 10, &area, &err));
	got[0] = area.area;
}

static void kruskal(const struct line *l, double *got)
{
	struct calc_kruskal k;
	uint32_t group[VALUES_MAX];

	for (size_t i = 0; i < l->n[1]; i++)
		group[i] = (uint32_t)l->columns[1][i];
	assert_true(
		calc_kruskal(&calc, l->columns[0], group, l->n[0], (size_t)l->params[0], &k, &err));
	got[0] = k.h;
	got[1] = k.p;
}

static void independence(const struct line *l, double *got)
{
	struct calc_independence x;

	assert_true(calc_independence(&calc, l->columns[0], (size_t)l->params[0],
				      (size_t)l->params[1], &x, &err));
	got[0] = x.chi2;
	got[1] = x.df;
	got[2] = x.p;
}

static void adjust(const struct line *l, double *got)
{
	double *adjusted;

	assert_true(calc_adjust(&calc, l->columns[0], l->n[0], &adjusted, &err));
	memcpy(got, adjusted, l->n[0] * sizeof(*got));
}

static const struct {
	const char *name;
	void (*run)(const struct line *l, double *got);
} kernels[] = {
	{"quantile", quantile},   {"mad", mad},           {"moments", moments},
	{"theil_sen", theil_sen}, {"spearman", spearman}, {"line", line},
	{"integral", integral},   {"kruskal", kruskal},   {"independence", independence},
	{"adjust", adjust},
};

static void check(const struct line *l)
{
	double got[VALUES_MAX] = {0};
	size_t k = 0;

	while (k < COUNT(kernels) && strcmp(kernels[k].name, l->kernel) != 0)
		k++;
	assert_true(k < COUNT(kernels));
	kernels[k].run(l, got);
	for (size_t i = 0; i < l->wanted; i++)
		if (!is_near(got[i], l->want[i], TOLERANCE))
			fail_msg("%s of %zu values, result %zu: %.17g, expected %.17g", l->kernel,
				 l->n[0], i, got[i], l->want[i]);
}

static void agree_with_the_references(void **state)
{
	FILE *f = fopen(VESPER_SOURCE_DIR "/tests/calc/golden.tsv", "r");
	static char text[LINE_MAX_BYTES];
	static struct line l;
	size_t lines = 0;

	(void)state;
	assert_non_null(f);
	while (fgets(text, sizeof(text), f)) {
		read_line(text, &l);
		check(&l);
		lines++;
	}
	fclose(f);
	assert_int_equal(lines, LINES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {CALC_TEST(agree_with_the_references)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
