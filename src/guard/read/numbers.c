/*
 * The stream of the number check. Text passes immediately up to the first number of a sentence.
 * The rest of the sentence is held until its end, read as a whole, and passed on with marks.
 */
#include "guard_int.h"
#include "sentence.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/utf8.h"

#define UNBOUND_BYTES_MAX 400 /* size of the list of unbound numbers of a sentence */

static const char unverified[] = "[unverified]";

/* Citations of the text from a byte offset up to the next entry. */
struct cited {
	struct cited *next;
	size_t from, count;
	struct guard_passage_row places[];
};

struct guard_numbers {
	struct known known;
	enum guard_policy policy;
	struct guard_sink sink;
	struct buf waiting; /* received and not yet passed on */
	struct text_tracker text_tracker;
	struct buf unbound_numbers;             /* unbound numbers of a sentence */
	struct buf miscited;                    /* wrongly cited numbers of a sentence */
	struct cited *cited_first, *cited_last; /* for the held text and later text */
	const struct cited *cited;              /* for the current stretch; or NULL */
	size_t fed;                             /* total bytes received */
	size_t rewrite_bytes; /* bytes of `waiting` with a pending rewrite; 0: none */
	/* offsets of a stretch without citations, not yet reported; equal: none */
	size_t uncited_from, uncited_to;
	bool uncited; /* the pending rewrite is for that stretch */
	bool ended;
	bool is_after_withheld; /* the last chunk was "[unverified]" */
	struct sentence sentence;
	char formula[FORMULA_BYTES]; /* scratch */
};

/* ---- output ---- */

static void pass_text(struct guard_numbers *g, const char *text, size_t len)
{
	const struct guard_chunk chunk = {.text = text, .len = len, .ref.row = -1};

	if (len == 0)
		return;
	/* prevents "[unverified]" from becoming a link's text */
	if (g->is_after_withheld && strchr("(:[", *text))
		g->sink.on_answer_chunk(g->sink.owner,
					&(struct guard_chunk){.text = " ", .len = 1});
	g->is_after_withheld = false;
	g->sink.on_answer_chunk(g->sink.owner, &chunk);
}

/* `withhold`: replace unbound numbers. */
static void pass_number(struct guard_numbers *g, const char *text, const struct mark *m,
			bool withhold)
{
	struct guard_chunk chunk = {.text = text, .len = m->len, .marked = true, .ref = m->ref};

	chunk.kind = !m->bound ? GUARD_UNBOUND : m->unchecked ? GUARD_UNCHECKED : GUARD_BOUND;
	if (chunk.kind == GUARD_UNCHECKED)
		chunk.why = m->why;
	else if (chunk.kind == GUARD_BOUND && m->miscited)
		chunk.why = GUARD_MISMATCH;
	if (!m->bound)
		chunk.ref = (struct guard_ref){.row = -1};
	if (!m->bound && withhold) {
		chunk.kind = GUARD_WITHHELD;
		chunk.text = unverified;
		chunk.len = sizeof(unverified) - 1;
	}
	g->is_after_withheld = chunk.kind == GUARD_WITHHELD;
	chunk.count = utf8_count(chunk.text, chunk.len);
	g->sink.on_answer_chunk(g->sink.owner, &chunk);
}

/* Passes on the last stretch, p[0..n). */
static void pass_stretch(struct guard_numbers *g, const char *p, size_t n)
{
	const struct sentence *s = &g->sentence;
	size_t at = 0;

	for (size_t i = 0; i < s->count; i++) {
		const struct mark *m = &s->marks[i];

		pass_text(g, p + at, m->from - s->read - at);
		at = m->from - s->read;
		pass_number(g, p + at, m, g->policy != GUARD_FLAG);
		at += m->len;
	}
	pass_text(g, p + at, n - at);
}

/* ---- checking numbers ---- */

/* Binds to the cited passages, else to all known data. */
static void bind_cited(struct guard_numbers *g, struct shown *s, struct number_binding *out)
{
	struct context *c = &g->text_tracker.context;
	const struct cited *cited = g->cited && g->cited->count > 0 ? g->cited : NULL;
	struct shown unconverted = *s;

	if (cited) {
		c->cited.places = cited->places;
		c->cited.count = cited->count;
		bind_shown(&g->known, s, c, g->formula, sizeof(g->formula), out);
		c->cited.places = NULL;
		c->cited.count = 0;
		if (out->bound && !out->unchecked && out->ref.call && !out->ref.formula)
			return;
		*s = unconverted;
	}
	bind_shown(&g->known, s, c, g->formula, sizeof(g->formula), out);
	out->miscited = cited && out->bound && !out->unchecked && out->ref.call;
}

