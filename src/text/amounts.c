/*
 * Reads amounts with units ("12 cents a kWh") and bounds ("above $60", "at most twenty", "over
 * 2M"). A bound that is not fully understood ("not much above 60") is marked unclear and must not
 * be used.
 */
#include "text_int.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define NEGATION_DISTANCE 3 /* words before a bound searched for a negation */
#define NUMBER_BYTES      40

/* ---- numbers ---- */

/* Copies the digits at p without thousands separators. Returns the bytes read; 0: none, or too
 * many. */
static size_t digits_at(const char *p, char out[NUMBER_BYTES])
{
	size_t n = 0, len = 0;
	bool point = false;

	for (;; n++) {
		bool thousands = p[n] == ',' && !point && isdigit((unsigned char)p[n + 1]) &&
				 isdigit((unsigned char)p[n + 2]) &&
				 isdigit((unsigned char)p[n + 3]) &&
				 !isdigit((unsigned char)p[n + 4]);
		bool dot = p[n] == '.' && !point && isdigit((unsigned char)p[n + 1]);

		if (thousands)
			continue;
		if (!dot && !isdigit((unsigned char)p[n]))
			break;
		if (len + 1 == NUMBER_BYTES)
			return 0;
		point = point || dot;
		out[len++] = p[n];
	}
	out[len] = '\0';
	return n;
}

/* The first token at or after this byte. */
static size_t token_from(const struct question *q, size_t byte, size_t i)
{
	while (i < q->count && q->tokens[i].from < byte)
		i++;
	return i;
}

/* ---- units ---- */

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* The length of `word` if it occurs at p as a whole word; 0: it does not. */
static size_t match_whole_word(const char *p, const char *word)
{
	size_t n = strlen(word);

	if (n == 0 || strncasecmp(p, word, n) != 0 ||
	    (isalnum((unsigned char)word[n - 1]) && is_letter(p[n])))
		return 0;
	return n;
}

/* The longest unit at p that is a whole word. */
static const struct unit_def *unit_at(const struct units *u, const char *p, size_t *bytes)
{
	const struct unit_def *best = NULL;

	*bytes = 0;
	for (size_t i = 0; i < u->count; i++) {
		const struct unit_def *unit = &u->items[i];
		size_t n = match_whole_word(p, unit->symbol);

		for (const char *const *w = unit->spellings; *w; w++)
			if (match_whole_word(p, *w) > n)
				n = match_whole_word(p, *w);
		for (const char *const *w = unit->glued; *w; w++)
			if (match_whole_word(p, *w) > n)
				n = match_whole_word(p, *w);
		if (n > *bytes) {
			*bytes = n;
			best = unit;
		}
	}
	return best;
}

/* Reads "60.5", "1,200", "€40" or "sixty" at token i, from byte *begin to *end. */
static bool number_at(const struct units *u, const struct question *q, size_t i,
		      struct decimal *out, size_t *begin, size_t *end)
{
	const struct token *t = token_at(q, i);
	char digits[NUMBER_BYTES];
	size_t n = 0;

	if (t->used)
		return false;
	*begin = t->from;
	if (t->number < 0 && !t->has_digit && token_number(t) >= 0) {
		*out = decimal_int(token_number(t));
		*end = t->to;
		return true;
	}
	if (t->has_digit && (unsigned char)q->text[t->from] >= 0x80 &&
	    unit_at(u, q->text + t->from, &n))
		*begin += n;
	if (!t->has_digit || !isdigit((unsigned char)q->text[*begin]))
		return false;
	n = digits_at(q->text + *begin, digits);
	*end = *begin + n;
	return n > 0 && decimal_parse(digits, out);
}

static size_t blanks_at(const char *p)
{
	return strspn(p, " \t");
}

/* Applies a multiplier such as "2M" or "3 million" after byte *end and moves *end past it. A
 * separate letter ("60 m") may have another meaning. */
static void read_multiplier(const struct question *q, size_t *end, struct amount *out)
{
	size_t gap = blanks_at(q->text + *end), best = 0;
	int64_t scale = 1;

	for (size_t i = 0; q->language && i < q->language->multiplier_count; i++) {
		const struct multiplier *m = &q->language->multipliers[i];
		size_t n = match_whole_word(q->text + *end + gap, m->word);

		if (n <= best)
			continue;
		best = n;
		scale = m->scale;
	}
	if (best == 0)
		return;
	*end += gap + best;
	out->ambiguous = (gap > 0 && best == 1) ||
			 !decimal_mul(out->number, decimal_int(scale), &out->number);
}

/* The quotient of two units, from the registry or newly created. NULL: the quotient of their
 * scales is not exact. */
