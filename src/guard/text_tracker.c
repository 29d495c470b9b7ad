/*
 * Tracks the subject of the text as it streams: names in the sentence and table row, column
 * headings, and the name after a number. The struct contains plain values only, so that a copy
 * allows a sentence to be read again.
 */
#include "guard_int.h"
#include "claims/cue_words.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "vesper/clock.h"

#define HOUR_WORDS       2  /* "6 pm (hour 18)": words between two forms of one hour */
#define FOLLOW_BYTES_MAX 80 /* bytes after a number searched for its name */

/* ---- names and words ---- */

static void end_sentence(struct text_tracker *s)
{
	struct context *c = &s->context;

	if (c->count > 0) {
		memcpy(c->before, c->mentions, sizeof(c->mentions));
		c->before_count = c->count;
	}
	c->count = 0;
	c->peak = c->cues.in_all = c->missing = s->partly = false;
	c->cues.extreme = c->cues.rank = s->ordinal.last = 0;
	s->ordinal.word = 0;
	c->cues.about = c->cues.label = c->against = c->from = false;
	c->clause.count = 0;
	c->clause.compared = false;
	c->claim = 0;
	c->changed = s->ends && c->changes;
	c->sums = c->means = c->changes = false;
	c->when = (struct when){0};
	s->before = (struct word_comparison){.ref_id = -1};
	s->ref_id = -1;
	s->last_cue_flags = 0;
	s->hour.last = -1;
	s->compared = false;
	s->amounts = 0;
	c->sentence += s->ends;
	memset(s->words, 0, sizeof(s->words));
}

static void note_name(struct text_tracker *s, const struct name *name, uint32_t first_word)
{
	struct context *c = &s->context;

	if (s->is_heading) {
		if (s->column > 0 && s->column <= COLUMNS_MAX) {
			s->headings[s->column - 1].id = name->id;
			s->headings[s->column - 1].slots = name->slots;
		}
		return;
	}
	/* "Kern Wind II" replaces "Kern Wind" */
	while (c->count > 0 && c->mentions[c->count - 1].word >= first_word)
		c->count--;
	if (c->count == GROUP_MAX) {
		memmove(c->mentions, c->mentions + 1, sizeof(c->mentions[0]) * (GROUP_MAX - 1));
		c->count--;
	}
	if (s->ordinal.word && first_word == s->ordinal.word + 1) /* "third Portfolio View" */
		c->cues.rank = s->ordinal.value;
	c->mentions[c->count++] = (struct mention){
		.id = name->id,
		.slots = name->slots,
		.word = first_word,
		.group = s->amounts,
		.post = s->amounts > 0 && name->id == s->post_id,
		.ref = name->id == s->ref_id || (s->before.dir && first_word > s->dir_word)};
	if (s->before.dir && first_word > s->dir_word) {
		s->before.ref_id = name->id;
	}
}

static bool word_is(const char *word, size_t len, const char *other)
{
	return len == strlen(other) && strncasecmp(word, other, len) == 0;
}

/* "Second-highest", "second with": a rank. "The second half" is not. */
static void note_rank(struct text_tracker *s, uint32_t cue_flags, int value)
{
	if (s->ordinal.last && (cue_flags & (CUE_MOST | CUE_LEAST | CUE_PLACE | CUE_AUX)))
		s->context.cues.rank = s->ordinal.last;
	s->ordinal.last = cue_flags & CUE_ORDINAL ? value : 0;
}

static void note_extreme(struct text_tracker *s, const char *word, size_t len, uint32_t cue_flags)
{
	struct context *c = &s->context;

	if (c->cues.extreme && !c->cues.extreme_of)
		c->cues.extreme_of = folded_word_key(word, len);
	if (cue_flags & (CUE_MOST | CUE_LEAST)) {
		if (s->last_cue_flags & CUE_AT) /* "at most", "in most of them" */
			return;
		if (!s->partly || c->cues.rank) {
			c->cues.extreme = cue_flags & CUE_MOST ? 1 : -1;
			c->cues.extreme_of = 0;
		}
		return;
	}
	if (cue_flags & CUE_PARTLY)
		s->partly = true;
	if (s->last_cue_flags & CUE_QUANTITY && cue_flags & (CUE_PARTLY | CUE_AT))
		c->cues.extreme = 0; /* "most recent", "most of" */
}

