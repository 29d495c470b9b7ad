/*
 * Derivations that any tool file may name: each row's share of the total, highest minus lowest,
 * and ranks. They derive nothing from a truncated result, because its total or ranks would be taken
 * for those of the whole.
 */
#include "vesper/domain.h"

#include <stdlib.h>

#include "analysis/analysis_int.h"
#include "domain_int.h"

/* The rows with a number in the column that the file names. */
struct numbers {
	const struct table *table;
	const char *label, *unit; /* of the column */
	const char *by;
	const struct decimal *values; /* one per row of the table */
	const bool *has_value;
	size_t count, high, low; /* rows with a number; the first highest and first lowest row */
};

static bool read_numbers(const struct result *r, const struct derive_def *of, struct arena *a,
			 struct numbers *out)
{
	const struct table *t = r->tables[0];
	struct decimal *values = arena_alloc(a, t->row_count * sizeof(*values));
	bool *has_value = arena_alloc(a, t->row_count * sizeof(*has_value));
	int column = table_column(t, of->column);

	if (t->truncated || column < 0)
		return false;
	*out = (struct numbers){.table = t,
				.label = t->columns[column].label,
				.unit = t->columns[column].unit,
				.by = of->by,
				.values = values,
				.has_value = has_value};
	for (size_t i = 0; i < t->row_count; i++) {
		has_value[i] = domain_number(t, i, of->column, &values[i]);
		if (!has_value[i])
			continue;
		if (out->count == 0 || decimal_cmp(values[i], values[out->high]) > 0)
			out->high = i;
		if (out->count == 0 || decimal_cmp(values[i], values[out->low]) < 0)
			out->low = i;
		out->count++;
	}
	return out->count > 0;
}

static const char *name_of(const struct numbers *n, size_t row)
{
	const char *name = table_cell(n->table, row, n->by);

	return name ? name : "";
}

/* Adds the facts `fact` and `fact`_value of a row. */
static void add_row(struct result *r, struct arena *a, const struct numbers *n, const char *fact,
		    const char *which, size_t row)
{
	if (!*name_of(n, row))
		return;
	domain_add_text(r, a, fact, which, name_of(n, row));
	domain_add_number(r, a, arena_printf(a, "%s_value", fact),
			  arena_printf(a, "%s: %s", name_of(n, row), n->label), n->values[row],
			  n->unit, NULL);
}

/* ---- share_of_total ---- */

/* Shares are meaningless if a part is negative. */
static bool find_total(const struct numbers *n, struct decimal *total)
{
	*total = decimal_int(0);
	if (n->values[n->low].units < 0)
		return false;
	for (size_t i = 0; i < n->table->row_count; i++)
		if (n->has_value[i] && !decimal_add(*total, n->values[i], total))
			return false;
	return total->units > 0;
}

static const char *share_text(struct arena *a, struct decimal part, struct decimal total)
{
	struct decimal share;

	if (!decimal_mul(part, decimal_int(100), &share) || !decimal_div(share, total, 1, &share))
		return NULL;
	return domain_number_text(a, share);
}

static void share_of_total(struct result *r, const struct derive_def *of, struct arena *a)
{
	struct decimal total;
	const char **shares;
	struct numbers n;

	if (!read_numbers(r, of, a, &n) || !find_total(&n, &total))
		return;
	shares = arena_alloc(a, n.table->row_count * sizeof(*shares));
	for (size_t i = 0; i < n.table->row_count; i++)
		shares[i] = n.has_value[i] ? share_text(a, n.values[i], total) : NULL;
	table_add_column(r->tables[0], "Share", COLUMN_DECIMAL, shares);
	domain_add_number(r, a, "total", arena_printf(a, "%s: total", n.label), total, n.unit,
			  NULL);
	add_row(r, a, &n, "largest", "Largest part", n.high);
	domain_add_percent(r, a, "largest_share",
			   arena_printf(a, "%s: share of the total", name_of(&n, n.high)),
			   n.values[n.high], total);
}

/* ---- difference ---- */

static void difference(struct result *r, const struct derive_def *of, struct arena *a)
{
	const struct decimal *high, *low;
	struct decimal gap;
	struct numbers n;

	if (!read_numbers(r, of, a, &n) || n.count < 2)
		return;
	high = &n.values[n.high];
	low = &n.values[n.low];
	if (!decimal_sub(*high, *low, &gap))
		return;
	if (n.high != n.low) {
		add_row(r, a, &n, "higher", "Highest", n.high);
		add_row(r, a, &n, "lower", "Lowest", n.low);
	}
	domain_add_number(r, a, "difference",
			  n.high == n.low ? arena_printf(a, "%s: difference", n.label)
					  : arena_printf(a, "%s minus %s", name_of(&n, n.high),
							 name_of(&n, n.low)),
			  gap, n.unit,
			  arena_printf(a, "%s - %s", domain_number_text(a, *high),
				       domain_number_text(a, *low)));
	domain_add_percent(r, a, "difference_percent",
			   arena_printf(a, "%s above %s", name_of(&n, n.high), name_of(&n, n.low)),
			   gap, *low);
}

