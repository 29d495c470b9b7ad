/*
 * The stream: text goes straight through, a number waits for its end, is judged, and goes on with
 * its mark. Where numbers may be left out or corrected, the rest of their sentence waits with them.
 */
#include "guard_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/utf8.h"

#define FORMULA_BYTES     160 /* of a derivation, as text */
#define DOUBTED_BYTES_MAX 400 /* of the numbers of one sentence that are bound to nothing */

static const char unverified[] = "[unverified]";

/* How pieces are passed on. */
enum manner {
	SHOW,  /* with marks */
	LEAVE, /* and without what is bound to nothing */
	TRY,   /* not at all: what is bound to nothing is noted */
};

struct guard_numbers {
	struct known known;
	enum guard_policy policy;
	struct guard_sink sink;
	struct buf waiting; /* taken in and not yet passed on */
	struct speech speech;
	enum manner manner;
	struct buf doubted; /* the numbers of a sentence on trial that are bound to nothing */
	size_t doubtful;    /* bytes of `waiting` that a correction is asked for; 0: none is */
	bool ended;
	bool left_out; /* the last piece was "[unverified]" */
	char formula[FORMULA_BYTES];
};

/* ---- passing on ---- */

static void pass_text(struct guard_numbers *g, const char *text, size_t len)
{
	const struct guard_piece piece = {.text = text, .len = len, .ref.row = -1};

	if (len == 0 || g->manner == TRY)
		return;
	if (g->left_out && strchr("(:[", *text)) /* what stands there is no link's text */
		g->sink.on_piece(g->sink.owner, &(struct guard_piece){.text = " ", .len = 1});
	g->left_out = false;
	g->sink.on_piece(g->sink.owner, &piece);
}

static void note_doubted(struct buf *b, const char *text, size_t len)
{
	if (b->n > 0)
		buf_str(b, ", ");
	buf_add(b, text, len);
}

static void pass_number(struct guard_numbers *g, const char *text, const struct shown *s,
			const struct verdict *verdict)
{
	struct guard_piece piece = {.text = text, .len = s->len, .marked = true};

	if (verdict->rows.table >= 0)
		row_set_narrow(&g->speech.said.rows, &verdict->rows);
	if (g->manner == TRY) {
		if (!verdict->bound)
			note_doubted(&g->doubted, text, s->len);
		return;
	}
	piece.kind = !verdict->bound      ? GUARD_UNBOUND
		     : verdict->unchecked ? GUARD_UNCHECKED
					  : GUARD_BOUND;
	piece.ref = verdict->ref;
	if (!verdict->bound && g->manner == LEAVE) {
		piece.kind = GUARD_WITHHELD;
		piece.text = unverified;
		piece.len = sizeof(unverified) - 1;
	}
	g->left_out = piece.kind == GUARD_WITHHELD;
	piece.count = utf8_count(piece.text, piece.len);
	g->sink.on_piece(g->sink.owner, &piece);
}

/* Compares it with what is known. What follows it is only asked for where it decides. False: that
 * is not here yet. */
static bool judge_number(struct guard_numbers *g, const char *p, size_t n, bool final,
			 const struct shown *s, struct verdict *out)
{
	struct context *c = &g->speech.said;

	c->tone_known = s->kind != SHOWN_NUMBER || c->in_row;
	c->tone = c->in_row ? (struct tone){.ref_id = -1} : g->speech.before;
	judge(&g->known, s, c, g->formula, sizeof(g->formula), out);
	out->bound = out->bound || (s->kind != SHOWN_NUMBER && speech_is_name(&g->speech, p, s));
	if ((out->bound && !out->unchecked) || c->tone_known)
		return true;
	if (speech_tone(&g->speech, p + s->len, n - s->len, final) == SCAN_MORE)
		return false;
	judge(&g->known, s, c, g->formula, sizeof(g->formula), out);
	return true;
}

