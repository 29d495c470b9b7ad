/*
 * Scores tools for the words of a question with BM25. The documents are the tool's and domain's
 * texts (name, description, parameters, example questions), with a weight per field. Values, dates
 * and numbers are removed first; params.c scores them by the parameters that take them.
 */
#include "nlu_int.h"

#include <math.h>
#include <string.h>

#include "vesper/limits.h"

#define WORDS_MAX 64 /* distinct words of a question that are scored */

struct posting {
	uint32_t document;
	float weight;
};

struct term {
	const char *stem;
	size_t len;
	struct posting *postings;
	size_t count, cap;
	double idf;
};

/* Documents: first the catalogue's tools, then its domains. */
struct router {
	struct arena *arena;
	const struct router_weights *weights;
	size_t closed_terms; /* number of terms that accept no more documents */
	struct dict terms;
	struct dict labels; /* of all columns, folded */
	struct term *items;
	size_t count, cap;
	double *lengths; /* by document */
	size_t tool_count, domain_count;
	size_t indexed_tools; /* tools in the index: all except those for agents only */
	double average_tool, average_domain;
};

size_t nlu_canonical_stem(const struct nlu *k, const struct token *t, char stem[STEM_BYTES])
{
	size_t n = word_stem(t->text, t->len, stem);
	int meaning = dict_find(&k->synonyms, stem, n);

	return meaning < 0 ? n
			   : word_stem(k->meanings[meaning], strlen(k->meanings[meaning]), stem);
}

size_t nlu_noun_stem(const struct nlu *k, const struct token *t, char stem[STEM_BYTES])
{
	size_t n = word_stem(t->text, t->len, stem);
	int form = dict_find(&k->noun_forms, t->text, t->len);

	if (form >= 0)
		return word_stem(k->meanings[form], strlen(k->meanings[form]), stem);
	return dict_find(&k->noun_stems, stem, n) >= 0 ? n : nlu_canonical_stem(k, t, stem);
}

static int term_of(struct router *r, const char *stem, size_t n)
{
	int id = dict_find(&r->terms, stem, n);

	if (id >= 0)
		return id;
	if (r->count == r->cap) {
		size_t cap = r->cap ? r->cap * 2 : 256;
		struct term *items = arena_alloc(r->arena, cap * sizeof(*items));

		if (r->count > 0)
			memcpy(items, r->items, r->count * sizeof(*items));
		r->items = items;
		r->cap = cap;
	}
	dict_put(&r->terms, stem, n, (int)r->count);
	r->items[r->count] = (struct term){.stem = arena_strndup(r->arena, stem, n), .len = n};
	return (int)r->count++;
}

static void add_posting(struct router *r, struct term *t, uint32_t document, double weight)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->postings[i].document == document) {
			t->postings[i].weight += (float)weight;
			return;
		}
	if (t->count == t->cap) {
		size_t cap = t->cap ? t->cap * 2 : 4;
		struct posting *grown = arena_alloc(r->arena, cap * sizeof(*grown));

		if (t->count > 0)
			memcpy(grown, t->postings, t->count * sizeof(*grown));
		t->postings = grown;
		t->cap = cap;
	}
	t->postings[t->count++] = (struct posting){document, (float)weight};
}

/* A stop word counts when it is a synonym of a tool word ("who": users). */
static bool is_scored_word(const struct nlu *k, const struct token *t)
{
	char stem[STEM_BYTES];
	size_t n;

	if ((t->used && !t->is_tool_word) || !t->has_letter || t->len < 2)
		return false;
	if (!nlu_is_stop_word(k, t))
		return true;
	n = word_stem(t->text, t->len, stem);
	return dict_find(&k->synonyms, stem, n) >= 0;
}

#define SCRATCH_BYTES 65536

static void mark_names(const struct nlu *k, struct question *q);

static void add_words(struct nlu *k, struct router *r, uint32_t document, const struct question *q,
		      double weight)
{
	char stem[STEM_BYTES];

	for (size_t i = 0; i < q->count; i++) {
		int term;

		if (!is_scored_word(k, &q->tokens[i]))
			continue;
		term = term_of(r, stem, nlu_canonical_stem(k, &q->tokens[i], stem));
		if ((size_t)term < r->closed_terms)
			continue;
		add_posting(r, &r->items[term], document, weight);
		r->lengths[document] += weight;
	}
}