/* Compares the number with known data. Reads the words after it only if they matter. */
static void bind_number(struct guard_numbers *g, const char *p, size_t n, struct shown *s,
			struct number_binding *out)
{
	struct context *c = &g->text_tracker.context;

	c->comparison_known = s->kind != SHOWN_NUMBER || c->in_row;
	c->word_comparison =
		c->in_row ? (struct word_comparison){.ref_id = -1} : g->text_tracker.before;
	bind_cited(g, s, out);
	out->bound = out->bound || tracker_begins_name(&g->text_tracker, p, n, s) ||
		     (s->kind != SHOWN_NUMBER && tracker_is_name(&g->text_tracker, p, s));
	if ((out->bound && !out->unchecked) || c->comparison_known)
		return;
	(void)tracker_read_comparison(&g->text_tracker, p + s->len, n - s->len, true);
	bind_cited(g, s, out);
}

static bool is_label(struct guard_numbers *g, const char *p, const struct shown *s)
{
	bool known = true;

	if (s->kind == SHOWN_TEXT || (s->worded && !tracker_refers_to_data(&g->text_tracker, s)) ||
	    (s->worded && s->value == 100000000 && shown_is_bare(s) &&
	     g->text_tracker.context.number_context.before ==
		     folded_word_key("the", 3)) || /* "the one of January" */
	    (s->kind == SHOWN_NUMBER && tracker_is_name(&g->text_tracker, p, s)) ||
	    tracker_is_rank_cell(&g->text_tracker, s))
		return true;
	if (s->kind == SHOWN_ID)
		return !tracker_is_id(&g->text_tracker, p, s, &known) || known;
	return g->text_tracker.context.cues.label && !s->unit && !s->currency && !s->scaled &&
	       s->kind == SHOWN_NUMBER &&
	       !number_context_is_numbered(&g->known, &g->text_tracker.context.number_context);
}

/* Checks the number at p. The rest of its sentence is available. */
static void check_number(struct guard_numbers *g, const char *p, size_t n, size_t from,
			 const struct shown *s)
{
	struct shown taken = *s;
	struct number_binding number_binding;

	if (s->kind != SHOWN_TEXT) {
		(void)tracker_read_following_name(&g->text_tracker, p + s->len, n - s->len, true);
		(void)tracker_read_number_context(&g->text_tracker, p + s->len, n - s->len, true,
						  s);
	}
	if (is_label(g, p, s)) {
		taken.kind = SHOWN_TEXT;
		tracker_consume_number(&g->text_tracker, p, &taken, NULL);
		return;
	}
	bind_number(g, p, n, &taken, &number_binding);
	if (number_binding.rows.table >= 0)
		row_set_narrow(&g->text_tracker.context.rows, &number_binding.rows);
	sentence_mark(&g->sentence, from, &taken, &number_binding, g->formula);
	tracker_consume_number(&g->text_tracker, p, &taken, &number_binding);
}

/* Checks the numbers of a stretch. Returns the bytes read, which are fewer than n when there are
 * more than SENTENCE_MARKS_MAX numbers. */
static size_t read_stretch(struct guard_numbers *g, const char *p, size_t n)
{
	size_t at = 0, from = g->sentence.text.n;

	sentence_begin_stretch(&g->sentence);
	while (at < n && g->sentence.count < SENTENCE_MARKS_MAX) {
		struct shown s;
		size_t plain;
		bool found = reader_next(&g->text_tracker.reader, p + at, n - at, true, &plain, &s);

		at += plain;
		if (!found)
			break;
		check_number(g, p + at, n - at, from + at, &s);
		at += s.len;
	}
	sentence_end_stretch(&g->sentence, p, at, &g->known, g->text_tracker.context.in_row);
	return at;
}

/* ---- sentences ---- */

/* The offset after the end of the current sentence or table row; 0: not received yet. */
static size_t sentence_end(const struct text_tracker *s, const char *p, size_t n)
{
	char before = s->reader.prev;

	for (size_t i = 0; i < n; before = p[i++])
		if (ends_sentence(before, p[i], s->context.in_row))
			return i + 1;
	return 0;
}

/* Cuts overlong text, between words if possible. */
static size_t cut_sentence(const char *p, size_t n)
{
	size_t max = utf8_cut(p, n, SENTENCE_BYTES_MAX), at = max;

	while (at > 0 && p[at - 1] != ' ')
		at--;
	return at > 0 ? at : max;
}

/* The number of bytes at p to check together; 0: more text is needed. */
static size_t sentence_length(const struct guard_numbers *g, const char *p, size_t n)
{
	size_t end =
		sentence_end(&g->text_tracker, p, n < SENTENCE_BYTES_MAX ? n : SENTENCE_BYTES_MAX);

	if (end == 0 && n >= SENTENCE_BYTES_MAX)
		return cut_sentence(p, n);
	return end == 0 && g->ended ? n : end;
}