/* Updates the comparison of the next amount. */
static void note_comparison(struct text_tracker *s, uint32_t cue_flags, bool by)
{
	struct word_comparison *t = &s->before;

	t->by = by;
	t->to = cue_flags & CUE_TO;
	t->than = t->than || cue_flags & CUE_THAN;
	s->context.sums = s->context.sums || cue_flags & CUE_SUM;
	s->context.means = s->context.means || cue_flags & CUE_MEAN;
	s->context.changes = s->context.changes || cue_flags & CUE_CHANGE;
	if (cue_flags & CUE_AND && s->amounts > 0)
		s->context.clause.count = 0;
	s->context.against = cue_flags & CUE_AGAINST || /* "compared with", "compared to" */
			     (s->context.against && cue_flags & (CUE_PLACE | CUE_TO));
	s->context.from = s->context.from || cue_flags & CUE_FROM;
	t->change = t->change || cue_flags & CUE_CHANGE;
	t->rest = t->rest || cue_flags & CUE_SPENT;
	if (!(cue_flags & (CUE_UP | CUE_DOWN)))
		return;
	t->dir = cue_flags & CUE_UP ? 1 : -1;
	t->move = cue_flags & CUE_MOVE;
	s->context.changes = s->context.changes || t->move;
	t->ref_id = -1;
	s->dir_word = s->word_count;
	s->context.clause_dir = s->context.clause.count;
	s->context.clause.compared = !t->move;
}

static void note_month(struct text_tracker *s, const char *word, size_t len)
{
	int month = s->known->has_times && !s->context.in_row ? month_of_word(word, len) : 0;

	if (!month || (s->last_cue_flags && !(s->last_cue_flags & (CUE_AT | CUE_AUX | CUE_AND))))
		return;
	if (!(s->last_cue_flags & CUE_AND) || s->context.when.amounts == 0)
		s->context.when = (struct when){0};
	s->context.when.months |= 1u << month;
	s->context.when.amounts++;
}

/* "Nazareth" for Nazareth Solar, unless the data uses the word otherwise. */
static bool is_short_name(const struct text_tracker *s, const struct name *name, int words)
{
	if (words > 1)
		return true;
	return (s->titled || !name->cased) && s->word_len > 3 && !s->context.in_row &&
	       !known_is_column_word(s->known, s->folded);
}

/* Finds the longest name that ends with this word. */
static void find_name(struct text_tracker *s, bool is_number)
{
	for (int n = NAME_WORDS_MAX; n >= 1; n--) {
		const struct name *name;
		uint64_t key = 0;

		if (!s->words[n - 1] || (n == 1 && is_number && !s->is_after_year))
			continue;
		for (int i = n; i-- > 0;)
			key = name_join(key, s->words[i]);
		name = name_find(&s->known->names, key);
		if (name && name->id >= 0 && (n > 1 || s->titled || !name->cased)) {
			note_name(s, name, s->word_count - (uint32_t)n + 1);
			return;
		}
		if (name && name->id < 0 && name->begins && name->only >= 0 && !is_number &&
		    is_short_name(s, name, n)) {
			const struct name whole = {
				.id = name->only, .slots = s->known->names.slots_by_id[name->only]};

			note_name(s, &whole, s->word_count - (uint32_t)n + 1);
			return;
		}
	}
}

static void add_heading_text(struct text_tracker *s, const char *text, size_t len)
{
	if (s->is_heading && s->cell_len + len <= HEADING_BYTES) {
		memcpy(s->cell + s->cell_len, text, len);
		s->cell_len += len;
	}
}

