/*
 * Binds numbers that an answer computes over groups of rows: "Wind 980 MW", "three of them are at
 * risk", "43 % went to Market Curves". The conditions of a group are the names, kinds and years
 * next to the number, in its sentence, or in the text before it. Only a few groups are tried for
 * one number, so that no combination fits by chance.
 */
#include "claim.h"

#include <stdio.h>
#include <string.h>

#define ONE            ((guard_value)100000000)
#define GROUP_ROWS     128 /* tables with more rows are not grouped */
#define CONDITIONS_MAX 12
#define ROW_COUNT_MAX  31 /* a bare number up to this is a count of rows */
#define TABLES_MAX     4

enum condition_kind { BY_NAME, BY_KIND, BY_YEAR };

struct condition {
	enum condition_kind kind;
	int id;           /* of a name; of a kind, its index plus one; or the year */
	uint64_t columns; /* of the table that is searched: those with a cell that meets it */
};

struct conditions {
	struct condition list[CONDITIONS_MAX];
	size_t count;
};

/* Where a condition occurs relative to the number, nearest first. */
enum layer { LAYER_AFTER, LAYER_BEFORE, LAYER_SENTENCE, LAYER_EARLIER, LAYERS };

struct group {
	uint8_t rows[GROUP_ROWS]; /* indexes */
	size_t count;
	bool all; /* every row of the table */
};

/* ---- conditions ---- */

static void add_condition(struct conditions *to, enum condition_kind kind, int id)
{
	for (size_t i = 0; i < to->count; i++)
		if (to->list[i].kind == kind && to->list[i].id == id)
			return;
	if (to->count < CONDITIONS_MAX)
		to->list[to->count++] = (struct condition){.kind = kind, .id = id};
}

/* The kind whose words begin at token i, plus one; 0: none. */
static int kind_at(const struct claims *c, size_t i)
{
	const struct number_contexts *kinds = &c->k->kinds;

	for (size_t n = 0; c->tokens[i].kind == TOKEN_WORD && n < kinds->count; n++) {
		const uint64_t *after = kinds->list[n].after;

		if (after[0] == c->tokens[i].word &&
		    (!after[1] || (i + 1 < c->count && c->tokens[i + 1].kind == TOKEN_WORD &&
				   c->tokens[i + 1].word == after[1])))
			return (int)n + 1;
	}
	return 0;
}

static void read_conditions(const struct claims *c, size_t from, size_t to, struct conditions *out)
{
	for (size_t i = from; i < to; i++) {
		const struct token *t = &c->tokens[i];
		int kind = kind_at(c, i);

		if (t->kind == TOKEN_NAME)
			add_condition(out, BY_NAME, t->id);
		else if (kind)
			add_condition(out, BY_KIND, kind);
		else if (t->kind == TOKEN_NUMBER && t->mark->shown.kind == SHOWN_YEAR)
			add_condition(out, BY_YEAR, (int)(t->mark->shown.value / ONE));
	}
}

/* ---- rows ---- */

static bool cell_meets(const struct known_table *kt, size_t row, size_t col,
		       const struct condition *by)
{
	switch (by->kind) {
	case BY_NAME:
		return kt->ids[row][col] == by->id;
	case BY_KIND:
		return kt->kinds && kt->kinds[row * kt->t->column_count + col] == by->id;
	case BY_YEAR:
		return column_is_day(kt->t->columns[col].type) &&
		       known_day(kt->t->rows[row][col]) / 10000 == by->id;
	}
	return false;
}

static bool row_meets(const struct known_table *kt, size_t row, const struct condition *by)
{
	for (size_t col = 0; col < kt->t->column_count; col++)
		if (cell_meets(kt, row, col, by))
			return true;
	return false;
}

/* Keeps the conditions that a row of the table meets, with the columns of the cells that meet them.
 */
