/*
 * Which words of a question name something. The longest name wins; a name that only means
 * something together with another value ("south" in CAISO) waits until the others are known; what
 * looks like a name and is none becomes trouble, so that nothing unknown ever turns into a filter.
 */
#include "know_int.h"

#include <string.h>

#include "vesper/limits.h"

#define WINDOW_MAX      8 /* words of one name in a question */
#define CANDIDATES_MAX  16
#define CODES_LOOKED_AT 64 /* values of a dimension, to tell whether they are codes */
#define FOUND_MAX       64 /* readings of one window, of all dimensions */

struct mention {
	size_t from, to;
	const struct entry *candidates;
	size_t count;
	bool typo;
	bool soft; /* all of its words are words of the tools too */
};

/* ---- windows of words ---- */

static bool joins(char before)
{
	return before == ' ' || before == '-' || before == '_' || before == '/' || before == '\'';
}

/* The n tokens from i as one name; false when they can't be one. */
static bool window_read(const struct question *q, size_t i, size_t n, struct folded *out)
{
	out->len = out->count = 0;
	for (size_t at = i; at < i + n; at++) {
		const struct token *t = &q->tokens[at];

		if (t->used || (at > i && !joins(t->before)) || out->len + t->len > KEY_BYTES_MAX ||
		    out->count == FOLDED_WORDS_MAX)
			return false;
		memcpy(out->key + out->len, t->text, t->len);
		out->len += t->len;
		out->ends[out->count++] = (uint16_t)out->len;
	}
	return out->len > 0;
}

static bool is_stop(const struct know *k, const struct token *t)
{
	return dict_find(&k->stop, t->text, t->len) >= 0;
}

/* Is the word one of the label's ("hub-zone" has "hub" and "zone")? */
bool entity_word_of_label(const struct token *t, const struct dimension_def *d)
{
	const char *hit = t->len >= 3 && d->label ? strcasestr(d->label, t->text) : NULL;
	char stem[STEM_BYTES];
	size_t n;

	if (hit)
		return true;
	if (t->len < 4 || !d->label)
		return false;
	n = word_stem(t->text, t->len, stem);
	return n >= 3 && strcasestr(d->label, stem) != NULL;
}

/* "High case", "reference: high", "base, high and low cases" */
static bool label_near(const struct question *q, size_t from, size_t to,
		       const struct dimension_def *d)
{
	static const char *const joiners[] = {"and", "or", "vs", "versus", NULL};
	size_t reach = to + 2;

	for (size_t i = from > 2 ? from - 2 : 0; i < from; i++)
		if (entity_word_of_label(&q->tokens[i], d))
			return true;
	for (size_t i = to; i < reach && i < q->count; i++) {
		if (entity_word_of_label(&q->tokens[i], d))
			return true;
		if (token_in(&q->tokens[i], joiners) || q->tokens[i].before == ',')
			reach += 2;
	}
	return false;
}

/* "at risk", "milestone dates", "red": a status, a field, or just what a tool speaks of. */
static bool is_soft(const struct reading *r, size_t from, size_t to)
{
	bool any = false;

	for (size_t i = from; i < to; i++) {
		const struct token *t = &r->q.tokens[i];
		char stem[STEM_BYTES];
		size_t n = word_stem(t->text, t->len, stem);
		bool word = router_has_word(r->know->router, stem, n);

		if (!word && !is_stop(r->know, t))
			return false;
		any = any || word;
	}
	return any;
}

static bool mentions_add(struct reading *r, size_t from, size_t to, const struct entry *entries,
			 size_t count, bool typo)
{
	struct mention *m = &r->mentions[r->mention_count];
	struct entry *candidates;

	m->from = from;
	m->to = to;
	m->typo = typo;
	m->soft = !typo && !names_learned(r->names, entries[0].dimension) && is_soft(r, from, to);
	m->count = count < CANDIDATES_MAX ? count : CANDIDATES_MAX;
	candidates = arena_alloc(r->arena, m->count * sizeof(*candidates));
	memcpy(candidates, entries, m->count * sizeof(*candidates));
	m->candidates = candidates;
	r->mention_count++;
	for (size_t i = from; i < to; i++) {
		r->q.tokens[i].used = true;
		r->q.tokens[i].word = m->soft;
	}
	return true;
}

