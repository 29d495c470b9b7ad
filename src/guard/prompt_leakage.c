/*
 * Prevents confidential texts such as prompts from being repeated verbatim. All runs of three
 * words of these texts are indexed; a long chain of indexed runs counts as a quotation.
 */
#include <ctype.h>
#include <string.h>

#include "vesper/guard.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/str.h"

#define RUN 3 /* words per indexed run; as many are shown before text is held back */

static const char omission_mark[] = " […]";

/* A sequence of words in lower case; separators are ignored. */
struct words {
	uint64_t last[RUN]; /* keys, newest first */
	int count;          /* number of valid keys, up to RUN */
	uint64_t open;      /* key of the current word; 0: none */
};

struct guard_secret {
	uint64_t *runs; /* hash table of keys; 0: empty */
	size_t size;    /* power of two */
};

struct guard_leakage {
	const struct guard_secret *secret;
	void (*on_text)(void *owner, const char *text, size_t len);
	void *owner;
	struct words words;
	int chain; /* consecutive words that match the secret */
	bool dropping;
	struct buf held;
};

/* ---- words ---- */

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* Returns true when this byte ends a word. */
static bool read_byte(struct words *w, char c)
{
	if (is_word_char(c)) {
		uint64_t key = w->open ? w->open : HASH_FNV_OFFSET_BASIS;

		w->open = hash_fnv_byte(key, (unsigned char)tolower((unsigned char)c)) | 1;
		return false;
	}
	if (!w->open)
		return false;
	memmove(w->last + 1, w->last, sizeof(w->last) - sizeof(w->last[0]));
	w->last[0] = w->open;
	w->open = 0;
	w->count += w->count < RUN;
	return true;
}

static uint64_t run_key(const struct words *w)
{
	uint64_t key = 0;

	for (int i = 0; i < RUN; i++)
		key = (key * 31 + w->last[i]) * HASH_FNV_PRIME;
	return key | 1;
}

/* ---- the secret ---- */

static uint64_t *find_slot(const struct guard_secret *s, uint64_t key)
{
	size_t i = (key >> 20) & (s->size - 1);

	while (s->runs[i] && s->runs[i] != key)
		i = (i + 1) & (s->size - 1);
	return &s->runs[i];
}

static void add_runs(struct guard_secret *s, const char *text)
{
	struct words w = {0};

	for (const char *p = text;; p++) {
		if (read_byte(&w, *p) && w.count == RUN)
			*find_slot(s, run_key(&w)) = run_key(&w);
		if (!*p)
			return;
	}
}

struct guard_secret *guard_secret_new(const char *const *texts)
{
	struct guard_secret *s = mem_alloc(sizeof(*s));
	size_t bytes = 0;

	for (const char *const *t = texts; *t; t++)
		bytes += strlen(*t);
	s->size = 64;
	while (s->size < bytes) /* a word takes at least two bytes, so half the table stays empty */
		s->size *= 2;
	s->runs = mem_alloc(s->size * sizeof(*s->runs));
	for (const char *const *t = texts; *t; t++)
		add_runs(s, *t);
	return s;
}

void guard_secret_free(struct guard_secret **s)
{
	if (*s)
		mem_free((*s)->runs);
	mem_free(*s);
	*s = NULL;
}

/* ---- the stream ---- */

struct guard_leakage *guard_leakage_new(const struct guard_secret *secret,
					void (*on_text)(void *owner, const char *text, size_t len),
					void *owner)
{
	struct guard_leakage *q = mem_alloc(sizeof(*q));

	q->secret = secret;
	q->on_text = on_text;
	q->owner = owner;
	buf_init(&q->held, ANSWER_BYTES_MAX);
	return q;
}

void guard_leakage_free(struct guard_leakage **q)
{
	if (*q)
		buf_deinit(&(*q)->held);
	mem_free(*q);
	*q = NULL;
}

static void pass(struct guard_leakage *q, const char *text, size_t len)
{
	if (len > 0)
		q->on_text(q->owner, text, len);
}

static void release_held(struct guard_leakage *q)
{
	pass(q, q->held.p, q->held.n);
	buf_reset(&q->held);
}

/* Returns true when the completed word continues a run of the secret. */
static bool is_known(const struct guard_leakage *q)
{
	return q->words.count == RUN && *find_slot(q->secret, run_key(&q->words)) != 0;
}

static void decide_word(struct guard_leakage *q, bool known)
{
	q->chain = !known ? 0 : q->chain ? q->chain + 1 : RUN;
	if (!known) {
		q->dropping = false;
		release_held(q); /* after a quotation: this word only */
		return;
	}
	if (q->chain == PROMPT_LEAKAGE_WORDS) {
		pass(q, omission_mark, sizeof(omission_mark) - 1);
		q->dropping = true;
	}
	if (q->dropping)
		buf_reset(&q->held);
}

static void pass_or_hold(struct guard_leakage *q, const char *text, size_t len)
{
	if (q->chain)
		buf_add(&q->held, text, len);
	else
		pass(q, text, len);
}

void guard_leakage_feed(struct guard_leakage *q, const char *text, size_t len)
{
	size_t from = 0;

	for (size_t i = 0; i < len; i++) {
		bool known;

		if (!read_byte(&q->words, text[i]))
			continue;
		known = is_known(q);
		if (!q->chain && !known)
			continue; /* not secret; passed later together with adjacent words */
		pass_or_hold(q, text + from, i - from); /* up to the end of this word */
		from = i;
		decide_word(q, known);
	}
	pass_or_hold(q, text + from, len - from);
}

void guard_leakage_end(struct guard_leakage *q)
{
	if (read_byte(&q->words, '\n'))
		decide_word(q, is_known(q));
	if (!q->dropping)
		release_held(q);
	buf_reset(&q->held);
	q->words = (struct words){0};
	q->chain = 0;
	q->dropping = false;
}
