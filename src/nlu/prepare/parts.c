/*
 * Splits questions with two subjects: "the NP15 average for 2025 and the report with most views".
 * The clauses between joints are scored separately. Neighbouring clauses of one domain form one
 * part.
 */
#include "nlu_int.h"

#include <string.h>

#include "vesper/limits.h"

#define PARTS_MAX  4
#define HALVES_MAX 4 /* maximum number of joints at which a split in two is tried */

struct part {
	size_t from, to; /* tokens */
	const struct domain_def *domain;
};

static bool is_joint(const struct question *q, size_t i)
{
	const struct token *t = &q->tokens[i];

	return i > 0 && (t->separator == ';' || t->separator == '.' || t->separator == '?' ||
			 t->separator == ',' || token_in_list(t, WORDS_CLAUSE_JOINTS));
}

/* Domains that share a tool count as the same subject. */
static bool same_subject(const struct domain_def *a, const struct domain_def *b)
{
	for (size_t i = 0; i < a->tool_count; i++)
		for (size_t k = 0; k < b->tool_count; k++)
			if (a->tools[i] == b->tools[k])
				return true;
	return a == b;
}

/* The score of the domain's best tool for the clause. */
static double best_tool_score(const struct catalog_view *v, const struct text_score *text,
			      const struct domain_def *d)
{
	double best = 0;

	for (size_t i = 0; i < v->tool_count; i++)
		if (text->tools[i] > best && catalog_allows(v, v->tools[i], d->agent))
			best = text->tools[i];
	return best;
}

/* Returns true for a clause that only sorts the clause before it: "biggest first". */
static bool is_ordering_only(const struct nlu *k, const struct question *q, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		const struct token *t = &q->tokens[i];

		if (!token_in_list(t, WORDS_SUPERLATIVE) && !token_in_list(t, WORDS_RANKING) &&
		    !nlu_is_stop_word(k, t))
			return false;
	}
	return true;
}

/* Returns true for a single word after a cue of an analysis. It is an operand of the analysis:
 * "lookalikes by sales, visits and calls". */
static bool is_operand(const struct nlu *k, const struct question *q, size_t from, size_t to)
{
	size_t words = 0;

	for (size_t i = from; i < to; i++)
		words += !nlu_is_stop_word(k, &q->tokens[i]) &&
			 !token_in_list(&q->tokens[i], WORDS_CLAUSE_JOINTS);
	for (size_t i = 0; i < from && words <= 1; i++)
		if (map_words_cue_length(k, q, i) > 0)
			return true;
	return false;
}

/* The domain of a clause; NULL: none, or several different ones. */
static const struct domain_def *subject_of(const struct nlu *k, const struct nlu_input *in,
					   const struct question *q, size_t from, size_t to,
					   struct arena *a)
{
	const struct catalog_view *v = in->may;
	const struct domain_def *best = NULL;
	double most = 0, second = 0;
	struct text_score text;

	if (is_ordering_only(k, q, from, to) || is_operand(k, q, from, to))
		return NULL;
	router_score_text(k, in, q, from, to, false, a, &text);
	for (size_t d = 0; d < v->domain_count; d++) {
		double here = best_tool_score(v, &text, v->domains[d]);

		if (here > most) {
			most = here;
			best = v->domains[d];
		}
	}
	for (size_t d = 0; best && d < v->domain_count; d++) {
		double here = best_tool_score(v, &text, v->domains[d]);

		if (here > second && !same_subject(best, v->domains[d]))
			second = here;
	}
	return most >= k->catalog->router.part.least &&
			       most - second >= k->catalog->router.part.clear
		       ? best
		       : NULL;
}

/* Adds a clause to the previous part, or as a new part if its subject differs. */
static size_t add_clause(struct part *parts, size_t n, size_t from, size_t to,
			 const struct domain_def *domain)
{
	if (n > 0 &&
	    (!domain || !parts[n - 1].domain || same_subject(parts[n - 1].domain, domain))) {
		parts[n - 1].to = to;
		if (!parts[n - 1].domain)
			parts[n - 1].domain = domain;
		return n;
	}
	if (n == PARTS_MAX) {
		parts[n - 1].to = to;
		return n;
	}
	parts[n] = (struct part){from, to, domain};
	return n + 1;
}

static bool has_joint(const struct question *q)
{
	for (size_t i = 1; i < q->count; i++)
		if (is_joint(q, i))
			return true;
	return false;
}

size_t parts_of(const struct nlu *k, const struct nlu_input *in, const struct question *q,
		struct arena *a, const char *const **out)
{
	struct part parts[PARTS_MAX];
	const char **texts;
	size_t n = 0, from = 0;

	if (in->may->domain_count < 2 || q->count > NLU_WORDS_MAX || !has_joint(q) ||
	    followup_opens_with_drop(q))
		return 0;
	for (size_t i = 1; i <= q->count; i++) {
		if (i < q->count && !is_joint(q, i))
			continue;
		n = add_clause(parts, n, from, i, subject_of(k, in, q, from, i, a));
		from = i;
	}
	if (n < 2)
		return 0;
	texts = arena_alloc(a, n * sizeof(*texts));
	for (size_t i = 0; i < n; i++) {
		size_t first = parts[i].from;

		while (first + 1 < parts[i].to &&
		       token_in_list(&q->tokens[first], WORDS_CLAUSE_JOINTS))
			first++;
		texts[i] = text_between(q, first, parts[i].to, a);
	}
	*out = texts;
	return n;
}

/* Returns true for two or more words with at least one content word. */
static bool is_clause(const struct nlu *k, const struct question *q, size_t from, size_t to)
{
	size_t words = 0;
	bool has_content = false;

	for (size_t i = from; i < to; i++) {
		words += !token_in_list(&q->tokens[i], WORDS_CLAUSE_JOINTS);
		has_content = has_content || !nlu_is_stop_word(k, &q->tokens[i]);
	}
	return words > 1 && has_content;
}

size_t nlu_clause_count(const struct nlu *k, const char *question, struct arena *a)
{
	struct question q;
	size_t n = 0, from = 0;

	text_tokenize(k->catalog->language, question, a, &q);
	for (size_t i = 1; i <= q.count; i++) {
		if (i < q.count && !is_joint(&q, i))
			continue;
		n += is_clause(k, &q, from, i);
		from = i;
	}
	return n;
}

size_t parts_halves(const struct nlu_input *in, const struct question *q, struct arena *a,
		    const char *const (**out)[2])
{
	const char *(*halves)[2] = arena_alloc(a, HALVES_MAX * sizeof(*halves));
	size_t n = 0;

	if (in->may->domain_count < 2)
		return 0;
	for (size_t i = 1; i < q->count && q->count <= NLU_WORDS_MAX && n < HALVES_MAX; i++) {
		size_t second = i;

		if (!is_joint(q, i))
			continue;
		while (second + 1 < q->count &&
		       token_in_list(&q->tokens[second], WORDS_CLAUSE_JOINTS))
			second++;
		halves[n][0] = text_between(q, 0, i, a);
		halves[n][1] = text_between(q, second, q->count, a);
		n++;
	}
	*out = (const char *const(*)[2])halves;
	return n;
}