/* Is the window a piece of a longer name written with underscores? */
static bool is_glued(const struct question *q, size_t from, size_t to)
{
	return (from > 0 && q->tokens[from].before == '_') || token_at(q, to)->before == '_';
}

/* A word that questions use anyway: data that hold a name like it do not make it one. */
static bool is_ordinary(const struct reading *r, size_t i)
{
	const struct token *t = &r->q.tokens[i];

	return entity_in_words(r->know, t) && (t->first || !t->capital);
}

/* "project overview" is what a tool gives, "Project Overview" may be the report of that name. */
static bool is_plain_phrase(const struct reading *r, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (!is_ordinary(r, i))
			return false;
	return true;
}

/* Keeps those that `keep` marks, unless it marks none. */
static size_t keep_marked(struct entry *found, const bool *keep, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (keep[i])
			found[kept++] = found[i];
	return kept > 0 ? kept : count;
}

/* The data of a tenant may hold any name, and many share words: what the catalogue lists goes
 * before parts of such names, and the kind that the question speaks of before another kind. */
static size_t keep_likely(const struct reading *r, size_t from, size_t to, struct entry *found,
			  size_t count)
{
	bool keep[FOUND_MAX], learned = false, listed = false;

	for (size_t i = 0; i < count; i++) {
		bool mine = names_learned(r->names, found[i].dimension);

		keep[i] = !mine || found[i].kind != ENTRY_PART;
		learned = learned || mine;
		listed = listed || !mine;
	}
	if (!learned)
		return count;
	if (listed)
		count = keep_marked(found, keep, count);
	for (size_t i = 0; i < count; i++)
		keep[i] = label_near(&r->q, from, to, found[i].dimension);
	count = keep_marked(found, keep, count);
	for (size_t i = 0; i < count; i++)
		keep[i] = found[i].dimension == found[0].dimension ||
			  !names_learned(r->names, found[i].dimension);
	return keep_marked(found, keep, count);
}

/* May the words at i..i+n be meant as this value? */
static bool is_meant(const struct reading *r, size_t i, size_t n, const struct entry *e)
{
	bool marked = label_near(&r->q, i, i + n, e->dimension);
	/* "any risks" names none */
	static const char *const amounts[] = {"any", "all", "some", "no", NULL};
	bool plain = n == 1 && is_stop(r->know, &r->q.tokens[i]);
	bool weak = n == 1 && r->scope.weak[e->dimension_index] && e->kind != ENTRY_ALIAS;

	if (!r->scope.in[e->dimension_index])
		return false;
	if ((plain || weak) && !marked)
		return false;
	if (plain && (e->kind == ENTRY_PART || token_in(&r->q.tokens[i], amounts)))
		return false;
	if (n > 1 && names_learned(r->names, e->dimension) && is_plain_phrase(r, i, i + n) &&
	    !marked)
		return false;
	/* "most red" counts what is red; it does not ask for red ones. */
	if (e->kind == ENTRY_ALIAS && i > 0 && token_is(&r->q.tokens[i - 1], "most"))
		return false;
	if (e->kind == ENTRY_PART && n == 1 && entity_word_of_label(&r->q.tokens[i], e->dimension))
		return false;
	if (e->kind == ENTRY_PART && e->shared > PART_NAMES_MAX && !marked)
		return false;
	if (n == 1 && names_learned(r->names, e->dimension) && is_ordinary(r, i) && !marked)
		return false;
	return (e->kind != ENTRY_PART && !e->when_value) || !is_glued(&r->q, i, i + n);
}

/* Several words of a longer name: at least one says something by itself. */
static bool says_something(const struct reading *r, size_t i, size_t n)
{
	for (size_t at = i; at < i + n; at++)
		if (!entity_in_words(r->know, &r->q.tokens[at]))
			return true;
	return false;
}

