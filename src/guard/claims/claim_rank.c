/*
 * Checks "the lowest", "the second most": the amount or date must have that rank among its
 * column's rows, or among those that share a name or time with it. Hours that a fact names, such
 * as the widest, must be exactly those.
 */
#include "claim.h"

#include <string.h>
#include <strings.h>

#define RANK_BEFORE 7  /* maximum tokens from a superlative back to its number */
#define RANK_AFTER  12 /* from a superlative to its number: "lowest in hour 12 (HE 13) at" */

int claim_superlative(const struct claims *c, size_t i)
{
	if (!token_has_cue(c, i, CUE_MOST | CUE_LEAST))
		return 0;
	if (i > 0 && token_has_cue(c, i - 1, CUE_AT))
		return 0; /* "at most" */
	if (token_has_cue(c, i, CUE_QUANTITY) && token_has_cue(c, i + 1, CUE_PARTLY | CUE_AT))
		return 0; /* "most recent", "most of" */
	for (size_t n = i; n-- > 0 && n + 4 > i;)
		if (token_has_cue(c, n, CUE_PARTLY) && !token_has_cue(c, n, CUE_ORDINAL))
			return 0; /* "one of the" */
	return token_has_cue(c, i, CUE_MOST) ? 1 : -1;
}

/* "second-highest" gives 2. */
static int place_before(const struct claims *c, size_t i)
{
	if (i > 0 && token_has_cue(c, i - 1, CUE_ORDINAL))
		return c->tokens[i - 1].value;
	if (i > 0 && c->tokens[i - 1].kind == TOKEN_NUMBER &&
	    c->tokens[i - 1].mark->shown.kind == SHOWN_RANK)
		return (int)c->tokens[i - 1].mark->shown.value;
	return 1;
}

/* Returns true when the number is a cell of a numeric column. */
static bool is_cell(const struct claims *c, const struct token *t)
{
	const struct recent *r = t->kind == TOKEN_NUMBER ? &t->mark->amount : NULL;

	return r && t->mark->bound && t->mark->shown.kind == SHOWN_NUMBER && r->table >= 0 &&
	       r->row >= 0 && r->column >= 0 && c->k->tables[r->table].measure[r->column];
}

/* Returns true when the number is a cell of a date column. */
static bool is_date_cell(const struct claims *c, const struct token *t)
{
	const struct recent *r = t->kind == TOKEN_NUMBER ? &t->mark->amount : NULL;

	return r && t->mark->bound && t->mark->shown.kind == SHOWN_DATE && r->table >= 0 &&
	       r->row >= 0 && r->column >= 0 &&
	       c->k->tables[r->table].t->columns[r->column].type == COLUMN_DATE;
}

static struct token *date_of(struct claims *c, size_t i)
{
	for (size_t n = i + 1; n <= i + RANK_AFTER && n < c->count; n++) {
		if (token_has_cue(c, n, CUE_LATE | CUE_EARLY | CUE_MOST | CUE_LEAST) ||
		    token_breaks(c, n, ";.!?|"))
			break;
		if (is_date_cell(c, &c->tokens[n]))
			return &c->tokens[n];
		if (token_is_amount(&c->tokens[n]))
			break;
	}
	return NULL;
}

/* The cell that the superlative at i ranks: the next one in its clause, else the one before. */
static struct token *cell_of(struct claims *c, size_t i)
{
	struct token *before = NULL;
	bool ended = false, other = false;

	for (size_t n = i; n-- > 0 && n + RANK_BEFORE >= i && !before;) {
		if (token_breaks(c, n, ";:.!?|") || token_has_cue(c, n, CUE_MOST | CUE_LEAST))
			break;
		if (is_cell(c, &c->tokens[n]))
			before = &c->tokens[n];
	}
	for (size_t n = i + 1; n <= i + RANK_AFTER && n < c->count; n++) {
		if (token_has_cue(c, n, CUE_MOST | CUE_LEAST | CUE_AGAINST) ||
		    token_breaks(c, n, ";.!?|"))
			break;
		ended = ended || token_breaks(c, n, ",");
		if (is_cell(c, &c->tokens[n]))
			return ended && before ? before : &c->tokens[n];
		other = other || (!ended && token_is_amount(&c->tokens[n]));
	}
	return other ? NULL : before;
}

