/* Lines of the .tsv files of tests/calc: a kernel, its parameters, its columns, and the results of
 * another program. */
#ifndef GOLDEN_H
#define GOLDEN_H

#include "calc_test.h"

enum { VALUES_MAX = 256, LINE_MAX_BYTES = 16384, GOLDEN_COLUMNS = 3 };

struct line {
	const char *kernel;
	double params[4];
	double columns[GOLDEN_COLUMNS][VALUES_MAX];
	size_t n[GOLDEN_COLUMNS];
	double expected[VALUES_MAX];
	size_t expected_count;
};

static inline size_t read_numbers(char *text, double *out)
{
	size_t n = 0;
	char *rest, *word;

	for (word = strtok_r(text, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest))
		out[n++] = strtod(word, NULL);
	assert_true(n <= VALUES_MAX);
	return n;
}

static inline void read_line(char *text, struct line *l)
{
	char *field[4], *column;

	*l = (struct line){0};
	for (size_t i = 0; i < 4; i++) {
		field[i] = strsep(&text, "\t");
		assert_non_null(field[i]);
	}
	l->kernel = field[0];
	(void)read_numbers(field[1], l->params);
	for (size_t i = 0; (column = strsep(&field[2], "|")); i++) {
		assert_true(i < GOLDEN_COLUMNS);
		l->n[i] = read_numbers(column, l->columns[i]);
	}
	l->expected_count = read_numbers(field[3], l->expected);
}

/* A kernel by its name in the file; returns the results in the order of the line. */
struct golden_kernel {
	const char *name;
	void (*run)(const struct line *l, double *got);
	double tolerance;
};

static inline void golden_check(const struct line *l, const struct golden_kernel *kernels,
				size_t count)
{
	double got[VALUES_MAX] = {0};
	size_t k = 0;

	while (k < count && strcmp(kernels[k].name, l->kernel) != 0)
		k++;
	assert_true(k < count);
	kernels[k].run(l, got);
	for (size_t i = 0; i < l->expected_count; i++)
		if (!is_near(got[i], l->expected[i], kernels[k].tolerance))
			fail_msg("%s of %zu values, result %zu: %.17g, expected %.17g", l->kernel,
				 l->n[0], i, got[i], l->expected[i]);
}

static inline void golden_file(const char *path, const struct golden_kernel *kernels, size_t count,
			       size_t lines)
{
	FILE *f = fopen(path, "r");
	static char text[LINE_MAX_BYTES];
	static struct line l;
	size_t n = 0;

	assert_non_null(f);
	for (; fgets(text, sizeof(text), f); n++) {
		read_line(text, &l);
		golden_check(&l, kernels, count);
	}
	fclose(f);
	assert_int_equal(n, lines);
}

#endif
