/*
 * Citations of an answer's passages, numbered over all results in order. Before the number check, a
 * citation is one character of a private Unicode range, so that its digits are not read as a
 * number. After the check it is a mark. Sentences are checked as a whole: quotations must occur in
 * the cited passages, and numbers are compared with those passages first. Of each cited passage,
 * the sentence most similar to the citing one is kept.
 */
#include "answer_int.h"

#include <stdio.h>
#include <string.h>

#include "vesper/json_out.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/text.h"
#include "vesper/utf8.h"
#include "vesper/words.h"

#define MARK_FIRST     0xE100 /* passage 0, which does not exist */
#define MARK_BYTES     3
#define STEMS_BYTES    (4 * 1024 * 1024)
#define QUOTE_CHARS    200 /* maximum length of a source's quotation */
#define QUOTE_WORDS    4   /* shorter text in quotation marks is not checked */
#define STEMS_MAX      64
#define SENTENCE_BYTES 65536

struct cited {
	bool is_shown;    /* the answer cites it */
	struct str quote; /* slice of the passage's text; p NULL: not cited */
};

struct answer_cites {
	struct answer_turn *turn;
	const struct passage **passages;        /* in order, over all results */
	struct guard_passage_row *passage_rows; /* result and row of each passage */
	size_t count;
	struct cited *cited; /* by passage */
	struct guard_cite *guard;
	struct buf sentence;    /* not passed on yet */
	bool passages_only;     /* every result is a passage */
	bool rewrite_requested; /* for an uncited sentence; at most one */
	int64_t valid, invalid, unverified, missing, mismatch;
};

/* ---- marks ---- */

static void add_mark(struct buf *out, size_t n)
{
	unsigned code = MARK_FIRST + (unsigned)n;

	buf_char(out, (char)(0xE0 | code >> 12));
	buf_char(out, (char)(0x80 | (code >> 6 & 0x3F)));
	buf_char(out, (char)(0x80 | (code & 0x3F)));
}

/* The number of the passage whose mark begins at `p`, or 0. */
static size_t mark_at(const char *p, size_t left)
{
	const unsigned char *u = (const unsigned char *)p;
	unsigned code;

	if (left < MARK_BYTES || u[0] != 0xEE)
		return 0;
	code = (u[0] & 0x0Fu) << 12 | (u[1] & 0x3Fu) << 6 | (u[2] & 0x3Fu);
	return code > MARK_FIRST && code <= MARK_FIRST + CITE_PASSAGES_MAX ? code - MARK_FIRST : 0;
}

static size_t next_mark(struct str text, size_t from, size_t *n)
{
	for (size_t i = from; i < text.n; i++) {
		*n = mark_at(text.p + i, text.n - i);
		if (*n > 0)
			return i;
	}
	return text.n;
}

const char *cites_readable(struct str text, struct arena *a)
{
	const char *plain = "";
	size_t at = 0, n, i;

	while (at < text.n) {
		i = next_mark(text, at, &n);
		plain = arena_printf(a, "%s%.*s", plain, (int)(i - at), text.p + at);
		if (i < text.n)
			plain = arena_printf(a, "%s[%zu]", plain, n);
		at = i + MARK_BYTES;
	}
	return plain;
}

/* ---- choosing a passage's sentence ---- */

struct stems {
	char stem[STEMS_MAX][STEM_BYTES];
	size_t count;
};

static bool has_stem(const struct stems *s, const char *stem)
{
	for (size_t i = 0; i < s->count; i++)
		if (strcmp(s->stem[i], stem) == 0)
			return true;
	return false;
}

static void read_stems(const struct language *l, struct str text, struct arena *a,
		       struct stems *out)
{
	struct question q;

	out->count = 0;
	text_tokenize(l, arena_strndup(a, text.p, text.n), a, &q);
	for (size_t i = 0; i < q.count && out->count < STEMS_MAX; i++) {
		if (token_in_list(&q.tokens[i], WORDS_STOP))
			continue;
		word_stem(q.tokens[i].text, q.tokens[i].len, out->stem[out->count]);
		out->count += !has_stem(out, out->stem[out->count]);
	}
}

static bool ends_sentence(struct str text, size_t i)
{
	return text.p[i] == '\n' ||
	       (strchr(".!?", text.p[i]) && text.p[i] &&
		(i + 1 == text.n || text.p[i + 1] == ' ' || text.p[i + 1] == '\n'));
}

/* Reads the sentence at *at and moves *at to its end. */
static bool next_sentence(struct str text, size_t *at, struct str *out)
{
	size_t i = *at;

	while (i < text.n && !ends_sentence(text, i))
		i++;
	if (i < text.n)
		i++;
	*out = str_trim((struct str){text.p + *at, i - *at});
	*at = i;
	return i > 0 && (out->n > 0 || i < text.n);
}