static void keep_met_conditions(const struct known_table *kt, struct conditions *by)
{
	size_t kept = 0;

	for (size_t i = 0; i < by->count; i++) {
		struct condition one = by->list[i];

		one.columns = 0;
		for (size_t row = 0; row < kt->t->row_count; row++)
			for (size_t col = 0; col < kt->t->column_count && col < 64; col++)
				if (cell_meets(kt, row, col, &one))
					one.columns |= (uint64_t)1 << col;
		if (one.columns)
			by->list[kept++] = one;
	}
	by->count = kept;
}

static uint64_t columns_of(const struct conditions *by)
{
	uint64_t columns = 0;

	for (size_t i = 0; i < by->count; i++)
		columns |= by->list[i].columns;
	return columns;
}

/* Adds the conditions on columns that have none yet. */
static void add_layer(struct conditions *to, const struct conditions *layer)
{
	uint64_t columns = columns_of(to);

	for (size_t i = 0; i < layer->count && to->count < CONDITIONS_MAX; i++)
		if (!(layer->list[i].columns & columns))
			to->list[to->count++] = layer->list[i];
}

/* Conditions on one column are alternatives. */
static bool row_meets_conditions(const struct known_table *kt, size_t row,
				 const struct conditions *by)
{
	for (size_t i = 0; i < by->count; i++) {
		bool meets = false;

		for (size_t n = 0; n < by->count && !meets; n++)
			meets = (by->list[n].columns & by->list[i].columns) &&
				row_meets(kt, row, &by->list[n]);
		if (!meets)
			return false;
	}
	return true;
}

/* Returns false when the group is empty or has every row. `others`: selects the rows that do not
 * meet the conditions. */
static bool group_of(const struct known_table *kt, const struct conditions *by, bool others,
		     struct group *out)
{
	*out = (struct group){0};
	for (size_t row = 0; by->count > 0 && row < kt->t->row_count; row++)
		if (row_meets_conditions(kt, row, by) != others)
			out->rows[out->count++] = (uint8_t)row;
	return out->count > 0 && out->count < kt->t->row_count;
}

static void all_rows(const struct known_table *kt, struct group *out)
{
	*out = (struct group){.all = true};
	for (size_t row = 0; row < kt->t->row_count; row++)
		out->rows[out->count++] = (uint8_t)row;
}

/* ---- numbers over a group ---- */

static guard_value sum_over(const struct known_table *kt, const struct group *g, size_t col)
{
	guard_value sum = 0;

	for (size_t i = 0; i < g->count; i++)
		if (kt->values[g->rows[i]][col] != GUARD_NO_VALUE)
			sum += kt->values[g->rows[i]][col];
	return sum;
}

static bool is_share_of(const struct mark *m, guard_value part, guard_value whole)
{
	return whole > 0 && part > 0 && part < whole && mark_matches(m, part * 100 * ONE / whole);
}

struct search {
	struct claims *c;
	struct mark *m;
	const struct known_table *kt;
	const struct group *g, *whole;
	bool sums, means, others, counts, cell;
	int dir; /* 1: the greater is compared with the lesser, -1: vice versa; 0: no difference */
};

static bool try_bind(struct search *q, const struct unit_def *unit, const char *what, guard_value v)
{
	if (!mark_matches(q->m, v))
		return false;
	claim_bind(q->m, what);
	q->m->amount =
		(struct recent){.value = v, .unit = unit, .table = -1, .column = -1, .row = -1};
	return true;
}

static bool share_fits(struct search *q)
{
	const struct known_table *kt = q->kt;

	if (q->g->all)
		return false;
	if (q->g->count > 1 &&
	    is_share_of(q->m, (guard_value)q->g->count * ONE, (guard_value)q->whole->count * ONE)) {
		claim_bind(q->m, "share of the rows");
		return true;
	}
	for (size_t col = 0; col < kt->t->column_count; col++)
		if (kt->measure[col] && !unit_is_percent(kt->units[col]) &&
		    is_share_of(q->m, sum_over(kt, q->g, col), sum_over(kt, q->whole, col))) {
			claim_bind(q->m, "share of the sum");
			return true;
		}
	return false;
}