static bool has_only_bound_numbers(struct guard_numbers *g, const char *p)
{
	buf_reset(&g->unbound_numbers);
	buf_reset(&g->miscited);
	for (size_t i = 0; i < g->sentence.count; i++) {
		const struct mark *m = &g->sentence.marks[i];
		struct buf *list = m->bound ? &g->miscited : &g->unbound_numbers;

		if (m->bound && (!m->miscited || m->unchecked))
			continue;
		if (list->n > 0)
			buf_str(list, ", ");
		buf_add(list, p + m->from - g->sentence.read, m->len);
	}
	return g->unbound_numbers.n == 0 && g->miscited.n == 0;
}

/* Returns true when a rewrite was requested. */
static bool request_rewrite(struct guard_numbers *g, const char *p, size_t n)
{
	const struct guard_unbound d = {.text = p,
					.len = n,
					.numbers = buf_text(&g->unbound_numbers),
					.miscited = buf_text(&g->miscited),
					.uncited = g->uncited};

	if (!g->sink.on_unbound || !g->sink.on_unbound(g->sink.owner, &d))
		return false;
	g->rewrite_bytes = n;
	return true;
}

/* Finds the citations at this offset and frees earlier entries. */
static void find_cited(struct guard_numbers *g, size_t at)
{
	struct cited *c;

	while ((c = g->cited_first) && c->next && c->next->from <= at) {
		g->cited_first = c->next;
		mem_free(c);
	}
	g->cited = c && c->from <= at ? c : NULL;
}

/* Returns the bytes passed on; 0: held until rewritten. */
static size_t pass_sentence(struct guard_numbers *g, const char *p, size_t n)
{
	struct text_tracker before = g->text_tracker;
	size_t text = g->sentence.text.n, read;

	find_cited(g, g->fed - g->waiting.n + (size_t)(p - g->waiting.p));
	read = read_stretch(g, p, n);
	if (g->policy == GUARD_REWRITE && !has_only_bound_numbers(g, p) &&
	    request_rewrite(g, p, read)) {
		g->text_tracker = before;
		sentence_truncate(&g->sentence, text);
		return 0;
	}
	pass_stretch(g, p, read);
	return read;
}

/* Reports a stretch without citations that contains p. Returns true when a rewrite was requested.
 */
static bool request_citation(struct guard_numbers *g, const char *p, size_t n)
{
	size_t at = g->fed - g->waiting.n + (size_t)(p - g->waiting.p), to = g->uncited_to;

	if (at < g->uncited_from || at >= to)
		return false;
	g->uncited_from = to; /* report only once */
	if (g->policy != GUARD_REWRITE || to - at > n || to - at > SENTENCE_BYTES_MAX)
		return false;
	buf_reset(&g->unbound_numbers);
	buf_reset(&g->miscited);
	g->uncited = true;
	g->uncited = request_rewrite(g, p, to - at);
	return g->uncited;
}

/* The bytes before a stretch without citations. */
static size_t before_uncited(const struct guard_numbers *g, const char *p, size_t n)
{
	size_t at = g->fed - g->waiting.n + (size_t)(p - g->waiting.p);

	return g->uncited_from < g->uncited_to && at < g->uncited_from && at + n > g->uncited_from
		       ? g->uncited_from - at
		       : n;
}

/* Passes text up to the next number, then that sentence as a whole. */
static size_t pass_sentences(struct guard_numbers *g, const char *p, size_t n)
{
	size_t at = 0;

	while (at < n) {
		struct shown s;
		size_t plain, len, clear;

		if (request_citation(g, p + at, n - at))
			break;
		(void)reader_next(&g->text_tracker.reader, p + at, n - at, g->ended, &plain, &s);
		clear = before_uncited(g, p + at, plain);
		pass_text(g, p + at, clear);
		sentence_add(&g->sentence, p + at, clear, g->text_tracker.context.in_row);
		at += clear;
		if (clear < plain)
			continue;
		len = at < n ? sentence_length(g, p + at, n - at) : 0;
		len = len > 0 ? pass_sentence(g, p + at, len) : 0;
		if (len == 0)
			break;
		at += len;
	}
	return at;
}

/* ---- the stream ---- */

static void drop(struct buf *b, size_t n)
{
	memmove(b->p, b->p + n, b->n - n);
	b->n -= n;
}

/* Passes on all text that is ready. */
static void pass_ready_text(struct guard_numbers *g)
{
	struct buf *b = &g->waiting;
	size_t whole = g->ended ? b->n : utf8_complete_bytes(b->p, b->n);

	if (whole > 0 && !g->rewrite_bytes)
		drop(b, pass_sentences(g, b->p, whole));
}