static guard_value comparable_value(const struct known_table *kt, size_t row, size_t col)
{
	guard_value v = kt->values[row][col];

	if (kt->t->columns[col].type == COLUMN_DATE)
		return known_day(kt->t->rows[row][col]) ? known_day(kt->t->rows[row][col])
							: GUARD_NO_VALUE;
	return kt->differences[col] && v != GUARD_NO_VALUE && v < 0 ? -v : v;
}

/* Returns true when the rows share the names of these slots. */
static bool shares(const struct known_table *kt, size_t a, size_t b, uint32_t slots)
{
	for (size_t col = 0; col < kt->t->column_count; col++)
		if (kt->slot[col] >= 0 && slots >> kt->slot[col] & 1 &&
		    kt->ids[a][col] != kt->ids[b][col])
			return false;
	return true;
}

enum fit { FIT_NO, FIT_YES, FIT_UNKNOWN };

/* For past dates the latest counts, for future ones the earliest: "the latest passed". */
static bool is_beyond_today(const struct known *k, const struct known_table *kt, size_t col,
			    guard_value v, guard_value other)
{
	guard_value today = k->today.year * 10000 + k->today.month * 100 + k->today.day;

	return kt->t->columns[col].type == COLUMN_DATE && (v <= today) != (other <= today);
}

static enum fit rank_fit_in_rows(const struct known *k, const struct known_table *kt,
				 const struct recent *r, uint32_t slots, int dir, size_t place)
{
	size_t col = (size_t)r->column, own = (size_t)r->row, rows = 0, beyond = 0, same = 0;
	guard_value v = comparable_value(kt, own, col);

	for (size_t row = 0; row < kt->t->row_count; row++) {
		guard_value other = comparable_value(kt, row, col);

		if (other == GUARD_NO_VALUE || !shares(kt, own, row, slots) ||
		    is_beyond_today(k, kt, col, v, other))
			continue;
		rows++;
		same += other == v;
		beyond += dir > 0 ? other > v : other < v;
	}
	if (rows < 2)
		return FIT_UNKNOWN;
	return beyond < place && place <= beyond + same ? FIT_YES : FIT_NO;
}

/* Ranks among the rows that share these names. If only its own rows do, ranks among those that
 * share all but one. */
static enum fit rank_fit_among(const struct claims *c, const struct recent *r, uint32_t slots,
			       int dir, size_t place)
{
	const struct known_table *kt = &c->k->tables[r->table];
	enum fit fit = rank_fit_in_rows(c->k, kt, r, slots, dir, place);

	for (int slot = 0; fit == FIT_UNKNOWN && slot < c->k->slot_count; slot++)
		if (slots >> slot & 1)
			fit = rank_fit_in_rows(c->k, kt, r, slots & ~(1u << slot), dir, place);
	return fit;
}

static enum fit rank_fit_without_slot(const struct claims *c, const struct recent *r,
				      uint32_t slots, int dir, size_t place)
{
	const struct known_table *kt = &c->k->tables[r->table];
	enum fit all = rank_fit_in_rows(c->k, kt, r, slots, dir, place);

	for (int slot = 0; all == FIT_UNKNOWN && slot < c->k->slot_count; slot++)
		if (slots >> slot & 1 &&
		    rank_fit_in_rows(c->k, kt, r, slots & ~(1u << slot), dir, place) == FIT_YES)
			return FIT_YES;
	return all == FIT_UNKNOWN ? rank_fit_among(c, r, slots, dir, place) : all;
}

/* Ranks among the rows of the names in this sentence, else of names carried over from earlier
 * sentences or the question. */
static enum fit fit_of_rank(const struct claims *c, const struct recent *r, int dir, size_t place)
{
	const struct known_table *kt = &c->k->tables[r->table];
	uint32_t named = c->s->named & kt->rival_slots, carried = c->s->carried & kt->rival_slots;
	enum fit fit;