static bool try_window(struct reading *r, size_t i, size_t n)
{
	struct entry found[FOUND_MAX];
	struct folded words;
	size_t count, meant = 0;

	if (!window_read(&r->q, i, n, &words))
		return false;
	count = names_find(r->names, &words, found, FOUND_MAX);
	for (size_t f = 0; f < count; f++)
		if (is_meant(r, i, n, &found[f]) &&
		    (n == 1 || found[f].kind != ENTRY_PART || says_something(r, i, n)))
			found[meant++] = found[f];
	meant = keep_likely(r, i, i + n, found, meant);
	return meant > 0 && mentions_add(r, i, i + n, found, meant, false);
}

/* The dimension that the words behind "all" name: "all CAISO hub-zones". */
static const struct dimension_def *labelled(const struct reading *r, size_t from)
{
	static const char *const between[] = {"the",   "of",    "available", "two",
					      "three", "known", NULL};
	const struct catalog *c = r->know->catalog;

	for (size_t i = from; i < from + 4 && i < r->q.count; i++) {
		const struct token *t = &r->q.tokens[i];

		for (size_t d = 0; d < c->dimension_count && !t->used; d++)
			if (r->scope.in[d] && entity_word_of_label(t, &c->dimensions[d]))
				return &c->dimensions[d];
		if (!t->used && !token_in(t, between))
			return NULL;
	}
	return NULL;
}

/* "all vendors", "both markets": each value is meant. */
static void read_all_of(struct reading *r)
{
	static const char *const all[] = {"all", "both", "every", "each", NULL};

	for (size_t i = 0; i + 1 < r->q.count && r->all_count < 8; i++) {
		const struct dimension_def *d =
			token_in(&r->q.tokens[i], all) ? labelled(r, i + 1) : NULL;

		if (d)
			r->all_of[r->all_count++] = d;
	}
}

/* Words of the longest name that can be meant. */
static size_t longest_name(const struct names *n)
{
	const struct listed *l = &n->know->listed;
	size_t longest = l->values->longest_words;

	if (longest < l->aliases->longest_words)
		longest = l->aliases->longest_words;
	for (size_t d = 0; d < n->know->catalog->dimension_count; d++)
		if (n->learned[d] && n->in[d] && longest < n->learned[d]->longest_words)
			longest = n->learned[d]->longest_words;
	return longest < WINDOW_MAX ? longest : WINDOW_MAX;
}

void entity_read(struct reading *r)
{
	size_t longest = longest_name(r->names);

	r->mentions = arena_alloc(r->arena, sizeof(*r->mentions) * (r->q.count + 1));
	for (size_t i = 0; i < r->q.count; i++) {
		size_t n = longest + 1 < r->q.count - i ? longest + 1 : r->q.count - i;

		while (n > 0 && !try_window(r, i, n))
			n--;
		if (n > 0)
			i += n - 1;
	}
	read_all_of(r);
}

/* ---- settling ---- */

static bool is_exact(const struct entry *e)
{
	return e->kind != ENTRY_PART && !e->when_value;
}

static void add_fact(struct reading *r, const struct mention *m, const struct entry *e)
{
	bool said = e->kind == ENTRY_VALUE && !m->typo;

	facts_add(&r->facts, r->arena, e->dimension->filter, e->dimension,
		  value_text(arena_strdup(r->arena, e->value)), said ? SOURCE_SAID : SOURCE_ALIAS)
		->soft = m->soft;
}

static const struct entry *exact_of(const struct mention *m)
{
	const struct entry *best = NULL;

	for (size_t i = 0; i < m->count; i++) {
		const struct entry *e = &m->candidates[i];

		if (is_exact(e) && (!best || e->kind < best->kind))
			best = e;
	}
	return best;
}

/* The value of a dimension that is said, or stands. */
static const char *context_of(const struct reading *r, const char *dimension)
{
	const struct dimension_def *d = catalog_dimension(r->know->catalog, dimension);
	const struct fact *f = d ? facts_get(&r->facts, d->filter) : NULL;
	const json_t *stands;

	if (f && f->count == 1)
		return f->values[0].text;
	if (!d || f)
		return NULL;
	stands = json_object_get(json_object_get(r->in->standing, "filters"), d->filter);
	return json_string_value(stands);
}