static void add_text(struct nlu *k, struct router *r, uint32_t document, const char *text,
		     double weight)
{
	struct arena *scratch;
	struct question q;

	if (!text)
		return;
	scratch = arena_new(SCRATCH_BYTES);
	text_tokenize(k->catalog->language, text, scratch, &q);
	mark_names(k, &q);
	add_words(k, r, document, &q, weight);
	arena_free(&scratch);
}

/* Excludes names in descriptions and examples ("such as Jan_2025", "for NP15") from a tool's
 * words. */
static void mark_names(const struct nlu *k, struct question *q)
{
	for (size_t i = 0; i < q->count; i++) {
		struct token *t = &q->tokens[i];

		/* HB_NORTH, but not get_task_risks */
		if (t->capitalized && (t->separator == '_' || token_at(q, i + 1)->separator == '_'))
			t->used = true;
	}
	for (size_t i = 0; i < q->count; i++) {
		struct token *t = &q->tokens[i];

		if (t->capitalized && names_find_catalog_dimension(k->names, t->text, t->len) >= 0)
			t->used = true;
	}
}

static void index_prepositions(struct nlu *k, const char *example)
{
	struct question q;

	text_tokenize(k->catalog->language, example, k->arena, &q);
	for (size_t i = 1; i < q.count; i++) {
		const struct token *before = &q.tokens[i - 1];
		int d = names_find_catalog_dimension(k->names, q.tokens[i].text, q.tokens[i].len);

		if (d >= 0 && nlu_is_stop_word(k, before) &&
		    dict_find(&k->prepositions, before->text, before->len) < 0)
			dict_put(&k->prepositions, before->text, before->len, d);
	}
}

static void add_tool(struct nlu *k, struct router *r, const struct tool_def *t, uint32_t at)
{
	double length;

	add_text(k, r, at, t->name, r->weights->words.name);
	add_text(k, r, at, t->about, r->weights->words.about);
	length = r->lengths[at];
	add_text(k, r, at, t->words.asked, r->weights->words.example);
	r->lengths[at] = length; /* synonyms do not make the description less specific */
	for (size_t p = 0; p < t->param_count; p++) {
		/* slots need no words */
		if (t->params[p].slot != SLOT_NONE || t->params[p].bound_of)
			continue;
		add_text(k, r, at, t->params[p].name, r->weights->words.param);
		add_text(k, r, at, t->params[p].about, r->weights->words.param);
	}
}

/* Adds column labels with their own weight: "buyer" and "tenor" of a project. */
static void add_columns(struct nlu *k, struct router *r, const struct tool_def *t, uint32_t at)
{
	for (size_t c = 0; c < t->column_count; c++) {
		struct folded label;

		add_text(k, r, at, t->columns[c].label, r->weights->words.column);
		if (!t->columns[c].label)
			continue;
		text_fold(t->columns[c].label, &label);
		dict_put(&r->labels, label.key, label.len, 1);
	}
}

/* A capitalized word within an example sentence is a name. */
static void add_example(struct nlu *k, struct router *r, uint32_t at, const char *text)
{
	struct question q;

	text_tokenize(k->catalog->language, text, r->arena, &q);
	mark_names(k, &q);
	for (size_t i = 0; i < q.count; i++)
		q.tokens[i].used = q.tokens[i].used ||
				   (q.tokens[i].capitalized && !q.tokens[i].starts_sentence);
	add_words(k, r, at, &q, r->weights->words.example);
}

/* A domain is indexed by its own texts. Its tools may be shared and do not describe it. */
static void add_domain(struct nlu *k, struct router *r, const struct domain_def *d, uint32_t at)
{
	add_text(k, r, at, d->about, r->weights->words.about);
	add_text(k, r, at, d->intent, r->weights->words.about);
	for (size_t i = 0; d->examples && d->examples[i]; i++) {
		add_example(k, r, at, d->examples[i]);
		index_prepositions(k, d->examples[i]);
	}
}

static double mean_length(const double *lengths, size_t all, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < all; i++)
		sum += lengths[i];
	return n > 0 && sum > 0 ? sum / (double)n : 1;
}