static const struct unit_def *unit_per(const struct units *u, const struct unit_def *of,
				       const struct unit_def *per, struct arena *a)
{
	struct unit_def made = {
		.symbol = arena_printf(a, "%s/%s", of->symbol, per->symbol),
		.dimension = arena_printf(a, "%s/%s", of->dimension, per->dimension),
		.style = STYLE_AFTER,
	};
	struct decimal back;
	struct unit_def *out;

	if (!decimal_div(of->scale, per->scale, DECIMAL_SCALE_MAX, &made.scale) ||
	    !decimal_mul(made.scale, per->scale, &back) || decimal_cmp(back, of->scale) != 0)
		return NULL;
	for (size_t i = 0; i < u->count; i++)
		if (strcmp(u->items[i].dimension, made.dimension) == 0 &&
		    decimal_cmp(u->items[i].scale, made.scale) == 0)
			return &u->items[i];
	out = arena_alloc(a, sizeof(*out));
	*out = made;
	return out;
}

/* Reads "per kWh", "a kWh" or "/kWh" after a unit. NULL: none. */
static const struct unit_def *per_at(const struct units *u, const struct question *q, size_t at,
				     size_t *end)
{
	const char *p = q->text + at;
	size_t gap = blanks_at(p), n;
	const struct unit_def *unit;

	if (p[gap] == '/') {
		gap++;
	} else {
		size_t i = token_from(q, at, 0);
		const struct token *t = token_at(q, i);

		if (t->from != at + gap || t->used || !token_in_list(t, WORDS_PER))
			return NULL;
		gap = t->to - at;
	}
	gap += blanks_at(p + gap);
	unit = unit_at(u, p + gap, &n);
	*end = at + gap + n;
	return unit && unit->dimension && !strchr(unit->dimension, '/') ? unit : NULL;
}

/* The unit before the number at byte `begin` of token i: "$60", "USD 60". *from: its first token.
 */
static const struct unit_def *unit_before(const struct units *u, const struct question *q, size_t i,
					  size_t begin, size_t *from)
{
	size_t back = begin;
	const struct token *before = i > 0 ? &q->tokens[i - 1] : NULL;
	size_t after = before ? before->to : 0, n;
	const struct unit_def *unit;

	while (back > after && !strchr(" <>=", q->text[back - 1]))
		back--;
	unit = back < begin ? unit_at(u, q->text + back, &n) : NULL;
	if (unit && n == begin - back)
		return unit;
	if (!before || before->used || q->tokens[i].separator != ' ')
		return NULL;
	unit = unit_at(u, q->text + before->from, &n);
	if (!unit || before->from + n != before->to || unit->style != STYLE_MONEY)
		return NULL;
	*from = i - 1;
	return unit;
}

static bool is_used_at(const struct question *q, size_t byte, size_t i)
{
	const struct token *t = token_at(q, token_from(q, byte, i));

	return t->used && t->len > 0 && t->from == byte;
}

/* Reads the unit of the number at token out->from, which spans bytes `begin` to `end`. */
static void read_unit(const struct units *u, const struct question *q, size_t begin, size_t end,
		      struct arena *a, struct amount *out)
{
	size_t number = out->from, n, to;
	const struct unit_def *prefix = unit_before(u, q, number, begin, &out->from), *per, *unit;

	if (prefix) {
		out->unit = prefix;
		per = per_at(u, q, end, &to);
	} else {
		size_t gap = blanks_at(q->text + end);

		unit = unit_at(u, q->text + end + gap, &n);
		if (unit && is_used_at(q, end + gap, number + 1))
			unit = NULL; /* "5 days": read as a time */
		if (!unit) {
			/* "60k": adjacent letters that are not a unit */
			out->ambiguous = out->ambiguous || is_letter(q->text[end]);
			out->to = token_from(q, end, number + 1);
			return;
		}
		out->unit = unit;
		end += gap + n;
		per = per_at(u, q, end, &to);
	}
	if (per) {
		out->unit = unit_per(u, out->unit, per, a);
		out->ambiguous = out->ambiguous || !out->unit;
		end = to;
	}
	out->to = token_from(q, end, number + 1);
	if (is_letter(q->text[end]) && end > 0 && is_letter(q->text[end - 1]))
		out->ambiguous = true;
}

/* ---- bounds ---- */

/* A negation right before reverses the bound ("no more than"). One further away makes it unclear.
 */
static void apply_negation(const struct question *q, struct amount *out)
{
	for (size_t back = 1; back <= NEGATION_DISTANCE && back <= out->from; back++) {
		size_t i = out->from - back;

		if (q->tokens[i + 1].starts_sentence)
			return;
		if (!token_in_list(&q->tokens[i], WORDS_BOUND_NEGATIONS))
			continue;
		if (back > 1) {
			out->ambiguous = true;
			return;
		}
		out->from = i;
		out->inclusive = !out->inclusive;
		out->side = out->side == BOUND_ABOVE ? BOUND_BELOW : BOUND_ABOVE;
		return;
	}
}

/* Reads the number at token i with its unit. Returns false when there is none. */
static bool amount_at(const struct units *u, const struct question *q, size_t i, struct arena *a,
		      struct amount *out)
{
	size_t begin, end;

	*out = (struct amount){.from = i};
	if (!number_at(u, q, i, &out->number, &begin, &end))
		return false;
	read_multiplier(q, &end, out);
	read_unit(u, q, begin, end, a, out);
	return true;
}