void guard_numbers_feed(struct guard_numbers *g, const char *text, size_t len)
{
	assert(!g->ended);
	if (len == 0)
		return;
	buf_add(&g->waiting, text, len);
	g->fed += len;
	pass_ready_text(g);
}

void guard_numbers_cite(struct guard_numbers *g, const struct guard_passage_row *places,
			size_t count)
{
	struct cited *c = mem_alloc(sizeof(*c) + count * sizeof(*places));

	c->from = g->fed;
	c->count = count;
	if (count > 0)
		memcpy(c->places, places, count * sizeof(*places));
	if (g->cited_last)
		g->cited_last->next = c;
	else
		g->cited_first = c;
	g->cited_last = c;
}

void guard_numbers_uncited(struct guard_numbers *g, size_t len)
{
	g->uncited_from = g->fed;
	g->uncited_to = g->fed + len;
}

void guard_numbers_end(struct guard_numbers *g)
{
	g->ended = true;
	pass_ready_text(g);
}

void guard_numbers_rewrite(struct guard_numbers *g, const char *text, size_t len)
{
	size_t n = g->rewrite_bytes, text_len = g->sentence.text.n;
	struct text_tracker before = g->text_tracker;
	const struct cited *cited = g->cited;

	assert(n > 0);
	g->rewrite_bytes = 0;
	g->cited = g->cited_last;
	if (len > 0 && len <= SENTENCE_BYTES_MAX && read_stretch(g, text, len) == len &&
	    has_only_bound_numbers(g, text)) {
		pass_stretch(g, text, len);
	} else {
		g->text_tracker = before;
		g->cited = cited;
		sentence_truncate(&g->sentence, text_len);
		if (g->uncited) /* pass the original text */
			n = 0;
		else
			pass_stretch(g, g->waiting.p, read_stretch(g, g->waiting.p, n));
	}
	g->uncited = false;
	drop(&g->waiting, n);
	pass_ready_text(g);
}

size_t guard_numbers_waiting(const struct guard_numbers *g)
{
	return g->waiting.n;
}

/* ---- lifecycle ---- */

struct guard_numbers *guard_numbers_new(const struct guard_input *in)
{
	struct guard_numbers *g = mem_realloc(NULL, sizeof(*g));

	memset(g, 0, offsetof(struct guard_numbers, sentence));
	g->policy = in->policy;
	g->sink = in->sink;
	buf_init(&g->waiting, ANSWER_BYTES_MAX + SENTENCE_BYTES_MAX);
	buf_init(&g->unbound_numbers, UNBOUND_BYTES_MAX);
	buf_init(&g->miscited, UNBOUND_BYTES_MAX);
	sentence_init(&g->sentence);
	known_build(&g->known, in);
	tracker_init(&g->text_tracker, &g->known);
	return g;
}

void guard_numbers_free(struct guard_numbers **owned)
{
	struct guard_numbers *g = *owned;

	*owned = NULL;
	if (!g)
		return;
	buf_deinit(&g->waiting);
	buf_deinit(&g->unbound_numbers);
	buf_deinit(&g->miscited);
	for (struct cited *c = g->cited_first, *next; c; c = next) {
		next = c->next;
		mem_free(c);
	}
	sentence_deinit(&g->sentence);
	known_free(&g->known);
	mem_free(g);
}

static const char *const policies[] = {
	[GUARD_FLAG] = "flag", [GUARD_REWRITE] = "rewrite", [GUARD_WITHHOLD] = "withhold"};

bool guard_policy_parse(const char *name, enum guard_policy *out)
{
	for (int i = 0; i <= GUARD_WITHHOLD; i++)
		if (strcmp(policies[i], name) == 0) {
			*out = (enum guard_policy)i;
			return true;
		}
	return false;
}

const char *guard_policy_name(enum guard_policy policy)
{
	return policies[policy];
}

const char *guard_unchecked_reason_name(enum guard_unchecked_reason why)
{
	static const char *const names[] = {
		[GUARD_OTHER] = "other",       [GUARD_COMPARISON] = "comparison",
		[GUARD_RANK] = "rank",         [GUARD_NEGATION] = "negation",
		[GUARD_MULTIPLE] = "multiple", [GUARD_COUNT] = "count",
		[GUARD_WORDING] = "wording",   [GUARD_MISMATCH] = "mismatch"};

	return names[why];
}

const char *guard_kind_name(enum guard_kind kind)
{
	static const char *const names[] = {[GUARD_BOUND] = "bound",
					    [GUARD_UNBOUND] = "unbound",
					    [GUARD_UNCHECKED] = "unchecked",
					    [GUARD_WITHHELD] = "withheld"};

	return names[kind];
}
