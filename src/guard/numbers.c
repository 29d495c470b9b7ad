/*
 * The stream: text goes straight through, a number waits for its end, is judged, and goes on with
 * its mark. What the sentence and the table row name is kept while they pass.
 */
#include "guard_int.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/utf8.h"

#define COLUMNS_MAX      24  /* of a table in an answer whose headings are remembered */
#define HEADING_BYTES    96  /* of one heading */
#define FORMULA_BYTES    160 /* of a derivation, as text */
#define FOLLOW_BYTES_MAX 80  /* after a number are looked at for its name */

static const char unverified[] = "[unverified]";

/* A table in the answer, while it is written. */
struct heading {
	int id;
	uint32_t slots;
	enum unit unit;
};

struct guard_numbers {
	struct known known;
	enum guard_policy policy;
	struct guard_sink sink;
	struct buf waiting; /* taken in and not yet passed on */
	struct reader reader;
	struct context said;
	uint32_t amounts;               /* in this sentence */
	uint64_t words[NAME_WORDS_MAX]; /* keys of the last words, newest first */
	uint32_t word_count;
	bool stop; /* a full stop was read: a space makes it the sentence's end */
	bool in_table, is_heading, is_ruler;
	int column;
	struct heading headings[COLUMNS_MAX];
	char cell[HEADING_BYTES];
	size_t cell_len;
	char formula[FORMULA_BYTES];
};

/* ---- what is being spoken of ---- */

static void end_sentence(struct guard_numbers *g)
{
	struct context *c = &g->said;

	if (c->count > 0) {
		memcpy(c->before, c->said, sizeof(c->said));
		c->before_count = c->count;
	}
	c->count = 0;
	c->peak = false;
	g->amounts = 0;
	memset(g->words, 0, sizeof(g->words));
}

static void say_name(struct guard_numbers *g, const struct name *name, uint32_t first_word)
{
	struct context *c = &g->said;

	if (g->is_heading) {
		if (g->column > 0 && g->column <= COLUMNS_MAX) {
			g->headings[g->column - 1].id = name->id;
			g->headings[g->column - 1].slots = name->slots;
		}
		return;
	}
	/* "Kern Wind II" takes the place of "Kern Wind" */
	while (c->count > 0 && c->said[c->count - 1].word >= first_word)
		c->count--;
	if (c->count == GROUP_MAX) {
		memmove(c->said, c->said + 1, sizeof(c->said[0]) * (GROUP_MAX - 1));
		c->count--;
	}
	c->said[c->count++] = (struct mention){
		.id = name->id, .slots = name->slots, .word = first_word, .group = g->amounts};
}

static bool word_is(const char *word, size_t len, const char *other)
{
	return len == strlen(other) && strncasecmp(word, other, len) == 0;
}

/* The longest name that ends with this word. */
static void find_name(struct guard_numbers *g)
{
	for (int n = NAME_WORDS_MAX; n >= 1; n--) {
		const struct name *name;
		uint64_t key = 0;

		if (!g->words[n - 1])
			continue;
		for (int i = n; i-- > 0;)
			key = name_join(key, g->words[i]);
		name = name_find(&g->known.names, key);
		if (name && name->id >= 0) {
			say_name(g, name, g->word_count - (uint32_t)n + 1);
			return;
		}
	}
}

static void add_heading_text(struct guard_numbers *g, const char *text, size_t len)
{
	if (g->is_heading && g->cell_len + len <= HEADING_BYTES) {
		memcpy(g->cell + g->cell_len, text, len);
		g->cell_len += len;
	}
}

static void on_word(void *owner, const char *word, size_t len)
{
	struct guard_numbers *g = owner;

	add_heading_text(g, word, len);
	g->stop = false;
	g->is_ruler = false;
	g->said.first_of = word_is(word, len, "first") || word_is(word, len, "top") ||
			   word_is(word, len, "last");
	g->said.peak = g->said.peak || word_is(word, len, "peak");
	if (g->known.names.count == 0)
		return;
	memmove(g->words + 1, g->words, sizeof(g->words) - sizeof(g->words[0]));
	g->words[0] = name_word_key(word, len);
	g->word_count++;
	find_name(g);
}

static void end_row(struct guard_numbers *g)
{
	if (g->said.in_row && !g->is_heading && !g->is_ruler)
		g->said.rows_written++;
	g->said.in_row = false;
	g->is_heading = false;
}

static void begin_row(struct guard_numbers *g)
{
	g->is_heading = !g->in_table;
	if (g->is_heading)
		for (int i = 0; i < COLUMNS_MAX; i++)
			g->headings[i] = (struct heading){.id = -1};
	g->in_table = true;
	g->is_ruler = true; /* until a word is read */
	g->said.in_row = true;
	g->column = 0;
}