/* The inverse document frequency. A tool that only mentions the word counts as a fraction of one
 * that has it in its name. */
static double inverse_document_frequency(const struct router *r, const struct term *t)
{
	double most = 0, tools = 0, n = (double)r->indexed_tools;

	for (size_t p = 0; p < t->count; p++)
		if (t->postings[p].document < r->tool_count && t->postings[p].weight > most)
			most = t->postings[p].weight;
	for (size_t p = 0; p < t->count; p++)
		if (t->postings[p].document < r->tool_count)
			tools += t->postings[p].weight / most;
	return log(1 + (n - tools + 0.5) / (tools + 0.5));
}

struct router *router_new(struct nlu *k)
{
	const struct catalog *c = k->catalog;
	struct router *r = arena_alloc(k->arena, sizeof(*r));

	r->arena = k->arena;
	r->weights = &c->router;
	r->tool_count = c->tool_count;
	r->domain_count = c->domain_count;
	r->lengths =
		arena_alloc(k->arena, sizeof(*r->lengths) * (c->tool_count + c->domain_count + 1));
	dict_init(&r->labels, k->arena);
	dict_init(&r->terms, k->arena);
	for (size_t i = 0; i < c->tool_count; i++) {
		if (c->tools[i].callers.agents_only)
			continue;
		add_tool(k, r, &c->tools[i], (uint32_t)i);
		r->indexed_tools++;
	}
	for (size_t i = 0; i < c->domain_count; i++)
		if (!c->domains[i].by_cues)
			add_domain(k, r, &c->domains[i], (uint32_t)(c->tool_count + i));
	r->closed_terms = r->count;
	for (size_t i = 0; i < c->tool_count; i++)
		if (!c->tools[i].callers.agents_only)
			add_columns(k, r, &c->tools[i], (uint32_t)i);
	for (size_t i = 0; i < r->count; i++)
		r->items[i].idf = inverse_document_frequency(r, &r->items[i]);
	r->average_tool = mean_length(r->lengths, c->tool_count, r->indexed_tools);
	r->average_domain =
		mean_length(r->lengths + c->tool_count, c->domain_count, c->domain_count);
	return r;
}

bool router_has_word(const struct router *r, const char *stem, size_t len)
{
	return dict_find(&r->terms, stem, len) >= 0;
}

bool router_has_label(const struct router *r, const char *key, size_t len)
{
	return dict_find(&r->labels, key, len) >= 0;
}

static double saturated_weight(const struct router *r, const struct posting *p)
{
	bool tool = p->document < r->tool_count;
	double mean = tool ? r->average_tool : r->average_domain;
	double b = r->weights->words.b;
	double norm = r->weights->words.k1 * (1 - b + b * r->lengths[p->document] / mean);

	return p->weight / (norm + p->weight);
}

static bool can_compare(const struct catalog_view *v, const struct dimension_def *d)
{
	for (size_t t = 0; t < v->tool_count; t++)
		for (size_t p = 0; p < v->tools[t]->param_count; p++) {
			const struct param_def *param = &v->tools[t]->params[p];

			if (param->is_list && param->entity && param->slot == SLOT_NONE &&
			    strcmp(param->entity, d->name) == 0)
				return true;
		}
	return false;
}

/* "Which vendor is cheapest", "the cheapest vendor": compares values without a word for it. */
static bool asks_which_of(const struct catalog_view *v, const struct question *q, size_t i)
{
	const struct catalog *c = v->catalog;
	bool asked = token_in_list(&q->tokens[i], WORDS_WHICH);
	bool ranked = token_in_list(&q->tokens[i], WORDS_SUPERLATIVE) &&
		      token_at(q, i + 1)->separator == ' ';

	for (size_t n = i + 1; asked && n < q->count && !ranked; n++)
		ranked = token_in_list(&q->tokens[n], WORDS_COMPARATIVES);
	for (size_t d = 0; ranked && i + 1 < q->count && d < c->dimension_count; d++)
		if (c->dimensions[d].values &&
		    mention_is_label_word(&q->tokens[i + 1], &c->dimensions[d]) &&
		    can_compare(v, &c->dimensions[d]))
			return true;
	return false;
}

