/* Clusters of things by one to six measures. */
#include "analysis_int.h"

/* Shows one row per cluster: its size, and the mean of each measure. */
static void show(struct analysis *x, const struct analysis_columns *m,
		 const struct calc_clusters *c)
{
	struct analysis_rows w;

	analysis_rows_begin(&w, x);
	analysis_rows_column(&w, "Group", COLUMN_TEXT, NULL);
	analysis_rows_column(&w, "Count", COLUMN_INT, NULL);
	for (size_t f = 0; f < m->count; f++)
		analysis_rows_column(&w, arena_printf(x->a, "%s, mean", m->labels[f]),
				     COLUMN_DECIMAL, m->units[f]);
	for (size_t k = 0; k < c->k; k++) {
		const char *cells[2 + CALC_FEATURES_MAX] = {arena_printf(x->a, "Group %zu", k + 1),
							    arena_printf(x->a, "%zu", c->sizes[k])};

		for (size_t f = 0; f < m->count; f++)
			cells[2 + f] = analysis_digits(x->a, c->centers[k][f]);
		analysis_rows_add(&w, cells);
	}
	analysis_rows_end(&w);
}

static void report(struct analysis *x, const struct analysis_columns *m,
		   const struct calc_clusters *c)
{
	struct domain_list sizes;

	domain_add_text(x->r, x->a, "clusters", "Groups",
			c->k > 0 ? arena_printf(x->a, "%zu", c->k) : "none");
	domain_add_text(x->r, x->a, "method", "Method",
			"k-means, silhouette and dip test between groups");
	for (size_t f = 0; f < m->count; f++)
		if (c->scale[f] == 0)
			analysis_note(x, "%s has only one value and is left out.", m->labels[f]);
	if (c->k == 0) {
		analysis_note(x,
			      "These %zu form no natural groups: nothing clearly separates some of "
			      "them from the others.",
			      c->n);
		return;
	}
	domain_list_init(&sizes);
	for (size_t k = 0; k < c->k; k++)
		domain_list_add(&sizes, "%zu", c->sizes[k]);
	domain_add_text(x->r, x->a, "sizes", "Sizes", domain_list_end(&sizes, x->a));
	analysis_add(x, "silhouette", "Mean silhouette, -1 to 1", c->silhouette, NULL);
	show(x, m, c);
}

void analysis_clusters(struct result *r, const struct derive_def *of, struct arena *a)
{
	struct analysis_columns m = {0};
	struct calc_clusters c;
	struct analysis x;
	struct err e = {0};

	(void)of;
	if (!analysis_begin(r, a, &x) || !analysis_columns_read(&x, &m))
		return;
	if (!calc_clusters(&x.calc, m.columns, m.count, x.n, &c, &e)) {
		analysis_fail(&x, &e);
		return;
	}
	domain_add_count(r, a, "n", "Values", c.n);
	analysis_set_enough(&x, c.status != CALC_TOO_FEW);
	if (c.status == CALC_TOO_FEW)
		analysis_note(&x, "At least %d are needed to find groups; there are %zu.",
			      CALC_CLUSTERS_MIN, c.n);
	else
		report(&x, &m, &c);
}