static void on_word(void *owner, const char *word, size_t len)
{
	struct text_tracker *s = owner;
	const struct cue_word *l = cue_word_find(word, len);
	uint32_t cue_flags = l ? l->cue_flags : 0;

	add_heading_text(s, word, len);
	s->stop = false;
	s->is_ruler = false;
	s->context.cues.first_of = cue_flags & CUE_COUNT_OF;
	s->context.cues.about = cue_flags & CUE_ABOUT;
	s->context.cues.label = cue_flags & CUE_LABEL;
	s->context.cues.limit = cue_flags & CUE_UP     ? 1
				: cue_flags & CUE_DOWN ? -1
				: cue_flags & CUE_THAN ? s->context.cues.limit
						       : 0;
	s->context.peak = s->context.peak || word_is(word, len, "peak");
	s->context.cues.in_all =
		s->context.cues.in_all || word_is(word, len, "altogether") ||
		(s->is_after_in && (word_is(word, len, "all") || word_is(word, len, "total")));
	s->is_after_in = word_is(word, len, "in");
	if (!isdigit((unsigned char)*word)) {
		note_rank(s, cue_flags, l ? l->value : 0);
		note_extreme(s, word, len, cue_flags);
		note_comparison(s, cue_flags, word_is(word, len, "by"));
		note_month(s, word, len);
		s->last_cue_flags = cue_flags | CUE_SOME;
		s->hour.till = s->hour.till || cue_flags & CUE_TO;
		s->hour.words++;
	}
	s->context.missing = s->context.missing || cue_flags & CUE_MISSING;
	s->compared = s->compared || cue_flags & CUE_THAN;
	if (s->known->table_count == 0)
		return;
	s->word_len = len;
	s->folded = folded_word_key(word, len);
	if (!s->context.in_row && !s->context.clause.after_amount &&
	    s->context.clause.count < CLAUSE_WORDS_MAX)
		s->context.clause.words[s->context.clause.count++] = s->folded;
	s->context.clause.after_amount = false;
	if (s->known->names.count == 0)
		return;
	memmove(s->words + 1, s->words, sizeof(s->words) - sizeof(s->words[0]));
	s->words[0] = name_word_key(word, len);
	s->titled = isupper((unsigned char)*word);
	s->word_count++;
	find_name(s, isdigit((unsigned char)*word) != 0);
	s->is_after_year = false;
	if (cue_flags & CUE_ORDINAL) {
		s->ordinal.word = s->word_count;
		s->ordinal.value = l->value;
	}
}

static void add_row(struct text_tracker *s)
{
	s->context.rows_written.written++;
	s->context.rows_written.last++;
}

static void end_row(struct text_tracker *s)
{
	if (s->context.in_row && !s->is_heading && !s->is_ruler)
		add_row(s);
	s->context.in_row = false;
	s->is_heading = false;
}

static void begin_row(struct text_tracker *s)
{
	s->is_heading = !s->in_table;
	if (s->is_heading) {
		for (int i = 0; i < COLUMNS_MAX; i++)
			s->headings[i] = (struct heading){.id = -1};
		s->context.rows_written.last = 0;
	}
	s->in_table = true;
	s->is_ruler = true; /* until a word is read */
	s->context.in_row = true;
	row_set_clear(&s->context.rows);
	s->column = 0;
}

static void next_cell(struct text_tracker *s)
{
	const struct heading *h;

	if (s->is_heading && s->column > 0 && s->column <= COLUMNS_MAX) {
		s->headings[s->column - 1].unit =
			unit_in_text(&s->known->units, s->cell, s->cell_len);
		s->headings[s->column - 1].key = known_heading(s->known, s->cell, s->cell_len);
	}
	s->cell_len = 0;
	s->column++;
	h = s->column <= COLUMNS_MAX ? &s->headings[s->column - 1] : NULL;
	s->context.header.id = h ? h->id : -1;
	s->context.header.slots = h ? h->slots : 0;
	s->context.header.unit = h ? h->unit : NULL;
	s->context.header.key = h && !s->is_heading ? h->key : 0;
}

/* "A is 2.66 above B: 54.80 against 52.14": the numbers that follow refer to both names. */
static void join_names(struct text_tracker *s)
{
	for (int i = 0; i < s->context.count; i++)
		s->context.mentions[i].group = s->amounts;
}

static void on_char(void *owner, char c)
{
	struct text_tracker *s = owner;

	if (c == '\n') {
		end_row(s);
		s->ends = true;
		end_sentence(s);
		s->stop = false;
		if (s->reader.line_start) /* an empty line: the next table is a new one */
			s->in_table = false;
		return;
	}
	if (c == '|' && s->reader.line_start)
		begin_row(s);
	else if (s->reader.line_start && c != ' ')
		s->in_table = false;
	s->context.clause.after_amount = s->context.clause.after_amount && strchr(" *", c);
	if (c == ' ' && s->bullet)
		add_row(s);
	s->bullet = s->reader.line_start && (c == '-' || c == '*') && !s->bullet;
	if (c == ':' && s->compared)
		join_names(s);
	if (c == '|' && s->context.in_row)
		next_cell(s);
	else
		add_heading_text(s, &c, 1);
	s->ends = s->reader.prev != ';';
	if (c == ' ' && s->stop && !s->context.in_row)
		end_sentence(s);
	if (strchr(",(:;", c))
		s->last_cue_flags = 0;
	if (strchr(",(;", c) && s->amounts > 0)
		s->context.clause.count = 0;
	s->stop = c == '.' || c == '!' || c == '?' || c == ';';
	s->hour.open = s->hour.open || c == '(' || c == '/';
	s->hour.till = s->hour.till || (c == '-' && isdigit((unsigned char)s->reader.prev));
	if (s->ordinal.last && strchr(",(:.;", c))
		s->context.cues.rank = s->ordinal.last;
	if (s->ordinal.last && c != ' ' && c != '-' && c != '*')
		s->ordinal.last = 0;
}