/* Scores of one question. */
struct question_score {
	const struct router *router;
	const struct language *language;
	bool *in_view;   /* by document: the caller may use it */
	double *weights; /* by document */
	int seen[WORDS_MAX];
	size_t seen_count, unknown;
	double known, evidence;
};

static bool is_in_view(const struct question_score *t, const struct term *term)
{
	for (size_t p = 0; p < term->count; p++)
		if (t->in_view[term->postings[p].document])
			return true;
	return false;
}

/* Adds each distinct word to the documents that contain it. */
static void add_word(struct question_score *t, const char *stem, size_t n, bool plain)
{
	const struct router *r = t->router;
	int id = dict_find(&r->terms, stem, n);
	const struct term *term;

	if (id < 0 || !is_in_view(t, &r->items[id])) {
		t->unknown += !plain;
		return;
	}
	for (size_t s = 0; s < t->seen_count; s++)
		if (t->seen[s] == id)
			return;
	if (t->seen_count == WORDS_MAX)
		return;
	t->seen[t->seen_count++] = id;
	term = &r->items[id];
	t->known += term->idf;
	t->evidence += plain ? 0 : term->idf;
	for (size_t p = 0; p < term->count; p++)
		t->weights[term->postings[p].document] +=
			term->idf * saturated_weight(r, &term->postings[p]);
}

static void add_concept(struct question_score *t, enum concept which)
{
	const char *word = t->language->concepts[which];
	char stem[STEM_BYTES];

	add_word(t, stem, word_stem(word, strlen(word), stem), true);
}

void router_score_text(const struct nlu *k, const struct nlu_input *in, const struct question *q,
		       size_t from, size_t to, bool hours, struct arena *a, struct text_score *out)
{
	const struct catalog *c = k->catalog;
	const struct catalog_view *v = in->may;
	size_t documents = c->tool_count + c->domain_count;
	struct question_score t = {.router = k->router,
				   .language = c->language,
				   .in_view = arena_alloc(a, documents + 1),
				   .weights = arena_alloc(a, sizeof(*t.weights) * (documents + 1))};
	/* "swap A for B", "I meant B": in a follow-up, these words do not name another topic */
	bool follows = json_array_size(json_object_get(in->session_context, "tools")) > 0;
	char stem[STEM_BYTES];

	for (size_t i = 0; i < v->tool_count; i++)
		t.in_view[v->tools[i]->index] = true;
	for (size_t i = 0; i < v->domain_count; i++)
		t.in_view[c->tool_count + v->domains[i]->index] = true;
	for (size_t i = from; i < to; i++)
		if (is_scored_word(k, &q->tokens[i]))
			add_word(&t, stem, nlu_canonical_stem(k, &q->tokens[i], stem),
				 nlu_is_stop_word(k, &q->tokens[i]) ||
					 (follows && !q->tokens[i].is_tool_word &&
					  token_in_list(&q->tokens[i], WORDS_NEUTRAL)));
	/* "do you have": asks what exists, if no other word is known */
	for (size_t i = from; i < to && t.seen_count == 0; i++)
		if (words_at(q, i, WORDS_EXISTENCE))
			add_concept(&t, CONCEPT_EXISTENCE);
	for (size_t i = from; i < to; i++)
		if (asks_which_of(v, q, i))
			add_concept(&t, CONCEPT_COMPARISON);
	if (hours)
		add_concept(&t, CONCEPT_HOURS);
	*out = (struct text_score){
		.tools = arena_alloc(a, sizeof(*out->tools) * (v->tool_count + 1)),
		.domains = arena_alloc(a, sizeof(*out->domains) * (v->domain_count + 1)),
		.known = t.known,
		.evidence = t.evidence,
		.known_words = t.seen_count,
		.unknown_words = t.unknown,
	};
	for (size_t i = 0; i < v->tool_count && t.known > 0; i++)
		out->tools[i] = t.weights[v->tools[i]->index] / t.known;
	for (size_t i = 0; i < v->domain_count && t.known > 0; i++)
		out->domains[i] = t.weights[c->tool_count + v->domains[i]->index] / t.known;
	documents_score(in, q, from, to, out);
}