static void next_cell(struct guard_numbers *g)
{
	const struct heading *h;

	if (g->is_heading && g->column > 0 && g->column <= COLUMNS_MAX)
		g->headings[g->column - 1].unit = unit_in_text(g->cell, g->cell_len);
	g->cell_len = 0;
	g->column++;
	h = g->column <= COLUMNS_MAX ? &g->headings[g->column - 1] : NULL;
	g->said.header_id = h ? h->id : -1;
	g->said.header_slots = h ? h->slots : 0;
	g->said.header_unit = h ? h->unit : UNIT_NONE;
}

static void on_char(void *owner, char c)
{
	struct guard_numbers *g = owner;

	if (c == '\n') {
		end_row(g);
		end_sentence(g);
		g->stop = false;
		return;
	}
	if (c == '|' && g->reader.line_start)
		begin_row(g);
	else if (g->reader.line_start && c != ' ')
		g->in_table = false;
	if (g->reader.line_start && (c == '-' || c == '*'))
		g->said.rows_written++;
	if (c == '|' && g->said.in_row)
		next_cell(g);
	else
		add_heading_text(g, &c, 1);
	if (c == ' ' && g->stop && !g->said.in_row)
		end_sentence(g);
	g->stop = c == '.' || c == '!' || c == '?' || c == ';';
}

/* ---- the name after a number ---- */

static size_t word_length(const char *p, size_t n)
{
	size_t len = 0;

	while (len < n && is_word_byte(len ? p[len - 1] : ' ', p[len]))
		len++;
	return len;
}