/* ---- the name after a number ---- */

static size_t word_length(const char *p, size_t n)
{
	size_t len = 0;

	while (len < n && is_word_byte(len ? p[len - 1] : ' ', p[len]))
		len++;
	return len;
}

/* "in", "at": introduces what a number refers to. */
static bool introduces(const char *word, size_t len)
{
	static const char *const words[] = {"for", "from", "by", "in", "at", "of", "under", "with"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (word_is(word, len, words[i]))
			return true;
	return false;
}

static bool may_introduce(const char *word, size_t len)
{
	static const char *const words[] = {"for", "from", "by", "in", "at", "of", "under", "with"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (len <= strlen(words[i]) && strncasecmp(word, words[i], len) == 0)
			return true;
	return false;
}

/* Finds the longest name at p. SCAN_MORE: more text is needed. */
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
		else if (name && name->begins && name->only >= 0 && len > 3 &&
			 isupper((unsigned char)*p))
			*out = name; /* "Rio Verde"; the caller looks up which name it begins */
		at += len;
		if (!name || !name->begins)
			return SCAN_DONE;
		while (at < n && strchr(" _-'.", p[at]))
			at++;
		if (at == n && !final)
			return SCAN_MORE;
	}
}

/* Reads "hour 19", "HE 20", "19:00" or "7 pm" at p. SCAN_MORE: more text is needed. */
static enum scan hour_ahead(const char *p, size_t n, bool final, int *hour, size_t *bytes)
{
	struct lead lead = {0};
	struct shown shown;
	size_t at = word_length(p, n);

	*hour = -1;
	if (at == n && !final)
		return SCAN_MORE;
	if (at > 1 && (p[0] == 'H' || p[0] == 'h') && isdigit((unsigned char)p[at - 1]) &&
	    !isdigit((unsigned char)p[2 < n ? 2 : 0]))
		return SCAN_DONE;
	lead.hour = word_is(p, at, "hour") || word_is(p, at, "hours");
	lead.hour_ending =
		at >= 2 && memcmp(p, "HE", 2) == 0 && (at == 2 || isdigit((unsigned char)p[2]));
	if (lead.hour_ending)
		at = 2;
	else if (!lead.hour)
		at = 0;
	while (at > 0 && at < n && p[at] == ' ')
		at++;
	if (at == n)
		return final ? SCAN_DONE : SCAN_MORE;
	if (!isdigit((unsigned char)p[at]))
		return SCAN_DONE;
	if (shown_scan(NULL, p + at, n - at, final, &lead, &shown) == SCAN_MORE)
		return SCAN_MORE;
	if (shown.kind != SHOWN_HOUR)
		return SCAN_DONE;
	*hour = (int)shown.value;
	*bytes = at + shown.len;
	return SCAN_DONE;
}

static uint32_t hours_between(int from, int to)
{
	uint32_t bits = 0;

	for (int h = from; from <= to && h <= to; h++)
		bits |= 1u << h;
	return bits;
}

/* Reads the time after a number: "in hour 19", "in hours 18-20", "in August". */
static enum scan time_ahead(struct text_tracker *s, const char *p, size_t n, bool final)
{
	struct when *w = &s->context.follow.when;
	size_t len = word_length(p, n), at = 0, more = 0;
	int from, to;