/* ---- rank ---- */

struct place {
	struct decimal value;
	size_t row;
};

static int by_value(const void *a, const void *b)
{
	return decimal_cmp(((const struct place *)b)->value, ((const struct place *)a)->value);
}

/* Equal values share a rank, and the next rank counts all of them: 1, 2, 2, 4. */
static void rank(struct result *r, const struct derive_def *of, struct arena *a)
{
	struct numbers n;
	struct place *places;
	const char **ranks;
	size_t count = 0;

	if (!read_numbers(r, of, a, &n))
		return;
	places = arena_alloc(a, n.count * sizeof(*places));
	ranks = arena_alloc(a, n.table->row_count * sizeof(*ranks));
	for (size_t i = 0; i < n.table->row_count; i++)
		if (n.has_value[i])
			places[count++] = (struct place){n.values[i], i};
	qsort(places, count, sizeof(*places), by_value);
	for (size_t i = 0; i < count; i++)
		ranks[places[i].row] =
			i > 0 && decimal_cmp(places[i].value, places[i - 1].value) == 0
				? ranks[places[i - 1].row]
				: arena_printf(a, "%zu", i + 1);
	table_add_column(r->tables[0], "Rank", COLUMN_INT, ranks);
	domain_add_count(r, a, "ranked", arena_printf(a, "%s: ranked", n.label), n.count);
	if (n.count < 2 || n.high == n.low)
		return;
	add_row(r, a, &n, "first", "First", n.high);
	add_row(r, a, &n, "last", "Last", n.low);
}

static const char *const share_facts[] = {"total", "largest", "largest_value", "largest_share",
					  NULL};
static const char *const difference_facts[] = {
	"higher", "higher_value", "lower", "lower_value", "difference", "difference_percent", NULL};
static const char *const rank_facts[] = {"ranked", "first",      "first_value",
					 "last",   "last_value", NULL};

const struct tool_derivation domain_derivations[] = {
	{"share_of_total", share_of_total, "Share", share_facts},
	{"difference", difference, NULL, difference_facts},
	{"rank", rank, "Rank", rank_facts},
	{"trend", analysis_trend, NULL, NULL},
	{"seasonality", analysis_seasonality, NULL, NULL},
	{"change", analysis_change, NULL, NULL},
	{"project", analysis_project, NULL, NULL},
	{"outliers", analysis_outliers, NULL, NULL},
	{"distribution", analysis_distribution, NULL, NULL},
	{"concentration", analysis_concentration, NULL, NULL},
	{"value_tiers", analysis_value_tiers, NULL, NULL},
	{"growth", analysis_growth, NULL, NULL},
	{"decline", analysis_decline, NULL, NULL},
	{"clusters", analysis_clusters, NULL, NULL},
	{"vs_average", analysis_vs_average, NULL, NULL},
	{"group_profile", analysis_group_profile, NULL, NULL},
	{"underserved", analysis_underserved, NULL, NULL},
	{"lose_top_n", analysis_lose_top_n, NULL, NULL},
	{"risk_scores", analysis_risk_scores, NULL, NULL},
	{"elasticity", analysis_elasticity, NULL, NULL},
	{"what_if", analysis_what_if, NULL, NULL},
	{"sensitivity", analysis_sensitivity, NULL, NULL},
	{"scenarios", analysis_scenarios, NULL, NULL},
	{"moving", analysis_moving, NULL, NULL},
	{"baseline", analysis_baseline, NULL, NULL},
	{"vs_history", analysis_vs_history, NULL, NULL},
	{"best_in_class", analysis_best_in_class, NULL, NULL},
	{"rank_in_group", analysis_rank_in_group, NULL, NULL},
	{"cross_segment", analysis_cross_segment, NULL, NULL},
	{"gap_candidates", analysis_gap_candidates, NULL, NULL},
	{"lookalikes", analysis_lookalikes, NULL, NULL},
	{"opportunity_scores", analysis_opportunity_scores, NULL, NULL},
	{"like_losses", analysis_like_losses, NULL, NULL},
	{"risk_by", analysis_risk_by, NULL, NULL},
	{"inactivity", analysis_inactivity, NULL, NULL},
	{"similar_to_entity", analysis_similar_to_entity, NULL, NULL},
	{"match_values", analysis_match_values, NULL, NULL},
	{"classify_values", analysis_classify_values, NULL, NULL},
	{0},
};
