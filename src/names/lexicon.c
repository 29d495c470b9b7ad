/* Builds and searches the lexicon of one dimension. */
#include "lexicon.h"

#include <assert.h>
#include <string.h>

#include "names_int.h"
#include "vesper/hash.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define WORD_BYTES_MIN  3    /* shorter words are not indexed, such as "HB" of HB_NORTH */
#define PARENTS_MAX     4096 /* distinct parents of one dimension */
#define SCAN_VALUES_MAX 4096 /* names scanned for several adjacent words */

struct lexicon_build {
	char *texts;
	size_t text_bytes, text_cap;
	uint32_t *offsets; /* of each text, then the total size */
	size_t offset_cap, count;
	uint64_t hash;
	uint16_t *parents;
	size_t parent_cap;
	const char **parent_names;
	size_t parent_count, parent_name_cap;
};

/* ---- collecting ---- */

struct lexicon_build *lexicon_build_new(void)
{
	struct lexicon_build *b = mem_alloc(sizeof(*b));

	b->hash = HASH_FNV_OFFSET_BASIS;
	b->offsets = mem_grow(NULL, &b->offset_cap, 1, sizeof(*b->offsets));
	b->offsets[0] = 0;
	return b;
}

static void add_to_hash(struct lexicon_build *b, const char *text)
{
	b->hash = hash_fnv(b->hash, text, strlen(text) + 1);
}

static bool find_or_add_parent(struct lexicon_build *b, const char *parent, uint16_t *out)
{
	size_t i = 0;

	while (i < b->parent_count && strcmp(b->parent_names[i], parent) != 0)
		i++;
	if (i == PARENTS_MAX)
		return false;
	if (i == b->parent_count) {
		b->parent_names = mem_grow(b->parent_names, &b->parent_name_cap, i + 1,
					   sizeof(*b->parent_names));
		b->parent_names[b->parent_count++] = mem_strdup(parent);
	}
	*out = (uint16_t)i;
	return true;
}

bool lexicon_build_add(struct lexicon_build *b, const char *text, const char *parent)
{
	size_t bytes = strlen(text) + 1;
	uint16_t number = 0;

	if (b->count == NLU_VALUES_MAX || b->text_bytes + bytes > NLU_TEXT_BYTES_MAX ||
	    !find_or_add_parent(b, parent ? parent : "", &number))
		return false;
	b->texts = mem_grow(b->texts, &b->text_cap, b->text_bytes + bytes, 1);
	memcpy(b->texts + b->text_bytes, text, bytes);
	b->text_bytes += bytes;
	if (number > 0 && !b->parents)
		b->parents = mem_alloc((b->parent_cap = b->count + 64) * sizeof(*b->parents));
	if (b->parents) {
		b->parents =
			mem_grow(b->parents, &b->parent_cap, b->count + 1, sizeof(*b->parents));
		b->parents[b->count] = number;
	}
	b->count++;
	b->offsets = mem_grow(b->offsets, &b->offset_cap, b->count + 1, sizeof(*b->offsets));
	b->offsets[b->count] = (uint32_t)b->text_bytes;
	add_to_hash(b, text);
	add_to_hash(b, parent ? parent : "");
	return true;
}

size_t lexicon_build_count(const struct lexicon_build *b)
{
	return b->count;
}

uint64_t lexicon_build_hash(const struct lexicon_build *b)
{
	return b->hash;
}

void lexicon_build_free(struct lexicon_build **b)
{
	if (!*b)
		return;
	for (size_t i = 0; i < (*b)->parent_count; i++)
		mem_free((void *)(*b)->parent_names[i]);
	mem_free((*b)->parent_names);
	mem_free((*b)->parents);
	mem_free((*b)->texts);
	mem_free((*b)->offsets);
	mem_free(*b);
	*b = NULL;
}

/* ---- building ---- */