/* Reads "above $60", "over a hundred" at token i. */
static bool read_prefix_bound(const struct units *u, const struct question *q, size_t i,
			      struct arena *a, struct amount *out)
{
	size_t above = words_at(q, i, WORDS_ABOVE), below = words_at(q, i, WORDS_BELOW);
	size_t at = i + (above ? above : below);

	if (!above && !below)
		return false;
	at += token_in_list(token_at(q, at), WORDS_BOUND_FILLERS);
	if (!amount_at(u, q, at, a, out)) {
		/* "above USD 60" */
		if (token_at(q, at)->used || !amount_at(u, q, at + 1, a, out) || out->from != at)
			return false;
	}
	out->from = i;
	out->side = above ? BOUND_ABOVE : BOUND_BELOW;
	out->inclusive = words_at(q, i, WORDS_BOUND_INCLUSIVE) > 0;
	apply_negation(q, out);
	return true;
}

/* ">= $60", "<60": a sign between the previous word and the number. */
static bool read_sign_bound(const struct units *u, const struct question *q, size_t i,
			    struct arena *a, struct amount *out)
{
	size_t at = i > 0 ? q->tokens[i - 1].to : 0, begin, end;
	struct decimal number;

	if (!number_at(u, q, i, &number, &begin, &end))
		return false;
	at += strcspn(q->text + at, "<>");
	if (at >= begin || !amount_at(u, q, i, a, out))
		return false;
	out->side = q->text[at] == '>' ? BOUND_ABOVE : BOUND_BELOW;
	out->inclusive = q->text[at + 1] == '=';
	return true;
}

/* "60 or more" */
static bool read_postfix_bound(const struct units *u, const struct question *q, size_t i,
			       struct arena *a, struct amount *out)
{
	size_t above, below;

	if (!amount_at(u, q, i, a, out))
		return false;
	above = words_at(q, out->to, WORDS_ABOVE_POSTFIX);
	below = words_at(q, out->to, WORDS_BELOW_POSTFIX);
	if (!above && !below)
		return false;
	out->side = above ? BOUND_ABOVE : BOUND_BELOW;
	out->inclusive = true;
	out->to += above ? above : below;
	return true;
}

/* "between 40 and 50": two bounds of one phrase. */
static size_t read_between(const struct units *u, const struct question *q, size_t i,
			   struct arena *a, struct amount out[2])
{
	if (!token_in_list(&q->tokens[i], WORDS_BETWEEN) || !amount_at(u, q, i + 1, a, &out[0]) ||
	    !token_in_list(token_at(q, out[0].to), WORDS_AND) ||
	    !amount_at(u, q, out[0].to + 1, a, &out[1]))
		return 0;
	if (!out[0].unit)
		out[0].unit = out[1].unit;
	else if (!out[1].unit)
		out[1].unit = out[0].unit;
	for (int n = 0; n < 2; n++) {
		out[n].from = i;
		out[n].to = out[1].to;
		out[n].inclusive = true;
		out[n].ambiguous = out[0].ambiguous || out[1].ambiguous;
		out[n].side = n == 0 ? BOUND_ABOVE : BOUND_BELOW;
	}
	return 2;
}

static void mark_used(struct question *q, const struct amount *m)
{
	for (size_t i = m->from; i < m->to && i < q->count; i++)
		q->tokens[i].used = true;
}

/* "negative prices" */
static bool read_below_zero(const struct question *q, size_t i, struct amount *out)
{
	size_t n = words_at(q, i, WORDS_BELOW_ZERO);

	if (n == 0 || q->tokens[i].used ||
	    (i > 0 && token_in_list(&q->tokens[i - 1], WORDS_BOUND_NEGATIONS)))
		return false;
	*out = (struct amount){.from = i, .to = i + n, .side = BOUND_BELOW};
	return decimal_parse("0", &out->number);
}

size_t amounts_find_bounds(const struct units *u, struct question *q, struct arena *a,
			   struct amount *out, size_t max)
{
	size_t count = 0;

	for (size_t i = 0; i < q->count && count + 2 <= max; i++) {
		size_t n = read_between(u, q, i, a, &out[count]);

		if (n == 0)
			n = read_prefix_bound(u, q, i, a, &out[count]) ||
			    read_sign_bound(u, q, i, a, &out[count]) ||
			    read_postfix_bound(u, q, i, a, &out[count]) ||
			    read_below_zero(q, i, &out[count]);
		if (n == 0)
			continue;
		mark_used(q, &out[count]);
		i = out[count].to - 1;
		count += n;
	}
	return count;
}

size_t amounts_find_plain(const struct units *u, struct question *q, amount_unit_filter is_accepted,
			  void *owner, struct arena *a, struct amount *out, size_t max)
{
	size_t count = 0;

	for (size_t i = 0; i < q->count && count < max; i++) {
		if (q->tokens[i].number < 0 && !q->tokens[i].has_digit &&
		    token_number(&q->tokens[i]) < 0)
			continue;
		if (!amount_at(u, q, i, a, &out[count]) || !out[count].unit ||
		    !is_accepted(owner, out[count].unit))
			continue;
		mark_used(q, &out[count]);
		i = out[count].to - 1;
		count++;
	}
	return count;
}