/* "for", "from", …; with `begins` also what may become one of them. */
static bool introduces(const char *word, size_t len, bool begins)
{
	static const char *const words[] = {"for", "from", "by", "in", "at", "of", "under", "with"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (word_is(word, len, words[i]) ||
		    (begins && len < strlen(words[i]) && strncasecmp(word, words[i], len) == 0))
			return true;
	return false;
}

/* The longest name at p. SCAN_MORE: its end is not here. */
static enum scan name_ahead(const struct names *names, const char *p, size_t n, bool final,
			    const struct name **out)
{
	uint64_t key = 0;
	size_t at = 0;

	*out = NULL;
	for (;;) {
		size_t len = word_length(p + at, n - at);
		const struct name *name;

		if (at + len == n && !final)
			return SCAN_MORE;
		if (len == 0)
			return SCAN_DONE;
		key = name_join(key, name_word_key(p + at, len));
		name = name_find(names, key);
		if (name && name->id >= 0)
			*out = name;
		at += len;
		if (!name || !name->begins)
			return SCAN_DONE;
		while (at < n && strchr(" _-'.", p[at]))
			at++;
		if (at == n && !final)
			return SCAN_MORE;
	}
}

/* "… for Ascend", "… (Hitachi)": the name that a number's own words give it. */
static enum scan find_follower(struct guard_numbers *g, const char *p, size_t n, bool final)
{
	const struct name *name = NULL;
	size_t at = 0, len;

	g->said.follow_id = -1;
	if (!g->known.has_rivals || g->said.in_row)
		return SCAN_DONE;
	final = final || n >= FOLLOW_BYTES_MAX;
	while (at < n && p[at] == '*')
		at++;
	if (at > 0 && at < n && p[at] == '/')
		while (at < n && p[at] != ' ' && p[at] != '\n')
			at++;
	if (at == n)
		return final ? SCAN_DONE : SCAN_MORE;
	if (p[at++] != ' ')
		return SCAN_DONE;
	if (at == n)
		return final ? SCAN_DONE : SCAN_MORE;
	if (p[at] == '(') {
		at++;
	} else {
		len = word_length(p + at, n - at);
		if (at + len == n && !final)
			return introduces(p + at, len, true) ? SCAN_MORE : SCAN_DONE;
		if (!introduces(p + at, len, false) || at + len == n || p[at + len] != ' ')
			return SCAN_DONE;
		at += len + 1;
	}
	while (at < n && p[at] == '*')
		at++;
	if (name_ahead(&g->known.names, p + at, n - at, final, &name) == SCAN_MORE)
		return SCAN_MORE;
	if (name) {
		g->said.follow_id = name->id;
		g->said.follow_slots = name->slots;
	}
	return SCAN_DONE;
}

/* ---- passing on ---- */

static void pass_text(struct guard_numbers *g, const char *text, size_t len)
{
	const struct guard_piece piece = {.text = text, .len = len, .ref.row = -1};

	if (len > 0)
		g->sink.on_piece(g->sink.owner, &piece);
}

static void pass_number(struct guard_numbers *g, const char *text, const struct shown *s)
{
	struct verdict verdict;
	struct guard_piece piece = {.text = text, .len = s->len, .marked = true};

	judge(&g->known, s, &g->said, g->formula, sizeof(g->formula), &verdict);
	piece.kind = verdict.bound ? GUARD_BOUND : GUARD_UNBOUND;
	piece.ref = verdict.ref;
	if (!verdict.bound && g->policy == GUARD_WITHHOLD) {
		piece.kind = GUARD_WITHHELD;
		piece.text = unverified;
		piece.len = sizeof(unverified) - 1;
	}
	piece.count = utf8_count(piece.text, piece.len);
	g->sink.on_piece(g->sink.owner, &piece);
}

/* The number at p has ended: judges it with what follows. False: what follows is not here yet. */
static bool take_number(struct guard_numbers *g, const char *p, size_t n, bool final,
			const struct shown *s)
{
	if (s->kind == SHOWN_TEXT) {
		g->said.rows_written += g->reader.line_start;
		pass_text(g, p, s->len);
	} else {
		if (find_follower(g, p + s->len, n - s->len, final) == SCAN_MORE)
			return false;
		pass_number(g, p, s);
	}
	reader_take(&g->reader, p, s);
	g->amounts += s->kind == SHOWN_NUMBER;
	return true;
}

static size_t pass(struct guard_numbers *g, const char *p, size_t n, bool final)
{
	size_t at = 0;

	while (at < n) {
		struct shown s;
		size_t plain;
		bool found = reader_next(&g->reader, p + at, n - at, final, &plain, &s);

		pass_text(g, p + at, plain);
		at += plain;
		if (!found || !take_number(g, p + at, n - at, final, &s))
			break;
		at += s.len;
	}
	return at;
}

static size_t find_digit(const char *p, size_t from, size_t n)
{
	while (from < n && !isdigit((unsigned char)p[from]))
		from++;
	return from;
}

/* Where numbers may be withheld, text is free up to the last sentence's end, and from there to the
 * next digit. */
static size_t find_free(const struct guard_numbers *g, const char *p, size_t n)
{
	if (g->policy != GUARD_WITHHOLD || n >= SENTENCE_BYTES_MAX)
		return n;
	for (size_t i = n; i-- > 0;)
		if (p[i] == '\n' || (i > 0 && p[i] == ' ' && strchr(".!?", p[i - 1])))
			return find_digit(p, i + 1, n);
	return find_digit(p, 0, n);
}

static void drop(struct buf *b, size_t n)
{
	memmove(b->p, b->p + n, b->n - n);
	b->n -= n;
}

void guard_numbers_feed(struct guard_numbers *g, const char *text, size_t len)
{
	struct buf *b = &g->waiting;
	size_t whole, taken;

	buf_add(b, text, len);
	whole = b->n ? utf8_whole(b->p, b->n) : 0;
	if (whole == 0)
		return;
	taken = pass(g, b->p, find_free(g, b->p, whole), false);
	/* Nothing that is a number is that long. */
	if (whole - taken >= SENTENCE_BYTES_MAX)
		taken += pass(g, b->p + taken, whole - taken, true);
	drop(b, taken);
}

void guard_numbers_end(struct guard_numbers *g)
{
	if (g->waiting.n > 0)
		(void)pass(g, g->waiting.p, g->waiting.n, true);
	buf_reset(&g->waiting);
}

bool guard_numbers_waiting(const struct guard_numbers *g)
{
	return g->waiting.n > 0;
}

/* ---- life ---- */

struct guard_numbers *guard_numbers_new(const struct guard_input *in)
{
	struct guard_numbers *g = mem_alloc(sizeof(*g));

	g->policy = in->policy;
	g->sink = in->sink;
	buf_init(&g->waiting, ANSWER_BYTES_MAX + SENTENCE_BYTES_MAX);
	reader_init(&g->reader);
	g->reader.on_word = on_word;
	g->reader.on_char = on_char;
	g->reader.owner = g;
	g->said.follow_id = g->said.header_id = -1;
	known_build(&g->known, in);
	return g;
}

void guard_numbers_free(struct guard_numbers **owned)
{
	struct guard_numbers *g = *owned;

	*owned = NULL;
	if (!g)
		return;
	buf_deinit(&g->waiting);
	known_free(&g->known);
	mem_free(g);
}

static const char *const policies[] = {[GUARD_FLAG] = "flag", [GUARD_WITHHOLD] = "withhold"};

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
					    [GUARD_WITHHELD] = "withheld"};

	return names[kind];
}