/* At most QUOTE_CHARS characters, cut between words. */
static struct str cut(struct str s)
{
	size_t chars = 0, word = 0, i = 0;

	for (; i < s.n; i++) {
		if (((unsigned char)s.p[i] & 0xC0) == 0x80)
			continue;
		if (chars++ == QUOTE_CHARS)
			return (struct str){s.p, word > 0 ? word : i};
		if (s.p[i] == ' ')
			word = i;
	}
	return s;
}

static struct str quote_for(const struct answer_cites *c, struct str sentence,
			    const struct passage *p)
{
	const struct language *l = c->turn->core->may.catalog->language;
	struct arena *a = arena_new(STEMS_BYTES);
	struct stems sentence_stems, passage_stems;
	struct str best = {0}, one;
	size_t at = 0, best_common = 0;

	read_stems(l, sentence, a, &sentence_stems);
	while (at < p->text.n && next_sentence(p->text, &at, &one)) {
		size_t common = 0;

		read_stems(l, one, a, &passage_stems);
		for (size_t i = 0; i < passage_stems.count; i++)
			common += has_stem(&sentence_stems, passage_stems.stem[i]);
		if (one.n > 0 && (!best.p || common > best_common)) {
			best = one;
			best_common = common;
		}
	}
	arena_free(&a);
	return cut(best);
}

/* ---- checking a sentence ---- */

static size_t words_of(struct str text)
{
	struct str rest = text, word;
	size_t n = 0;

	while (str_split(&rest, ' ', &word))
		n += word.n > 0;
	return n;
}

static bool occurs_in_cited(const struct answer_cites *c, const bool *cites, struct str quote)
{
	for (size_t i = 0; i < c->count; i++)
		if (cites[i] && guard_quote_matches(quote, c->passages[i]->text))
			return true;
	return false;
}

/* The end of the quotation that begins at `from`, after its closing quotation mark. 0: none begins
 * there. */
static size_t quote_at(struct str s, size_t from, struct str *inside)
{
	static const char *const marks[][2] = {{"\"", "\""}, {"\u201c", "\u201d"}};

	for (size_t m = 0; m < sizeof(marks) / sizeof(marks[0]); m++) {
		size_t open = strlen(marks[m][0]), close = strlen(marks[m][1]);

		if (s.n - from < open || memcmp(s.p + from, marks[m][0], open) != 0)
			continue;
		for (size_t i = from + open; i + close <= s.n; i++)
			if (memcmp(s.p + i, marks[m][1], close) == 0) {
				*inside = (struct str){s.p + from + open, i - from - open};
				return i + close;
			}
	}
	return 0;
}

/* Marks quotations that occur in no cited passage as unverified, or drops them. */
static void add_checked(struct answer_cites *c, const bool *cites, struct str s, struct buf *out)
{
	const char *note = turn_sentence(c->turn->core, SAY_CITE_UNVERIFIED);
	struct str inside;

	for (size_t i = 0; i < s.n;) {
		size_t end = quote_at(s, i, &inside);

		if (end == 0 || words_of(inside) < QUOTE_WORDS ||
		    occurs_in_cited(c, cites, inside)) {
			end = end ? end : i + 1;
			buf_add(out, s.p + i, end - i);
		} else {
			c->unverified++;
			if (c->turn->options->numbers != GUARD_WITHHOLD) {
				buf_add(out, s.p + i, end - i);
				buf_char(out, ' ');
			}
			buf_str(out, note);
		}
		i = end;
	}
}

static bool has_words(struct str s)
{
	return words_of(s) >= QUOTE_WORDS;
}

/* Sets cites[] by passage, tells the number check about them, and chooses the quotations to keep.
 * Returns the number of citations. */
static size_t read_cites(struct answer_cites *c, struct str s, bool *cites)
{
	struct guard_passage_row *passage_rows = mem_alloc((c->count + 1) * sizeof(*passage_rows));
	size_t n, cited_count = 0, count = 0;

	for (size_t i = next_mark(s, 0, &n); i < s.n; i = next_mark(s, i + MARK_BYTES, &n)) {
		if (n > c->count)
			continue;
		cites[n - 1] = true;
		cited_count++;
	}
	for (size_t i = 0; i < c->count; i++) {
		if (!cites[i])
			continue;
		passage_rows[count++] = c->passage_rows[i];
		if (!c->cited[i].quote.p)
			c->cited[i].quote = quote_for(c, s, c->passages[i]);
	}
	guard_numbers_cite(c->turn->answer->numbers, passage_rows, count);
	mem_free(passage_rows);
	return cited_count;
}