/* Builds the keys of all texts. Returns their sorted order. */
static uint32_t *build_keys(struct lexicon *l, const struct lexicon_build *b)
{
	char *bytes = mem_alloc(b->text_bytes + TEXT_KEY_BYTES_MAX);
	uint32_t *offsets = mem_alloc((b->count + 1) * sizeof(*offsets)), *order, at = 0;

	for (size_t i = 0; i < b->count; i++) {
		struct folded f;

		text_fold(b->texts + b->offsets[i], &f);
		memcpy(bytes + at, f.key, f.len);
		offsets[i] = at;
		at += (uint32_t)f.len;
		if (f.count > l->longest_words)
			l->longest_words = f.count;
	}
	offsets[b->count] = at;
	order = keys_init(&l->names, bytes, offsets, b->count);
	mem_free(bytes);
	mem_free(offsets);
	return order;
}

static void copy_texts(struct lexicon *l, struct lexicon_build *b, const uint32_t *order)
{
	size_t at = 0;

	l->texts = mem_alloc(b->text_bytes + 1);
	l->text_offsets = mem_alloc((b->count + 1) * sizeof(*l->text_offsets));
	l->parents = b->parents ? mem_alloc((b->count + 1) * sizeof(*l->parents)) : NULL;
	for (size_t i = 0; i < b->count; i++) {
		uint32_t from = b->offsets[order[i]], len = b->offsets[order[i] + 1] - from;

		memcpy(l->texts + at, b->texts + from, len);
		l->text_offsets[i] = (uint32_t)at;
		at += len;
		if (b->parents)
			l->parents[i] = b->parents[order[i]];
	}
	l->parent_names = b->parent_names;
	l->parent_count = b->parent_count;
	b->parent_names = NULL;
	b->parent_count = 0;
}

static bool has_letter(const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (word[i] < '0' || word[i] > '9')
			return true;
	return false;
}

/* Returns true when the word identifies names. Shorter words and numbers count only next to such
 * words. */
static bool is_distinctive(const char *word, size_t len)
{
	return len >= WORD_BYTES_MIN && has_letter(word, len);
}

static void add_words(struct word_build *b, const struct folded *f, uint32_t value)
{
	for (size_t i = 0, from = 0; f->count > 1 && i < f->count; from = f->ends[i++]) {
		size_t len = f->ends[i] - from;

		if (is_distinctive(f->key + from, len))
			word_build_add(b, f->key + from, len, value);
	}
}

static void add_initials(struct word_build *b, const struct folded *f, uint32_t value)
{
	char initials[FOLDED_WORDS_MAX];

	if (f->count < 2)
		return;
	for (size_t i = 0; i < f->count; i++)
		initials[i] = f->key[i ? f->ends[i - 1] : 0];
	word_build_add(b, initials, f->count, value);
}

static void build_word_indexes(struct lexicon *l, unsigned flags)
{
	struct word_build *words = word_build_new(), *initials = word_build_new();

	for (size_t i = 0; i < l->count && flags & (LEXICON_WORDS | LEXICON_INITIALS); i++) {
		struct folded f;

		text_fold(lexicon_text(l, i), &f);
		if (flags & LEXICON_WORDS)
			add_words(words, &f, (uint32_t)i);
		if (flags & LEXICON_INITIALS)
			add_initials(initials, &f, (uint32_t)i);
	}
	word_index_init(&l->words, &words);
	word_index_init(&l->initials, &initials);
}

const struct lexicon *lexicon_new(struct lexicon_build **build, unsigned flags,
				  const atomic_bool *cancelled)
{
	struct lexicon_build *b = *build;
	struct lexicon *l = mem_alloc(sizeof(*l));
	const struct lexicon *result = l;
	uint32_t *order;

	*l = (struct lexicon){.refs = 1, .count = b->count, .hash = b->hash};
	order = build_keys(l, b);
	copy_texts(l, b, order);
	lexicon_build_free(build);
	if (flags & LEXICON_ORIGIN)
		l->origin = order;
	else
		mem_free(order);
	if (!cancelled || !*cancelled)
		build_word_indexes(l, flags);
	if (cancelled && *cancelled)
		lexicon_unref(&result);
	return result;
}