	if (kt->t->truncated || kt->t->total_rows > (int64_t)kt->t->row_count)
		return FIT_UNKNOWN;
	fit = rank_fit_without_slot(c, r, named, dir, place);
	for (int slot = 0; fit == FIT_NO && slot < c->k->slot_count; slot++)
		if (named >> slot & 1) /* "Development is the biggest group, with a budget of" */
			fit = rank_fit_in_rows(c->k, kt, r, kt->rival_slots & ~(1u << slot), dir,
					       place) == FIT_YES
				      ? FIT_YES
				      : FIT_NO;
	if (fit == FIT_NO && carried & ~named)
		fit = rank_fit_without_slot(c, r, named | carried, dir, place) == FIT_YES ? FIT_YES
											  : FIT_NO;
	return fit;
}

/* Checks the claim of the word at i for the cell. */
static void check_rank(struct claims *c, size_t i, struct token *cell, int dir, size_t place)
{
	enum fit fit = fit_of_rank(c, &cell->mark->amount, dir, place);

	if (fit == FIT_NO)
		token_refute(cell);
	else if (fit == FIT_YES)
		token_confirm(c, i);
	if (fit == FIT_YES && place > 1 && i > 0)
		token_confirm(c, i - 1);
}

/* The direction in a fact's name: "highest_price" 1, "narrowest_gap" -1; 0: none. */
static int rank_of_fact(const char *name)
{
	size_t len = name ? strcspn(name, "_ ") : 0;
	uint32_t cue_flags = len ? cue_word_flags(name, len) : 0;

	return cue_flags & CUE_MOST ? 1 : cue_flags & CUE_LEAST ? -1 : 0;
}

static bool ends_rank(const struct claims *c, size_t i)
{
	return token_breaks(c, i, ";.!?|") || token_has_cue(c, i, CUE_MOST | CUE_LEAST);
}

static bool is_amount_or_date(const struct token *t)
{
	return t->kind == TOKEN_NUMBER && t->mark->shown.kind != SHOWN_HOUR;
}

/* The first number after it in its clause, else the last one before that belongs to a fact. */
static struct token *fact_near(struct claims *c, size_t i)
{
	for (size_t n = i + 1; n < c->count && !ends_rank(c, n); n++)
		if (is_amount_or_date(&c->tokens[n]))
			return &c->tokens[n];
	for (size_t n = i; n-- > 0 && !ends_rank(c, n);)
		if (is_amount_or_date(&c->tokens[n]))
			return &c->tokens[n];
	return NULL;
}

static void check_fact(struct claims *c, size_t i, int dir)
{
	struct token *t = fact_near(c, i);

	int fact_dir =
		t && t->mark->bound && t->mark->of_fact ? rank_of_fact(t->mark->ref.formula) : 0;

	if (fact_dir == -dir)
		token_refute(t);
	else if (fact_dir == dir)
		token_confirm(c, i);
}

/* "Third is wei.zhang with 963", "Ascend third": a place in a ranking; excludes "second half". */
static bool is_place(const struct claims *c, size_t i)
{
	const struct token *t = &c->tokens[i];
	bool ordinal = token_has_cue(c, i, CUE_ORDINAL) ||
		       (t->kind == TOKEN_NUMBER && t->mark->shown.kind == SHOWN_RANK);

	if (!ordinal || token_has_cue(c, i + 1, CUE_MOST | CUE_LEAST))
		return false;
	if (i > 0 && c->tokens[i - 1].kind == TOKEN_WORD && token_breaks(c, i + 1, "(,"))
		return true; /* "comes second (1,591)" */
	if (i + 1 < c->count && c->tokens[i + 1].kind == TOKEN_NAME)
		return true;
	if (token_has_cue(c, i + 1, CUE_AND))
		return false;
	return token_has_cue(c, i + 1, CUE_PLACE | CUE_AUX) ||
	       (i > 0 && c->tokens[i - 1].kind == TOKEN_NAME &&
		(i + 1 >= c->count || c->tokens[i + 1].kind != TOKEN_WORD));
}

static int value_of_place(const struct token *t)
{
	return t->kind == TOKEN_NUMBER ? (int)t->mark->shown.value : t->value;
}