static bool fits(const struct reading *r, const struct entry *e, const char **context)
{
	const char *dimension = e->when_dimension ? e->when_dimension : e->dimension->parent;
	const char *wanted = e->when_value ? e->when_value : e->parent;

	*context = dimension ? context_of(r, dimension) : NULL;
	return *context && wanted && strcmp(*context, wanted) == 0;
}

static void add_option(struct suggestion *list, size_t *n, const struct entry *e, struct arena *a)
{
	for (size_t i = 0; i < *n; i++)
		if (strcmp(list[i].value, e->value) == 0)
			return;
	list[*n].value = arena_strdup(a, e->value);
	list[*n].label =
		e->parent ? arena_printf(a, "%s (%s)", e->value, e->parent) : list[*n].value;
	(*n)++;
}

/* A name that needs others to be known: one reading that fits is a fact, more are a question. */
static void settle_loose(struct reading *r, const struct mention *m)
{
	struct suggestion *fitting = arena_alloc(r->arena, sizeof(*fitting) * CANDIDATES_MAX);
	struct suggestion *possible = arena_alloc(r->arena, sizeof(*possible) * CANDIDATES_MAX);
	size_t fitting_count = 0, possible_count = 0;
	const struct entry *last = &m->candidates[0];
	const char *context = NULL;
	bool scoped = false;
	struct trouble t = {.dimension = last->dimension,
			    .filter = last->dimension->filter,
			    .said = text_between(&r->q, m->from, m->to, r->arena)};

	for (size_t i = 0; i < m->count; i++) {
		const struct entry *e = &m->candidates[i];

		if (fits(r, e, &context)) {
			add_option(fitting, &fitting_count, e, r->arena);
			last = e;
		}
		add_option(possible, &possible_count, e, r->arena);
		scoped = scoped || e->when_value;
	}
	if (fitting_count == 1 || (!context && possible_count == 1 && !scoped)) {
		add_fact(r, m, last);
		return;
	}
	t.kind = context && fitting_count == 0 ? TROUBLE_UNKNOWN : TROUBLE_SEVERAL;
	t.options = fitting_count > 0 ? fitting : possible;
	t.option_count = fitting_count > 0 ? fitting_count : possible_count;
	if (t.kind == TROUBLE_UNKNOWN)
		t.option_count =
			entity_options(r->names, t.dimension, context, r->arena, &t.options);
	reading_trouble(r, &t);
}

/* Does the name that was meant have the word of its neighbour ("nazereth solar")? */
static bool has_word(const struct entry *e, const struct reading *r, const struct mention *m)
{
	const char *hit = strcasestr(e->value, text_between(&r->q, m->from, m->to, r->arena));

	return hit != NULL;
}

/* A word that belongs to the name beside it names nothing of its own. */
static void absorb(struct reading *r)
{
	for (size_t i = 0; i < r->mention_count; i++) {
		const struct mention *m = &r->mentions[i];

		if (m->count != 1 || !names_learned(r->names, m->candidates[0].dimension))
			continue;
		for (size_t n = 0; n < r->mention_count; n++) {
			struct mention *other = &r->mentions[n];

			if (n != i && other->count > 0 &&
			    (other->from == m->to || other->to == m->from) &&
			    other->candidates[0].dimension != m->candidates[0].dimension &&
			    has_word(&m->candidates[0], r, other)) {
				other->count = 0;
				for (size_t t = other->from; t < other->to; t++)
					r->q.tokens[t].word = false;
			}
		}
	}
}

void entity_settle(struct reading *r)
{
	absorb(r);
	for (size_t i = 0; i < r->mention_count; i++) {
		const struct entry *e = exact_of(&r->mentions[i]);

		if (e)
			add_fact(r, &r->mentions[i], e);
	}
	for (size_t i = 0; i < r->mention_count; i++)
		if (r->mentions[i].count > 0 && !exact_of(&r->mentions[i]))
			settle_loose(r, &r->mentions[i]);
}