static void pass(struct answer_cites *c, struct str s)
{
	bool *cites = mem_alloc(c->count + 1);
	size_t cited_count = read_cites(c, s, cites);
	struct buf out;

	bool missing = cited_count == 0 && has_words(s);

	c->missing += missing;
	buf_init(&out, 2 * s.n + SENTENCE_BYTES);
	if (cited_count > 0)
		add_checked(c, cites, s, &out);
	else
		buf_add(&out, s.p, s.n);
	if (missing && c->passages_only && !c->rewrite_requested &&
	    c->turn->options->numbers == GUARD_REWRITE) {
		c->rewrite_requested = true;
		guard_numbers_uncited(c->turn->answer->numbers, out.n);
	}
	guard_numbers_feed(c->turn->answer->numbers, buf_text(&out), out.n);
	buf_deinit(&out);
	mem_free(cites);
}

/* The end of the citations that follow the sentence end at `end`. 0: more may follow. */
static size_t end_of_cites(struct str s, size_t end)
{
	for (size_t at = end; at < s.n;)
		if (mark_at(s.p + at, s.n - at) > 0)
			end = at += MARK_BYTES;
		else if (s.p[at] == ' ')
			at++;
		else
			return end;
	return 0;
}

/* The end of the last complete sentence. 0: none is complete. Quotations are not split. */
static size_t complete_sentences_len(struct str s)
{
	bool quoted = false;

	for (size_t i = 0; i + 1 < s.n; i++) {
		if (s.p[i] == '\n')
			return i + 1;
		if (s.p[i] == '"')
			quoted = !quoted;
		if (!quoted && ends_sentence(s, i))
			return end_of_cites(s, i + 1);
	}
	return s.n > 0 && s.p[s.n - 1] == '\n' ? s.n : 0;
}

static void pass_complete(struct answer_cites *c)
{
	size_t end;

	while ((end = complete_sentences_len((struct str){buf_text(&c->sentence), c->sentence.n})) >
	       0) {
		struct buf rest;

		pass(c, (struct str){buf_text(&c->sentence), end});
		buf_init(&rest, SENTENCE_BYTES);
		buf_add(&rest, buf_text(&c->sentence) + end, c->sentence.n - end);
		buf_deinit(&c->sentence);
		c->sentence = rest;
	}
}

static void pass_rest(struct answer_cites *c)
{
	if (c->sentence.n > 0)
		pass(c, (struct str){buf_text(&c->sentence), c->sentence.n});
	buf_reset(&c->sentence);
}

static void on_text(void *owner, const char *text, size_t len)
{
	struct answer_cites *c = owner;

	if (c->sentence.n + len >= SENTENCE_BYTES / 2)
		pass_rest(c);
	buf_add(&c->sentence, text, len);
}

static void on_cite(void *owner, size_t n, const char *mark, size_t len)
{
	struct answer_cites *c = owner;

	(void)mark;
	(void)len;
	add_mark(&c->sentence, n);
}

/* ---- stream ---- */

struct answer_cites *cites_new(struct answer_turn *t)
{
	struct guard_cite_sink sink = {on_text, on_cite, NULL};
	struct answer_cites *c;
	size_t n = 0;

	for (size_t i = 0; i < t->work->result_count; i++)
		n += t->work->results[i]->passages.count;
	if (n == 0)
		return NULL;
	c = arena_alloc(t->core->arena, sizeof(*c));
	c->turn = t;
	c->passages_only = true;
	c->passages = arena_alloc(t->core->arena, n * sizeof(struct passage *));
	c->cited = arena_alloc(t->core->arena, n * sizeof(*c->cited));
	c->passage_rows = arena_alloc(t->core->arena, n * sizeof(*c->passage_rows));
	for (size_t i = 0; i < t->work->result_count; i++) {
		const struct result *r = t->work->results[i];

		c->passages_only = c->passages_only && r->passages.count > 0;
		for (size_t k = 0; k < r->passages.count; k++) {
			c->passages[c->count] = &r->passages.items[k];
			c->passage_rows[c->count++] =
				(struct guard_passage_row){r->call, (int64_t)k};
		}
	}
	sink.owner = c;
	c->guard = guard_cite_new(c->count, &sink);
	buf_init(&c->sentence, SENTENCE_BYTES);
	return c;
}

void cites_feed(struct answer_cites *c, const char *text, size_t len)
{
	guard_cite_feed(c->guard, text, len);
	pass_complete(c);
}

void cites_end(struct answer_cites *c)
{
	guard_cite_end(c->guard);
	pass_complete(c);
	pass_rest(c);
}