/* The number at p has ended: judges it with what follows. False: what follows is not here yet. */
static bool take_number(struct guard_numbers *g, const char *p, size_t n, bool final,
			const struct shown *s)
{
	struct shown taken = *s;
	struct verdict verdict;

	if (s->kind != SHOWN_TEXT &&
	    (speech_follower(&g->speech, p + s->len, n - s->len, final) == SCAN_MORE ||
	     speech_beside(&g->speech, p + s->len, n - s->len, final, s) == SCAN_MORE))
		return false;
	if ((s->worded && !speech_tells(&g->speech, s)) ||
	    (s->kind == SHOWN_NUMBER && speech_is_name(&g->speech, p, s)) ||
	    (g->speech.said.label && s->unit == UNIT_NONE && !s->currency && !s->scaled &&
	     s->kind == SHOWN_NUMBER && !beside_is_numbered(&g->known, &g->speech.said.beside)))
		taken.kind = SHOWN_TEXT;
	if (s->kind == SHOWN_ID) {
		bool known = true;

		if (!speech_is_id(&g->speech, p, s, &known) || known)
			taken.kind = SHOWN_TEXT;
	}
	if (speech_is_rank_cell(&g->speech, s))
		taken.kind = SHOWN_TEXT;
	if (taken.kind != SHOWN_TEXT && !judge_number(g, p, n, final, s, &verdict))
		return false;
	if (taken.kind == SHOWN_TEXT)
		pass_text(g, p, s->len);
	else
		pass_number(g, p, s, &verdict);
	speech_take(&g->speech, p, &taken, taken.kind == SHOWN_TEXT ? NULL : &verdict);
	return true;
}

static size_t pass(struct guard_numbers *g, const char *p, size_t n, bool final)
{
	size_t at = 0;

	while (at < n) {
		struct shown s;
		size_t plain;
		bool found = reader_next(&g->speech.reader, p + at, n - at, final, &plain, &s);

		pass_text(g, p + at, plain);
		at += plain;
		if (!found || !take_number(g, p + at, n - at, final, &s))
			break;
		at += s.len;
	}
	return at;
}

/* ---- sentences that wait ---- */

/* Past the end of the sentence that goes on at p, or of the table's row; 0: it is not here. */
static size_t sentence_end(const struct speech *s, const char *p, size_t n)
{
	char before = s->reader.prev;

	for (size_t i = 0; i < n; before = p[i++])
		if (p[i] == '\n' ||
		    (p[i] == ' ' && before && strchr(".!?", before) && !s->said.in_row))
			return i + 1;
	return 0;
}

/* Nothing that is a sentence is that long: it is cut, between words where it has some. */
static size_t cut_sentence(const char *p, size_t n)
{
	size_t max = utf8_cut(p, n, SENTENCE_BYTES_MAX), at = max;

	while (at > 0 && p[at - 1] != ' ')
		at--;
	return at > 0 ? at : max;
}

/* Bytes at p to be judged together; 0: more of them must come. */
static size_t sentence_length(const struct guard_numbers *g, const char *p, size_t n)
{
	size_t end = sentence_end(&g->speech, p, n < SENTENCE_BYTES_MAX ? n : SENTENCE_BYTES_MAX);

	if (end == 0 && n >= SENTENCE_BYTES_MAX)
		return cut_sentence(p, n);
	return end == 0 && g->ended ? n : end;
}

static void pass_as(struct guard_numbers *g, enum manner manner, const char *p, size_t n)
{
	enum manner before = g->manner;

	g->manner = manner;
	(void)pass(g, p, n, true);
	g->manner = before;
}

/* Reads it and forgets it again. */
static bool is_sound(struct guard_numbers *g, const char *p, size_t n)
{
	struct speech before = g->speech;

	buf_reset(&g->doubted);
	pass_as(g, TRY, p, n);
	g->speech = before;
	return g->doubted.n == 0;
}