/* ---- names that nobody knows ---- */

bool entity_in_words(const struct know *k, const struct token *t)
{
	char stem[STEM_BYTES];
	size_t n = word_stem(t->text, t->len, stem);

	return is_stop(k, t) || dict_find(&k->synonyms, stem, n) >= 0 ||
	       router_has_word(k->router, stem, n);
}

static bool try_near(struct reading *r, size_t i, size_t n)
{
	struct entry near[NEAR_MAX];
	struct folded words;
	size_t count;
	bool *in;

	if (!window_read(&r->q, i, n, &words) || words.len < FUZZY_BYTES_MIN)
		return false;
	in = arena_alloc(r->arena, r->know->catalog->dimension_count + 1);
	for (size_t d = 0; d < r->know->catalog->dimension_count; d++)
		in[d] = r->scope.in[d] && !r->scope.weak[d];
	count = entity_near(r->names, in, words.key, words.len, r->arena, near);
	return count > 0 && mentions_add(r, i, i + n, near, count, true);
}

/* The longest name first that begins here; it does not end with a word of the language. */
static bool try_near_name(struct reading *r, size_t i, size_t least)
{
	size_t longest = longest_name(r->names), left = r->q.count - i;

	for (size_t n = left < longest ? left : longest; n > least; n--)
		if (!is_stop(r->know, &r->q.tokens[i + n - 1]) && try_near(r, i, n))
			return true;
	return try_near(r, i, least) || (left > least && try_near(r, i, least + 1));
}

/* How many tokens from i on are one word written with underscores. */
static size_t glued_from(const struct question *q, size_t i)
{
	size_t n = 1;

	while (token_at(q, i + n)->before == '_' && !token_at(q, i + n)->used)
		n++;
	return n;
}

/* "NP99", "HB_SOUTH": letters and digits or parts, but not "1st" or "10k". */
static bool looks_like_code(const struct question *q, size_t i, size_t n)
{
	const struct token *t = &q->tokens[i];

	if (t->len > 16)
		return false;
	return n > 1 || (t->has_letter && t->has_digit && t->len >= 3 && t->text[0] > '9');
}

/* Does the word before tell that a name follows, and of what? */
static const struct dimension_def *cue_before(const struct reading *r, size_t i)
{
	const struct catalog *c = r->know->catalog;
	const struct token *before = i > 0 ? &r->q.tokens[i - 1] : NULL;
	int d;

	if (!before)
		return NULL;
	for (size_t n = 0; n < c->dimension_count; n++)
		if (r->scope.in[n] && names_known(r->names, &c->dimensions[n]) &&
		    entity_word_of_label(before, &c->dimensions[n]))
			return &c->dimensions[n];
	d = dict_find(&r->know->prepositions, before->text, before->len);
	return d >= 0 && r->scope.in[d] ? &c->dimensions[d] : NULL;
}

/* "the Atlantis project": only where names come from the data, whose kinds people put behind. */
static const struct dimension_def *cue_behind(const struct reading *r, size_t i)
{
	const struct catalog *c = r->know->catalog;

	for (size_t n = 0; i < r->q.count && n < c->dimension_count; n++)
		if (r->scope.in[n] && names_learned(r->names, &c->dimensions[n]) &&
		    entity_word_of_label(&r->q.tokens[i], &c->dimensions[n]))
			return &c->dimensions[n];
	return NULL;
}

/* "Ascend vs Bloomberg": what stands beside a known name is of its kind. */
static const struct dimension_def *kind_of_neighbour(const struct reading *r, size_t i)
{
	static const char *const strong[] = {"vs", "versus", "against", NULL};
	static const char *const weak[] = {"and", "or", "with", "to", "than", NULL};
	bool capital = r->q.tokens[i].capital;

	for (size_t m = 0; m < r->mention_count; m++) {
		const struct mention *n = &r->mentions[m];
		const struct dimension_def *d = n->candidates[0].dimension;
		const struct token *joiner = n->to + 1 == i     ? &r->q.tokens[n->to]
					     : i + 2 == n->from ? &r->q.tokens[i + 1]
								: NULL;

		if (joiner && (token_in(joiner, strong) || (capital && token_in(joiner, weak))))
			return d;
	}
	return NULL;
}