	if (len == n && !final)
		return SCAN_MORE;
	if (month_of_word(p, len)) {
		w->months = 1u << month_of_word(p, len);
		return SCAN_DONE;
	}
	if (hour_ahead(p, n, final, &from, &at) == SCAN_MORE)
		return SCAN_MORE;
	if (from < 0 || from > 23)
		return SCAN_DONE;
	w->hours = 1u << from;
	while (at < n && strchr(" -", p[at]))
		at++;
	if (n - at >= 3 && memcmp(p + at, "–", 3) == 0)
		at += 3;
	if (n - at >= 3 && memcmp(p + at, "to ", 3) == 0)
		at += 3;
	if (n - at >= 8 && memcmp(p + at, "through ", 8) == 0)
		at += 8;
	if (n - at < 9 && !final)
		return SCAN_MORE;
	if (at < n && isdigit((unsigned char)p[at])) {
		struct lead lead = {.hour = true};
		struct shown shown;

		if (shown_scan(NULL, p + at, n - at, final, &lead, &shown) == SCAN_MORE)
			return SCAN_MORE;
		if (shown.kind == SHOWN_HOUR && shown.value <= 23)
			w->hours |= hours_between(from, (int)shown.value);
		return SCAN_DONE;
	}
	if (hour_ahead(p + at, n - at, final, &to, &more) == SCAN_MORE)
		return SCAN_MORE;
	if (to >= 0 && to <= 23)
		w->hours |= hours_between(from, to);
	return SCAN_DONE;
}

/* Reads the name or time after a number: "… for Ascend", "… (Hitachi)", "… in hour 19". */
enum scan tracker_read_following_name(struct text_tracker *s, const char *p, size_t n, bool final)
{
	const struct name *name = NULL;
	size_t at = 0, len;

	s->context.follow.id = -1;
	s->context.follow.when = (struct when){0};
	if ((!s->known->has_rivals && !s->known->has_times) || s->context.in_row)
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
			return may_introduce(p + at, len) ? SCAN_MORE : SCAN_DONE;
		if (!introduces(p + at, len) || at + len == n || p[at + len] != ' ')
			return SCAN_DONE;
		at += len + 1;
	}
	while (at < n && p[at] == '*')
		at++;
	if (s->known->has_times && time_ahead(s, p + at, n - at, final) == SCAN_MORE)
		return SCAN_MORE;
	if (name_ahead(&s->known->names, p + at, n - at, final, &name) == SCAN_MORE)
		return SCAN_MORE;
	if (name) {
		s->context.follow.id = name->id >= 0 ? name->id : name->only;
		s->context.follow.slots = s->known->names.slots_by_id[s->context.follow.id];
	}
	return SCAN_DONE;
}

/* "… above Ascend", "… more than Hitachi's", "… of its budget". */
enum scan tracker_read_comparison(struct text_tracker *s, const char *p, size_t n, bool final)
{
	struct word_comparison t = s->before;
	size_t at = 0;
	bool led = false; /* an introducing word was read */

	s->context.comparison_known = false;
	final = final || n >= FOLLOW_BYTES_MAX;
	for (int words = 0; words < COMPARISON_WORDS; words++) {
		const struct name *name = NULL;
		uint32_t cue_flags;
		size_t len;

		while (at < n && strchr(" *_`)'-", p[at]))
			at++;
		if (words == 0 && at < n && p[at] == '(') { /* "$2.66 (5.1 %) above" */
			const char *close = memchr(p + at, ')', n - at);

			if (!close && !final)
				return SCAN_MORE;
			at = close ? (size_t)(close - p) + 1 : n;
			while (at < n && strchr(" *", p[at]))
				at++;
		}
		len = word_length(p + at, n - at);
		if (at + len == n && !final)
			return SCAN_MORE;
		if (len == 0 || isdigit((unsigned char)p[at]))
			break;
		cue_flags = cue_word_flags(p + at, len);
		if (cue_flags & CUE_AND)
			break;
		t.of = t.of || (words == 0 && word_is(p + at, len, "of"));
		t.rest = t.rest || cue_flags & CUE_SPENT;
		t.sum = t.sum || cue_flags & CUE_SUM;
		t.mean = t.mean || cue_flags & CUE_MEAN;
		t.than = t.than || cue_flags & CUE_THAN;
		if (cue_flags & (CUE_UP | CUE_DOWN) && !led && !(t.by && t.dir)) {
			t.dir = cue_flags & CUE_UP ? 1 : -1;
			t.move = cue_flags & CUE_MOVE;
			t.ref_id = -1;
			led = true;
		}
		t.change = t.change || cue_flags & CUE_CHANGE;
		if (led || cue_flags & CUE_THAN) {
			if (name_ahead(&s->known->names, p + at, n - at, final, &name) == SCAN_MORE)
				return SCAN_MORE;
		}
		t.after[words] = folded_word_key(p + at, len);
		if (name) {
			t.ref_id = name->id >= 0 ? name->id : name->only;
			break;
		}
		at += len;
	}
	if (t.ref_id < 0) /* "… above Ascend, 5 % more" */
		t.ref_id = s->ref_id;
	s->context.word_comparison = t;
	s->context.comparison_known = true;
	return SCAN_DONE;
}

