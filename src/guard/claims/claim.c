/* Splits a sentence into tokens; helpers for all kinds of claims. */
#include "claim.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static size_t word_bytes(const char *p, size_t n)
{
	size_t len = 0;

	while (len < n && is_word_byte(len ? p[len - 1] : ' ', p[len]))
		len++;
	return len;
}

/* An unambiguous prefix stands for its name: "Nazareth". */
static bool is_short_name(const struct known *k, const struct name *name, const char *p, size_t len,
			  int words)
{
	if (name->id >= 0 || !name->begins || name->only < 0)
		return false;
	return words > 1 || (isupper((unsigned char)*p) && len > 3 &&
			     !known_is_column_word(k, folded_word_key(p, len)));
}

/* The byte length of the longest name at p, or 0. */
static size_t name_bytes(const struct known *k, const char *p, size_t n, struct token *out)
{
	uint64_t key = 0;
	size_t at = 0, found = 0;

	for (int words = 1; words <= NAME_WORDS_MAX; words++) {
		size_t len = word_bytes(p + at, n - at);
		const struct name *name;

		if (len == 0)
			break;
		key = name_join(key, name_word_key(p + at, len));
		name = name_find(&k->names, key);
		at += len;
		if (!name)
			break;
		if (name->id >= 0 && (words > 1 || !name->cased || isupper((unsigned char)*p))) {
			*out = (struct token){
				.kind = TOKEN_NAME, .id = name->id, .slots = name->slots};
			found = at;
		} else if (is_short_name(k, name, p, at, words)) {
			*out = (struct token){.kind = TOKEN_NAME,
					      .id = name->only,
					      .slots = k->names.slots_by_id[name->only]};
			found = at;
		}
		if (!name->begins)
			break;
		while (at < n && strchr(" _-'.", p[at]))
			at++;
	}
	return found;
}

static struct token *add_token(struct claims *c, struct token t)
{
	if (c->count == TOKENS_MAX)
		return NULL;
	c->tokens[c->count] = t;
	return &c->tokens[c->count++];
}

/* `joined`: a dash joins the word to the previous one, so "day-ahead" is not a comparison. */
static void add_word(struct claims *c, const char *p, size_t len, bool joined)
{
	bool season = len == 4 && memcmp(p, "Fall", 4) == 0;
	const struct cue_word *l = season ? NULL : cue_word_find(p, len);

	add_token(c, (struct token){
			     .kind = TOKEN_WORD,
			     .cardinal = words_cardinal(p, len),
			     .word = folded_word_key(p, len),
			     .cue_flags =
				     l ? l->cue_flags & ~(uint32_t)(joined ? CUE_UP | CUE_DOWN : 0)
				       : 0,
			     .value = l ? l->value : 0,
			     .weekday = weekday_of_word(p, len),
			     .month = isupper((unsigned char)*p) ? month_of_word(p, len) : 0});
}

static void add_number(struct claims *c, struct mark *m)
{
	struct token t = {.kind = TOKEN_NUMBER, .mark = m};

	if (m->shown.kind == SHOWN_MONTH || m->shown.kind == SHOWN_DATE ||
	    m->shown.kind == SHOWN_DAY)
		t.month = m->shown.date.month;
	add_token(c, t);
}

static void read_tokens(struct claims *c)
{
	const char *p = c->s->text.p;
	size_t n = c->s->text.n, at = 0, next = 0;

	while (at < n) {
		struct token name;
		size_t len = word_bytes(p + at, n - at), named = 0;

		if (len > 0 && (at == 0 || !is_word_byte(' ', p[at - 1])))
			named = name_bytes(c->k, p + at, n - at, &name);
		if (named > 0) {
			add_token(c, name);
			for (; next < c->s->count && c->s->marks[next].from < at + named; next++)
				add_number(c, &c->s->marks[next]);
			at += named;
		} else if (next < c->s->count && at >= c->s->marks[next].from) {
			add_number(c, &c->s->marks[next]);
			at = c->s->marks[next].from + c->s->marks[next].len;
			next++;
		} else if (len > 0) {
			if (next < c->s->count && c->s->marks[next].from < at + len)
				len = c->s->marks[next].from - at;
			add_word(c, p + at, len, at > 0 && p[at - 1] == '-');
			at += len;
		} else {
			if (strchr(",;:().!?|", p[at]))
				add_token(c, (struct token){.kind = TOKEN_BREAK, .c = p[at]});
			at++;
		}
	}
}

static void note_names(struct claims *c)
{
	c->s->named = 0;
	for (size_t i = 0; i < c->count; i++)
		if (c->tokens[i].kind == TOKEN_NAME)
			c->s->named |= c->tokens[i].slots;
	for (int i = 0; c->s->carried == 0 && i < c->k->question_name_count; i++)
		c->s->carried |= c->k->question_names[i].slots;
}