const struct lexicon *lexicon_ref(const struct lexicon *l)
{
	((struct lexicon *)l)->refs++;
	return l;
}

void lexicon_unref(const struct lexicon **shared)
{
	struct lexicon *l = (struct lexicon *)*shared;

	*shared = NULL;
	if (!l || --l->refs > 0)
		return;
	keys_deinit(&l->names);
	word_index_deinit(&l->words);
	word_index_deinit(&l->initials);
	for (size_t i = 0; i < l->parent_count; i++)
		mem_free((void *)l->parent_names[i]);
	mem_free(l->parent_names);
	mem_free(l->parents);
	mem_free(l->origin);
	mem_free(l->texts);
	mem_free(l->text_offsets);
	mem_free(l);
}

/* ---- searching ---- */

const char *lexicon_text(const struct lexicon *l, size_t value)
{
	assert(value < l->count);
	return l->texts + l->text_offsets[value];
}

const char *lexicon_parent(const struct lexicon *l, size_t value)
{
	const char *parent = l->parents ? l->parent_names[l->parents[value]] : "";

	return *parent ? parent : NULL;
}

size_t lexicon_find(const struct lexicon *l, const char *key, size_t len, uint32_t *out, size_t max)
{
	size_t first, count = len > 0 ? keys_find(&l->names, key, len, &first) : 0;

	for (size_t i = 0; i < count && i < max; i++)
		out[i] = (uint32_t)(first + i);
	return count;
}

size_t lexicon_find_word(const struct lexicon *l, const char *word, size_t len, uint32_t *out,
			 size_t max)
{
	return word_index_find(&l->words, word, len, out, max);
}

size_t lexicon_find_initials(const struct lexicon *l, const char *key, size_t len, uint32_t *out,
			     size_t max)
{
	return word_index_find(&l->initials, key, len, out, max);
}

/* The number of leading words that together begin a name. */
static size_t leading_name_words(const struct lexicon *l, const struct folded *words)
{
	size_t lo = 0, hi = l->names.count, n = 0;

	while (n < words->count &&
	       keys_find_prefix(&l->names, words->key, words->ends[n], &lo, &hi))
		n++;
	return n;
}

/* The number of leading words that may each be part of a name. */
static size_t leading_part_words(const struct lexicon *l, const struct folded *words)
{
	bool has_distinctive = false;
	size_t n = 0, at;

	for (size_t from = 0; n < words->count; from = words->ends[n++]) {
		const char *word = words->key + from;
		size_t len = words->ends[n] - from;

		if (!is_distinctive(word, len))
			continue;
		if (keys_find(&l->words.keys, word, len, &at) == 0)
			break;
		has_distinctive = true;
	}
	if (has_distinctive)
		return n;
	return keys_find(&l->initials.keys, words->key, words->ends[0], &at) > 0;
}

size_t lexicon_prefix_words(const struct lexicon *l, const struct folded *words)
{
	size_t whole = words->count > 0 ? leading_name_words(l, words) : 0;
	size_t parts = words->count > 0 ? leading_part_words(l, words) : 0;

	return whole > parts ? whole : parts;
}

/* Returns true when the name contains the words in sequence. */
static bool has_words(const struct lexicon *l, size_t value, const char *key, size_t len)
{
	struct folded f;

	text_fold(lexicon_text(l, value), &f);
	for (size_t i = 0, from = 0; i < f.count; from = f.ends[i++]) {
		size_t end = from + len;

		if (end > f.len || memcmp(f.key + from, key, len) != 0)
			continue;
		for (size_t n = i; n < f.count; n++)
			if (f.ends[n] == end)
				return true;
	}
	return false;
}