enum scan tracker_read_number_context(struct text_tracker *s, const char *p, size_t n, bool final,
				      const struct shown *number)
{
	s->context.number_context =
		(struct number_context){.before = reader_word_before(&s->reader)};
	s->context.same_hour = s->hour.last >= 0 && s->hour.open && s->hour.words <= HOUR_WORDS
				       ? s->hour.from
				       : -1;
	if (!shown_is_bare(number))
		return SCAN_DONE;
	if (number_context_read_after(p, n, final, &s->context.number_context) == SCAN_MORE)
		return SCAN_MORE;
	number_context_drop_emoji(s->known, &s->context.number_context);
	if (s->context.number_context.before == folded_word_key("of", 2)) {
		/* "two of four projects are …", "three of five are …": describes the two */
		memset(s->context.number_context.predicate, 0,
		       sizeof(s->context.number_context.predicate));
		if (n > 1 && cue_word_flags(p + 1, word_length(p + 1, n - 1)) & CUE_AUX)
			memset(s->context.number_context.after, 0,
			       sizeof(s->context.number_context.after));
	}
	return SCAN_DONE;
}

bool tracker_refers_to_data(const struct text_tracker *s, const struct shown *number)
{
	/* "A is twice as dear as B": before B is named, the ratio has no second operand. */
	if (unit_is_ratio(number->unit) && s->context.count < 2)
		return false;
	return number_context_refers_to_data(s->known, number, &s->context.number_context);
}

void tracker_init(struct text_tracker *s, const struct known *k)
{
	*s = (struct text_tracker){.known = k,
				   .hour.last = -1,
				   .post_id = -1,
				   .ref_id = -1,
				   .before = {.ref_id = -1},
				   .context.sentence = 1};
	reader_init(&s->reader, &k->units);
	s->reader.on_word = on_word;
	s->reader.on_char = on_char;
	s->reader.owner = s;
	s->context.follow.id = s->context.header.id = s->context.same_hour = -1;
	row_set_clear(&s->context.rows);
}

bool tracker_is_id(const struct text_tracker *s, const char *p, const struct shown *number,
		   bool *known)
{
	const struct name *begin =
		s->words[0] ? name_find(&s->known->names, name_join(0, s->words[0])) : NULL;
	const struct name *name;

	if (number->kind != SHOWN_ID || !begin || !begin->begins)
		return false;
	name = name_find(&s->known->names,
			 name_join(name_join(0, s->words[0]), name_word_key(p, number->len)));
	*known = name != NULL;
	return true;
}

bool tracker_is_name(const struct text_tracker *s, const char *p, const struct shown *number)
{
	uint64_t last = name_word_key(p, number->len);

	if (number->worded || (!shown_is_bare(number) && number->kind != SHOWN_MONTH &&
			       number->kind != SHOWN_QUARTER))
		return false;
	for (int n = 1; n < NAME_WORDS_MAX && s->words[n - 1]; n++) {
		const struct name *name;
		uint64_t key = 0;

		for (int i = n; i-- > 0;)
			key = name_join(key, s->words[i]);
		name = name_find(&s->known->names, name_join(key, last));
		if (name && name->id >= 0)
			return true;
	}
	return false;
}

bool tracker_begins_name(const struct text_tracker *s, const char *p, size_t n,
			 const struct shown *number)
{
	uint64_t key = 0;
	size_t at = 0;

	for (int words = 1; words <= NAME_WORDS_MAX && !number->worded; words++) {
		size_t len = word_length(p + at, n - at);
		const struct name *name;

		key = name_join(key, name_word_key(p + at, len));
		name = len > 0 ? name_find(&s->known->names, key) : NULL;
		if (!name || (name->id >= 0 && words > 1))
			return name != NULL;
		at += len;
		while (at < n && strchr(" %-", p[at]))
			at++;
	}
	return false;
}