/* "13.75 % over budget": the sum of one column compared with that of another. */
static bool change_fits(struct search *q, size_t a, size_t b)
{
	guard_value x = sum_over(q->kt, q->g, a), y = sum_over(q->kt, q->g, b);
	guard_value more = x > y ? x : y, less = x > y ? y : x;

	if (!unit_is_percent(q->m->shown.unit))
		return x != y && q->g->count > 1 && !shown_is_bare(&q->m->shown) &&
		       try_bind(q, q->kt->units[a], "difference of two sums", x - y);
	return less > 0 && q->m->shown.decimals > 0 &&
	       try_bind(q, NULL, "change between two sums",
			(more - less) * 100 * ONE / (q->dir > 0 ? less : more));
}

static bool changes_fit(struct search *q)
{
	const struct known_table *kt = q->kt;

	for (size_t a = 0; a < kt->t->column_count && q->dir; a++)
		for (size_t b = 0; b < a; b++)
			if (kt->measure[a] && kt->measure[b] && kt->units[a] &&
			    kt->units[a] == kt->units[b] && change_fits(q, a, b))
				return true;
	return false;
}

/* Returns true for the value of a cell: it belongs to its row, not to a group. */
static bool is_cell(const struct search *q)
{
	for (int t = 0; t < q->c->k->table_count; t++) {
		const struct known_table *kt = &q->c->k->tables[t];

		for (size_t row = 0; row < kt->t->row_count && row < GROUP_ROWS; row++)
			for (size_t col = 0; col < kt->t->column_count; col++)
				if (kt->measure[col] && kt->values[row][col] != GUARD_NO_VALUE &&
				    unit_fits(&q->m->shown, q->m->shown.unit, kt->units[col],
					      false) &&
				    mark_matches(q->m, kt->values[row][col]))
					return true;
	}
	return false;
}

static bool amount_fits(struct search *q, size_t col)
{
	const struct unit_def *unit = q->kt->units[col];
	const struct shown *s = &q->m->shown;
	guard_value sum;

	if (!unit_fits(s, s->unit, unit, s->decimals == 0) || unit_is_percent(unit) ||
	    q->g->count < 2 ||
	    (shown_is_bare(s) && unit && !unit->counted && !unit_is_unstated(unit)) || q->cell)
		return false;
	sum = sum_over(q->kt, q->g, col);
	if (try_bind(q, unit, "sum over a group of rows", sum))
		return true;
	return q->means &&
	       try_bind(q, unit, "mean over a group of rows", sum / (guard_value)q->g->count);
}

/* Returns true for "Stage 1" and "1 red area": the number
 * belongs to one item and does not count rows. */
static bool describes_one_item(const struct claims *c, size_t i)
{
	const struct number_context before = {.before = i > 0 ? c->tokens[i - 1].word : 0};

	if (before.before && number_context_is_numbered(c->k, &before))
		return true;
	for (int t = 0; t < c->k->table_count && i + 1 < c->count; t++)
		for (size_t col = 0; col < c->k->tables[t].t->column_count; col++)
			if (c->tokens[i + 1].kind == TOKEN_WORD && c->k->tables[t].measure[col] &&
			    column_has_word(&c->k->tables[t], col, c->tokens[i + 1].word))
				return true;
	return false;
}

static bool group_fits(struct search *q)
{
	const struct mark *m = q->m;

	if (unit_is_percent(m->shown.unit))
		return share_fits(q) || changes_fit(q);
	if (shown_is_bare(&m->shown) && !q->g->all && q->g->count > 1 && q->counts &&
	    try_bind(q, NULL, "rows of a group", (guard_value)q->g->count * ONE))
		return true;
	if (shown_is_bare(&m->shown) && m->shown.value <= ROW_COUNT_MAX * ONE)
		return false;
	for (size_t col = 0; col < q->kt->t->column_count; col++)
		if (q->kt->measure[col] && amount_fits(q, col))
			return true;
	return changes_fit(q);
}

/* ---- candidates ---- */