size_t lexicon_find_words(const struct lexicon *l, const char *key, const uint16_t *ends,
			  size_t count, uint32_t *out, size_t max)
{
	uint32_t *list;
	size_t rarest = 0, best = SIZE_MAX, found = 0, n;

	for (size_t i = 0, from = 0; i < count; from = ends[i++]) {
		size_t len = ends[i] - from, at;

		if (!is_distinctive(key + from, len))
			continue;
		if (keys_find(&l->words.keys, key + from, len, &at) == 0)
			return 0;
		n = word_index_list(&l->words, at, NULL, 0);
		if (n < best) {
			best = n;
			rarest = at;
		}
	}
	if (best > SCAN_VALUES_MAX)
		return 0;
	list = mem_alloc(best * sizeof(*list));
	word_index_list(&l->words, rarest, list, best);
	for (size_t i = 0; i < best; i++)
		if (has_words(l, list[i], key, ends[count - 1]) && found++ < max)
			out[found - 1] = list[i];
	mem_free(list);
	return found;
}

/* ---- fuzzy search ---- */

struct fuzzy_search {
	const struct lexicon *lexicon;
	const char *key;
	size_t len;
	struct fuzzy_value *out;
	size_t count, max;
	bool words; /* the current walk is over words */
};

static void add_match(struct fuzzy_search *s, struct fuzzy_value v)
{
	size_t at;

	for (size_t i = 0; i < s->count; i++)
		if (s->out[i].value == v.value) {
			if (s->out[i].rank <= v.rank)
				return;
			memmove(&s->out[i], &s->out[i + 1], (--s->count - i) * sizeof(*s->out));
		}
	for (at = s->count;
	     at > 0 && (s->out[at - 1].rank > v.rank ||
			(s->out[at - 1].rank == v.rank && s->out[at - 1].value > v.value));
	     at--)
		;
	if (at == s->max)
		return;
	if (s->count < s->max)
		s->count++;
	memmove(&s->out[at + 1], &s->out[at], (s->count - at - 1) * sizeof(*s->out));
	s->out[at] = v;
}

/* Ranks by edits, then by same name, whole name, and same first letter. */
static void on_match(void *owner, size_t number, int distance)
{
	struct fuzzy_search *s = owner;
	const struct lexicon *l = s->lexicon;
	size_t len, shared = 1;
	const char *key = keys_at(s->words ? &l->words.keys : &l->names, number, &len);
	bool other = !fuzzy_same_digits(s->key, s->len, key, len) ||
		     (distance > 1 && key[0] != s->key[0]);
	struct fuzzy_value v = {.value = (uint32_t)number,
				.distance = (uint8_t)distance,
				.part = s->words,
				.other_name = other,
				.shared = 1};
	uint32_t values[FUZZY_MATCHES_MAX];

	v.rank = (uint8_t)(distance * 8 + other * 4 + s->words * 2 + (key[0] != s->key[0]));
	if (len < FUZZY_BYTES_MIN)
		return;
	if (!s->words) {
		add_match(s, v);
		return;
	}
	shared = word_index_list(&l->words, number, values, FUZZY_MATCHES_MAX);
	v.shared = (uint32_t)shared;
	for (size_t i = 0; i < shared && i < FUZZY_MATCHES_MAX; i++) {
		v.value = values[i];
		add_match(s, v);
	}
}

size_t lexicon_find_fuzzy(const struct lexicon *l, const char *key, size_t len, int limit,
			  struct fuzzy_value *out, size_t max)
{
	struct fuzzy_search s = {.lexicon = l, .key = key, .len = len, .out = out, .max = max};

	keys_find_fuzzy(&l->names, key, len, limit, on_match, &s);
	s.words = true;
	keys_find_fuzzy(&l->words.keys, key, len, limit, on_match, &s);
	return s.count;
}