bool tracker_is_rank_cell(const struct text_tracker *s, const struct shown *number)
{
	return s->context.in_row && !s->is_heading && s->column == 1 && !s->context.header.key &&
	       shown_is_bare(number) && !number->worded &&
	       number->value == (s->context.rows_written.last + 1) * (guard_value)100000000;
}

static void consume_hour(struct text_tracker *s, const struct shown *number)
{
	struct when *w = &s->context.when;
	int hour = (int)number->value;

	if (hour > 23 || s->context.in_row)
		return;
	if (s->hour.last >= 0 && w->amounts > 0 && s->hour.till)
		w->hours |= hours_between(s->hour.last, hour);
	else if (s->hour.last >= 0 && w->amounts > 0)
		w->hours |= 1u << hour;
	else
		*w = (struct when){.hours = 1u << hour, .amounts = 1};
	if (!s->hour.till || s->hour.last < 0)
		s->hour.from = hour;
	s->hour.last = hour;
	s->hour.till = s->hour.open = false;
	s->hour.words = 0;
}

static void consume_day(struct text_tracker *s, const struct shown *number)
{
	struct when *w = &s->context.when;
	int from = number->date.year * 10000 + number->date.month * 100 + number->date.day;
	bool quarter = number->kind == SHOWN_QUARTER;

	if (number->kind == SHOWN_DATE) {
		s->context.days[1] = s->context.days[0];
		s->context.days[0] = (int32_t)date_to_days(number->date);
	}
	if (s->context.in_row ||
	    (!quarter && !(s->last_cue_flags & CUE_AT) && !w->months && s->last_cue_flags))
		return;
	if (quarter)
		from = number->date.year * 10000 + (number->date.month * 3 - 2) * 100;
	*w = (struct when){.months = quarter ? 7u << (number->date.month * 3 - 2)
					     : 1u << number->date.month,
			   .from = number->date.year ? from : 0,
			   .to = number->kind == SHOWN_DATE ? from : from + (quarter ? 299 : 99),
			   .amounts = 1};
}

/* Clears what described the previous amount; the sentence continues. */
static void consume_amount(struct text_tracker *s, const struct shown *number,
			   const struct number_binding *v)
{
	struct context *c = &s->context;

	s->amounts++;
	s->context.clause.after_amount = !shown_is_bare(number);
	s->post_id = c->follow.id;
	c->claim = s->before.move || s->before.by ? 0 : s->before.dir;
	s->before =
		s->before.move && c->from && !s->before.by && !s->before.to
			? (struct word_comparison){.ref_id = -1, .dir = s->before.dir, .move = true}
			: (struct word_comparison){.ref_id = -1};
	c->clause.count = 0;
	c->clause.compared = false;
	c->against = false;
	if (c->comparison_known && c->word_comparison.ref_id >= 0)
		s->ref_id = c->word_comparison.ref_id;
	c->when.amounts -= c->when.amounts > 0;
	if (c->when.amounts == 0)
		c->when = (struct when){0};
	if (!v || !v->bound)
		return;
	memmove(c->recent + 1, c->recent, sizeof(c->recent[0]) * (RECENT_MAX - 1));
	c->recent[0] = v->amount;
	c->recent[0].sentence = c->sentence;
	c->recent[0].shown = number->value;
	c->recent[0].half = number->half;
}

void tracker_consume_number(struct text_tracker *s, const char *p, const struct shown *number,
			    const struct number_binding *number_binding)
{
	if (number->kind == SHOWN_TEXT && !number->worded && s->reader.line_start)
		add_row(s);
	reader_consume_number(&s->reader, p, number);
	s->is_after_year = number->kind == SHOWN_YEAR;
	if (number->kind == SHOWN_HOUR)
		consume_hour(s, number);
	else if (number->kind == SHOWN_MONTH || number->kind == SHOWN_DATE ||
		 number->kind == SHOWN_DAY || number->kind == SHOWN_QUARTER)
		consume_day(s, number);
	else if (number->kind == SHOWN_NUMBER)
		consume_amount(s, number, number_binding);
	if (number->kind != SHOWN_HOUR)
		s->hour.last = -1;
	if (number->kind == SHOWN_RANK && number->value <= 20)
		s->ordinal.last = (int)number->value;
	if (number->kind == SHOWN_NUMBER &&
	    (!shown_is_bare(number) || number->value > 12 * (guard_value)100000000))
		s->context.cues.extreme = s->context.cues.rank = 0;
}