/* Keeps the names and amounts for the next sentences; without names the earlier ones stay. */
static void store_previous(struct claims *c)
{
	c->s->previous.amount_count = 0;
	for (size_t i = 0; i < c->count && c->s->previous.amount_count < PREVIOUS_AMOUNTS_MAX; i++)
		if (token_is_amount(&c->tokens[i]) && c->tokens[i].mark->bound)
			c->s->previous.amounts[c->s->previous.amount_count++] =
				(struct previous_amount){token_value(&c->tokens[i]),
							 c->tokens[i].mark->shown.unit};
	if (!c->s->named)
		return;
	c->s->previous.count = 0;
	for (size_t i = 0; i < c->count && c->s->previous.count < PREVIOUS_NAMES_MAX; i++)
		if (c->tokens[i].kind == TOKEN_NAME)
			c->s->previous.names[c->s->previous.count++] =
				(struct previous_name){c->tokens[i].id, c->tokens[i].slots};
}

void claims_check(const struct known *k, struct sentence *s)
{
	struct claims c;

	if (k->table_count == 0)
		return;
	c.k = k;
	c.s = s;
	c.count = 0; /* the rest of the 13 KB stays uninitialized */
	read_tokens(&c);
	note_names(&c);
	claims_of_pairs(&c);
	claims_of_derived(&c);
	claims_of_moves(&c);
	claims_of_parts(&c);
	claims_of_comparisons(&c);
	claims_of_ranks(&c);
	claims_of_hours(&c);
	claims_of_repeats(&c);
	claims_of_multiples(&c);
	claims_of_lists(&c);
	claims_of_columns(&c);
	claims_of_days(&c);
	claims_of_groups(&c);
	claims_of_foreign(&c);
	claims_check_unhandled_words(&c);
	if (s->named)
		s->carried |= s->named;
	store_previous(&c);
}

/* ---- helpers ---- */

void token_refute(struct token *t)
{
	t->mark->refuted = true;
	t->mark->bound = t->mark->unchecked = false;
}

void token_confirm(struct claims *c, size_t i)
{
	if (i < c->count)
		c->tokens[i].is_confirmed = true;
}

void claim_bind(struct mark *m, const char *formula)
{
	if (m->bound && !m->unchecked)
		return;
	m->bound = true;
	m->unchecked = false;
	m->ref = (struct guard_ref){.row = -1, .formula = m->formula};
	snprintf(m->formula, sizeof(m->formula), "%s", formula);
}

bool token_is_amount(const struct token *t)
{
	return t->kind == TOKEN_NUMBER && t->mark->shown.kind == SHOWN_NUMBER;
}

guard_value token_value(const struct token *t)
{
	return t->mark->shown.minus ? -t->mark->shown.value : t->mark->shown.value;
}

struct token *claim_nearest_number(struct claims *c, size_t i)
{
	for (size_t n = 1; n < c->count; n++) {
		if (i >= n && c->tokens[i - n].kind == TOKEN_NUMBER)
			return &c->tokens[i - n];
		if (i + n < c->count && c->tokens[i + n].kind == TOKEN_NUMBER)
			return &c->tokens[i + n];
	}
	return NULL;
}

bool row_has_name(const struct known_table *kt, size_t row, int id)
{
	for (size_t col = 0; col < kt->t->column_count; col++)
		if (kt->ids[row][col] == id)
			return true;
	return false;
}

bool column_has_word(const struct known_table *kt, size_t col, uint64_t word)
{
	for (size_t i = 0; word && i < COLUMN_WORDS_MAX && kt->words[col][i]; i++)
		if (kt->words[col][i] == word)
			return true;
	return false;
}

bool mark_matches(const struct mark *m, guard_value v)
{
	guard_value off = (v < 0 ? -v : v) - m->shown.value;

	return (off < 0 ? -off : off) <= m->shown.half;
}

bool units_are_comparable(const struct mark *a, const struct mark *b)
{
	const struct unit_def *x = a->shown.unit, *y = b->shown.unit;

	return !x || !y || units_are_alike(x, y);
}

bool token_has_cue(const struct claims *c, size_t i, uint32_t cue_flags)
{
	return i < c->count && c->tokens[i].kind == TOKEN_WORD &&
	       c->tokens[i].cue_flags & cue_flags;
}

bool token_breaks(const struct claims *c, size_t i, const char *which)
{
	return i < c->count && c->tokens[i].kind == TOKEN_BREAK && strchr(which, c->tokens[i].c);
}