static bool is_ascending(const struct known_table *kt, size_t col)
{
	for (size_t r = 1; r < kt->t->row_count; r++)
		if (kt->values[r][col] < kt->values[r - 1][col])
			return false;
	return true;
}

/* Counts places from the top, or from the bottom when the data or the answer is in ascending
 * order. */
static void check_place(struct claims *c, size_t i)
{
	struct token *cell = cell_of(c, i);
	int place = value_of_place(&c->tokens[i]);
	const struct recent *r = cell ? &cell->mark->amount : NULL;
	enum fit fit;
	bool up = false;

	if (!r || place < 1)
		return;
	fit = fit_of_rank(c, r, 1, (size_t)place);
	for (size_t n = 0; n < c->count; n++)
		up = up || token_has_cue(c, n, CUE_LEAST);
	if (fit == FIT_NO && (up || is_ascending(&c->k->tables[r->table], (size_t)r->column)))
		fit = fit_of_rank(c, r, -1, (size_t)place);
	if (fit == FIT_NO)
		token_refute(cell);
	else if (fit == FIT_YES)
		token_confirm(c, i);
}

void claims_of_ranks(struct claims *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (is_place(c, i))
			check_place(c, i);
	for (size_t i = 0; i < c->count; i++) {
		struct token *date = token_has_cue(c, i, CUE_LATE | CUE_EARLY) &&
						     !token_has_cue(c, i + 1, CUE_AT)
					     ? date_of(c, i)
					     : NULL;

		if (date)
			check_rank(c, i, date, token_has_cue(c, i, CUE_LATE) ? 1 : -1, 1);
	}
	for (size_t i = 0; i < c->count; i++) {
		int dir = claim_superlative(c, i);
		struct token *cell = dir ? cell_of(c, i) : NULL;

		if (!dir)
			continue;
		if (!cell)
			check_fact(c, i, dir);
		else
			check_rank(c, i, cell, dir, (size_t)place_before(c, i));
	}
}

/* ---- hours given by a fact ---- */

/* Reads the two hours of a range. Returns false when the text is not one. */
static bool read_hours(const struct unit_words *u, const char *text, guard_value hours[2])
{
	struct reader r;
	struct shown s;
	size_t len = text ? strlen(text) : 0, at = 0, plain, found = 0;

	reader_init(&r, u);
	r.line_start = false;
	for (; found < 2 && reader_next(&r, text + at, len - at, true, &plain, &s);
	     at += plain + s.len) {
		reader_consume_number(&r, text + at + plain, &s);
		if (s.kind == SHOWN_HOUR)
			hours[found++] = s.value;
	}
	return found == 2;
}

static bool is_hour(const struct claims *c, size_t i)
{
	return c->tokens[i].kind == TOKEN_NUMBER && c->tokens[i].mark->shown.kind == SHOWN_HOUR;
}

void claims_of_hours(struct claims *c)
{
	for (size_t f = 0; f < c->k->hours.count; f++) {
		const struct hour_fact *fact = &c->k->hours.facts[f];
		guard_value hours[2];
		bool is_described = false;

		if (!read_hours(&c->k->units, fact->text, hours))
			continue;
		for (size_t i = 0; i < c->count; i++) {
			const struct token *t = &c->tokens[i];

			is_described =
				is_described || (t->kind == TOKEN_WORD && t->word == fact->word) ||
				(t->kind == TOKEN_NUMBER && t->mark->bound && t->mark->of_fact &&
				 t->mark->ref.formula && rank_of_fact(t->mark->ref.formula) &&
				 strncasecmp(t->mark->ref.formula, fact->name,
					     strcspn(fact->name, "_")) == 0);
		}
		for (size_t i = 0; is_described && i + 1 < c->count; i++) {
			size_t b = i + 1 + token_has_cue(c, i + 1, CUE_TO | CUE_AND);

			if (!is_hour(c, i) || b >= c->count || !is_hour(c, b))
				continue;
			if (c->tokens[i].mark->shown.value != hours[0] ||
			    c->tokens[b].mark->shown.value != hours[1])
				token_refute(&c->tokens[b]);
		}
	}
}