static bool is_code(const char *value)
{
	const char *digit = strpbrk(value, "0123456789");

	return digit && digit[1];
}

/* The dimension whose values are codes, for a code that is like none of them. */
static const struct dimension_def *kind_of_codes(const struct reading *r)
{
	const struct catalog *c = r->know->catalog;

	for (size_t d = 0; d < c->dimension_count; d++) {
		size_t count = r->scope.in[d] ? names_count(r->names, &c->dimensions[d]) : 0;
		const char *parent;

		for (size_t i = 0; i < count && i < CODES_LOOKED_AT; i++)
			if (is_code(names_at(r->names, &c->dimensions[d], i, &parent)))
				return &c->dimensions[d];
	}
	return NULL;
}

/* What the name at i..i+n would be a value of, or NULL when it is no name. */
static const struct dimension_def *unknown_of(struct reading *r, size_t i, size_t n)
{
	static const char *const articles[] = {"the", "our", "of", "for", "on", "at", NULL};
	const struct token *t = &r->q.tokens[i];
	const struct dimension_def *beside = kind_of_neighbour(r, i), *cue = cue_before(r, i),
				   *behind = cue_behind(r, i + n);

	if (!cue)
		cue = behind;
	if (looks_like_code(&r->q, i, n)) {
		const struct dimension_def *like =
			entity_kind_like(r->names, text_between(&r->q, i, i + n, r->arena));

		return like ? like : beside ? beside : cue ? cue : kind_of_codes(r);
	}
	if (beside)
		return beside;
	/* "the northwind project" */
	if (behind && i > 0 && token_in(&r->q.tokens[i - 1], articles) &&
	    !facts_get(&r->facts, behind->filter))
		return behind;
	if (i == 0 || t->first || !cue || facts_get(&r->facts, cue->filter))
		return NULL;
	return t->capital || token_is(&r->q.tokens[i - 1], "from") ? cue : NULL;
}

/* "Quillon Ridge": a name goes on as long as its words begin with capitals, also where one of them
 * is a word of a name that is known. */
static size_t name_from(const struct question *q, size_t i, size_t n)
{
	while (q->tokens[i].capital && token_at(q, i + n)->capital &&
	       joins(token_at(q, i + n)->before) && token_at(q, i + n)->number < 0)
		n++;
	return n;
}

static void trouble_unknown(struct reading *r, size_t i, size_t n, const struct dimension_def *d)
{
	struct trouble t = {.kind = TROUBLE_UNKNOWN,
			    .filter = d->filter,
			    .dimension = d,
			    .said = text_between(&r->q, i, i + n, r->arena)};

	t.option_count =
		entity_closest(r->names, d, t.said, d->parent ? context_of(r, d->parent) : NULL,
			       r->arena, &t.options);
	for (size_t at = i; at < i + n; at++)
		r->q.tokens[at].used = true;
	reading_trouble(r, &t);
}

void entity_read_unknown(struct reading *r)
{
	for (size_t i = 0, n, looked_up = 0; i < r->q.count; i += n) {
		const struct token *t = &r->q.tokens[i];
		const struct dimension_def *d;

		n = glued_from(&r->q, i);
		if (t->used || t->number >= 0 || (n == 1 && entity_in_words(r->know, t)))
			continue;
		if (looked_up++ == KNOW_STRANGE_MAX)
			return;
		if (n == 1 && router_near_word(r->know, t))
			continue;
		if (try_near_name(r, i, n))
			continue;
		d = unknown_of(r, i, n);
		n = d ? name_from(&r->q, i, n) : n;
		if (d && names_known(r->names, d))
			trouble_unknown(r, i, n, d);
	}
}