void cites_close(struct answer_cites *c)
{
	if (!c || !c->guard)
		return;
	c->invalid = (int64_t)guard_cite_invalid(c->guard);
	guard_cite_free(&c->guard);
	buf_deinit(&c->sentence);
}

/* Quotations are checked like the rest of the answer. */
const char *cites_marked(struct answer_cites *c, const char *text, bool uncited)
{
	struct answer_cites copy = *c;
	const struct guard_cite_sink sink = {on_text, on_cite, &copy};
	bool *cites = mem_alloc(c->count + 1);
	struct str marked_text;
	const char *marked;
	struct buf out;

	buf_init(&copy.sentence, SENTENCE_BYTES);
	copy.guard = guard_cite_new(c->count, &sink);
	guard_cite_feed(copy.guard, text, strlen(text));
	guard_cite_end(copy.guard);
	marked_text = (struct str){buf_text(&copy.sentence), copy.sentence.n};
	buf_init(&out, 2 * marked_text.n + SENTENCE_BYTES);
	if (read_cites(c, marked_text, cites) > 0) {
		add_checked(c, cites, marked_text, &out);
		c->missing -= uncited;
	} else if (!uncited) {
		buf_add(&out, marked_text.p, marked_text.n);
	}
	marked = arena_strndup(c->turn->core->arena, buf_text(&out), out.n);
	buf_deinit(&out);
	guard_cite_free(&copy.guard);
	buf_deinit(&copy.sentence);
	mem_free(cites);
	return marked;
}

/* Emits text between marks as one delta, and each mark as a separate delta. */
bool cites_show(struct answer_turn *t, const struct event_text_delta *delta,
		bool (*show)(struct answer_turn *t, const struct event_text_delta *delta))
{
	struct answer_cites *c = t->answer->cites;
	struct str text = delta->text;
	size_t at = 0, n = 0, chars = 0;

	c->mismatch += delta->marked && delta->mark.why &&
		       strcmp(delta->mark.why, guard_unchecked_reason_name(GUARD_MISMATCH)) == 0;
	while (at < text.n) {
		size_t i = next_mark(text, at, &n);
		struct str before = {text.p + at, i - at};
		size_t count = utf8_count(before.p, before.n);
		struct event_text_delta part = {.text = before};
		char label[CITE_BYTES_MAX];

		if (delta->marked && delta->mark.start >= chars &&
		    delta->mark.start < chars + count) {
			part.marked = true;
			part.mark = delta->mark;
			part.mark.start -= chars;
			part.mark.at = t->answer->checked.chars + part.mark.start;
		}
		if (before.n > 0 && !show(t, &part))
			return false;
		t->answer->checked.chars += count;
		chars += count + (i < text.n);
		at = i + MARK_BYTES;
		if (i == text.n)
			break;
		snprintf(label, sizeof(label), "[%zu]", n);
		part = (struct event_text_delta){.text = str_of(label),
						 .marked = true,
						 .mark = {.kind = "cite",
							  .len = strlen(label),
							  .at = t->answer->checked.chars,
							  .row = -1,
							  .n = (int64_t)n}};
		if (!show(t, &part))
			return false;
		c->valid++;
		if (n <= c->count)
			c->cited[n - 1].is_shown = true;
		t->answer->checked.chars += strlen(label);
	}
	return true;
}

/* ---- output ---- */

static void write_source(struct json_out *j, const struct passage *p, size_t n, struct str quote)
{
	size_t start = p->start + (quote.p ? (size_t)(quote.p - p->text.p) : 0);

	jo_object(j);
	jo_set_int(j, "n", (int64_t)n);
	jo_set_str(j, "document", p->document);
	jo_set_str(j, "uid", p->uid);
	jo_set_str(j, "version", p->version);
	jo_set_str(j, "heading", p->heading);
	jo_key(j, "quote");
	jo_str(j, quote);
	jo_set_int(j, "start", (int64_t)start);
	jo_set_int(j, "end", (int64_t)(start + quote.n));
	jo_object_end(j);
}

void cites_write(const struct answer_cites *c, struct json_out *j)
{
	if (!c)
		return;
	jo_key(j, "citations");
	jo_object(j);
	jo_set_int(j, "valid", c->valid);
	jo_set_int(j, "invalid", c->invalid);
	jo_set_int(j, "missing", c->missing);
	jo_set_int(j, "unverified", c->unverified);
	jo_set_int(j, "mismatch", c->mismatch);
	jo_object_end(j);
	jo_key(j, "sources");
	jo_array(j);
	for (size_t i = 0; i < c->count; i++)
		if (c->cited[i].is_shown)
			write_source(j, c->passages[i], i + 1, c->cited[i].quote);
	jo_array_end(j);
}