static bool is_boundary(const struct claims *c, size_t i, const struct mark *m)
{
	const struct token *t = &c->tokens[i];

	if (token_breaks(c, i, ";|"))
		return true;
	return token_is_amount(t) && t->mark != m &&
	       unit_is_percent(t->mark->shown.unit) == unit_is_percent(m->shown.unit);
}

static void read_layers(const struct claims *c, size_t i, struct conditions out[LAYERS])
{
	const struct mark *m = c->tokens[i].mark;
	size_t from = i, to = i + 1;

	while (from > 0 && !is_boundary(c, from - 1, m))
		from--;
	while (to < c->count && !is_boundary(c, to, m))
		to++;
	memset(out, 0, sizeof(*out) * LAYERS);
	read_conditions(c, i + 1, to, &out[LAYER_AFTER]);
	read_conditions(c, from, i, &out[LAYER_BEFORE]);
	read_conditions(c, 0, c->count, &out[LAYER_SENTENCE]);
	for (size_t n = 0; n < c->s->previous.count; n++)
		add_condition(&out[LAYER_EARLIER], BY_NAME, c->s->previous.names[n].id);
}

static bool sentence_has_cue(const struct claims *c, uint32_t cue_flags)
{
	for (size_t i = 0; i < c->count; i++)
		if (token_has_cue(c, i, cue_flags))
			return true;
	return false;
}

static bool conditions_fit(struct search *q, const struct conditions *by, struct group *g)
{
	q->g = g;
	return (group_of(q->kt, by, false, g) && group_fits(q)) ||
	       (q->others && group_of(q->kt, by, true, g) && group_fits(q));
}

/* Tries the conditions after the number, those before it, and then more of them together. */
static bool table_fits(struct search *q, const struct conditions layers[LAYERS])
{
	struct conditions by = {0}, at[LAYERS];
	struct group whole, g;

	memcpy(at, layers, sizeof(at));
	all_rows(q->kt, &whole);
	q->whole = &whole;
	for (int n = 0; n < LAYERS; n++)
		keep_met_conditions(q->kt, &at[n]);
	for (int n = 0; n < LAYERS; n++) {
		add_layer(&by, &at[n]);
		if (at[n].count > 0 && conditions_fit(q, &by, &g))
			return true;
	}
	if (!shown_is_bare(&q->m->shown) && conditions_fit(q, &at[LAYER_BEFORE], &g))
		return true;
	q->g = &whole;
	return (q->sums || q->dir) && group_fits(q);
}

static bool may_be_of_group(const struct mark *m)
{
	return !m->refuted && !m->shown.part && !unit_is_ratio(m->shown.unit) &&
	       !unit_is_span(m->shown.unit) && !m->shown.minus && m->shown.value > 0;
}

void claims_of_groups(struct claims *c)
{
	const bool up = sentence_has_cue(c, CUE_UP), down = sentence_has_cue(c, CUE_DOWN);
	struct search q = {.c = c,
			   .sums = sentence_has_cue(c, CUE_SUM),
			   .means = sentence_has_cue(c, CUE_MEAN),
			   .others = sentence_has_cue(c, CUE_SPENT | CUE_MISSING),
			   .dir = up != down                      ? (up ? 1 : -1)
				  : sentence_has_cue(c, CUE_MOST) ? 1
								  : 0};
	struct conditions layers[LAYERS];

	for (size_t i = 0; i < c->count; i++) {
		q.m = token_is_amount(&c->tokens[i]) ? c->tokens[i].mark : NULL;
		if (!q.m || (q.m->bound && !q.m->unchecked) || !may_be_of_group(q.m))
			continue;
		q.counts = !describes_one_item(c, i);
		q.cell = is_cell(&q);
		read_layers(c, i, layers);
		for (int t = 0; t < c->k->table_count && t < TABLES_MAX; t++) {
			q.kt = &c->k->tables[t];
			if (q.kt->t->row_count > 1 && q.kt->t->row_count <= GROUP_ROWS &&
			    q.kt->t->total_rows <= (int64_t)q.kt->t->row_count &&
			    table_fits(&q, layers))
				break;
		}
	}
}