/* True: somebody will bring a better one. */
static bool doubt(struct guard_numbers *g, const char *p, size_t n)
{
	const struct guard_doubt d = {.text = p, .len = n, .numbers = buf_text(&g->doubted)};

	if (!g->sink.on_doubt || !g->sink.on_doubt(g->sink.owner, &d))
		return false;
	g->doubtful = n;
	return true;
}

/* False: it stays where it is until it is corrected. */
static bool pass_sentence(struct guard_numbers *g, const char *p, size_t n)
{
	bool sound = g->policy != GUARD_REWRITE || is_sound(g, p, n);

	if (!sound && doubt(g, p, n))
		return false;
	pass_as(g, LEAVE, p, n);
	return true;
}

/* Text is free up to the next number; from there to its end the sentence goes at once. */
static size_t pass_sentences(struct guard_numbers *g, const char *p, size_t n)
{
	size_t at = 0;

	while (at < n) {
		struct shown s;
		size_t plain, len;

		(void)reader_next(&g->speech.reader, p + at, n - at, g->ended, &plain, &s);
		pass_text(g, p + at, plain);
		at += plain;
		len = at < n ? sentence_length(g, p + at, n - at) : 0;
		if (len == 0 || !pass_sentence(g, p + at, len))
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

/* Passes on what can go now. */
static void go_on(struct guard_numbers *g)
{
	struct buf *b = &g->waiting;
	size_t whole = g->ended ? b->n : utf8_whole(b->p, b->n), taken;

	if (whole == 0 || g->doubtful)
		return;
	if (g->policy != GUARD_FLAG) {
		taken = pass_sentences(g, b->p, whole);
	} else {
		taken = pass(g, b->p, whole, g->ended);
		/* Nothing that is a number is that long. */
		if (whole - taken >= SENTENCE_BYTES_MAX)
			taken += pass(g, b->p + taken, whole - taken, true);
	}
	drop(b, taken);
}

void guard_numbers_feed(struct guard_numbers *g, const char *text, size_t len)
{
	assert(!g->ended);
	if (len == 0)
		return;
	buf_add(&g->waiting, text, len);
	go_on(g);
}

void guard_numbers_end(struct guard_numbers *g)
{
	g->ended = true;
	go_on(g);
}

void guard_numbers_rewrite(struct guard_numbers *g, const char *text, size_t len)
{
	size_t n = g->doubtful;

	assert(n > 0);
	g->doubtful = 0;
	if (len > 0 && len <= SENTENCE_BYTES_MAX && is_sound(g, text, len))
		pass_as(g, SHOW, text, len);
	else
		pass_as(g, LEAVE, g->waiting.p, n);
	drop(&g->waiting, n);
	go_on(g);
}

size_t guard_numbers_waiting(const struct guard_numbers *g)
{
	return g->waiting.n;
}

/* ---- life ---- */

struct guard_numbers *guard_numbers_new(const struct guard_input *in)
{
	struct guard_numbers *g = mem_alloc(sizeof(*g));

	g->policy = in->policy;
	g->sink = in->sink;
	buf_init(&g->waiting, ANSWER_BYTES_MAX + SENTENCE_BYTES_MAX);
	buf_init(&g->doubted, DOUBTED_BYTES_MAX);
	known_build(&g->known, in);
	speech_init(&g->speech, &g->known);
	return g;
}

void guard_numbers_free(struct guard_numbers **owned)
{
	struct guard_numbers *g = *owned;

	*owned = NULL;
	if (!g)
		return;
	buf_deinit(&g->waiting);
	buf_deinit(&g->doubted);
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

const char *guard_kind_name(enum guard_kind kind)
{
	static const char *const names[] = {[GUARD_BOUND] = "bound",
					    [GUARD_UNBOUND] = "unbound",
					    [GUARD_UNCHECKED] = "unchecked",
					    [GUARD_WITHHELD] = "withheld"};

	return names[kind];
}
