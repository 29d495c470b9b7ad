/*
 * Tracks the subject of the text as it streams: names in the sentence and table row, column
 * headings, and the name after a number. The struct contains plain values only, so that a copy
 * allows a sentence to be read again.
 */
#include "guard_int.h"
#include "claims/telling.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "vesper/clock.h"

#define HOUR_WORDS       2  /* "6 pm (hour 18)": words between two forms of one hour */
#define FOLLOW_BYTES_MAX 80 /* bytes after a number searched for its name */

/* ---- names and words ---- */

static void end_sentence(struct speech *s)
{
	struct context *c = &s->said;

	if (c->count > 0) {
		memcpy(c->before, c->said, sizeof(c->said));
		c->before_count = c->count;
	}
	c->count = 0;
	c->peak = c->told.in_all = c->missing = s->partly = false;
	c->told.extreme = c->told.rank = s->ordinal.last = 0;
	s->ordinal.word = 0;
	c->told.about = c->told.label = c->against = c->from = false;
	c->clause.count = 0;
	c->clause.compared = false;
	c->claim = 0;
	c->changed = s->ends && c->changes;
	c->sums = c->means = c->changes = false;
	c->when = (struct when){0};
	s->before = (struct tone){.ref_id = -1};
	s->ref_id = -1;
	s->last_is = 0;
	s->hour.last = -1;
	s->compared = false;
	s->amounts = 0;
	c->sentence += s->ends;
	memset(s->words, 0, sizeof(s->words));
}

static void say_name(struct speech *s, const struct name *name, uint32_t first_word)
{
	struct context *c = &s->said;

	if (s->is_heading) {
		if (s->column > 0 && s->column <= COLUMNS_MAX) {
			s->headings[s->column - 1].id = name->id;
			s->headings[s->column - 1].slots = name->slots;
		}
		return;
	}
	/* "Kern Wind II" replaces "Kern Wind" */
	while (c->count > 0 && c->said[c->count - 1].word >= first_word)
		c->count--;
	if (c->count == GROUP_MAX) {
		memmove(c->said, c->said + 1, sizeof(c->said[0]) * (GROUP_MAX - 1));
		c->count--;
	}
	if (s->ordinal.word && first_word == s->ordinal.word + 1) /* "third Portfolio View" */
		c->told.rank = s->ordinal.value;
	c->said[c->count++] = (struct mention){.id = name->id,
					       .slots = name->slots,
					       .word = first_word,
					       .group = s->amounts,
					       .post = s->amounts > 0 && name->id == s->post_id,
					       .ref = name->id == s->ref_id ||
						      (s->before.dir && first_word > s->dir_word)};
	if (s->before.dir && first_word > s->dir_word) {
		s->before.ref_id = name->id;
	}
}

static bool word_is(const char *word, size_t len, const char *other)
{
	return len == strlen(other) && strncasecmp(word, other, len) == 0;
}

/* "Second-highest", "second with": a rank. "The second half" is not. */
static void say_rank(struct speech *s, uint32_t is, int value)
{
	if (s->ordinal.last && (is & (TELLS_MOST | TELLS_LEAST | TELLS_PLACE | TELLS_AUX)))
		s->said.told.rank = s->ordinal.last;
	s->ordinal.last = is & TELLS_ORDINAL ? value : 0;
}

static void say_extreme(struct speech *s, const char *word, size_t len, uint32_t is)
{
	struct context *c = &s->said;

	if (c->told.extreme && !c->told.extreme_of)
		c->told.extreme_of = beside_key(word, len);
	if (is & (TELLS_MOST | TELLS_LEAST)) {
		if (s->last_is & TELLS_AT) /* "at most", "in most of them" */
			return;
		if (!s->partly || c->told.rank) {
			c->told.extreme = is & TELLS_MOST ? 1 : -1;
			c->told.extreme_of = 0;
		}
		return;
	}
	if (is & TELLS_PARTLY)
		s->partly = true;
	if (s->last_is & TELLS_QUANTITY && is & (TELLS_PARTLY | TELLS_AT))
		c->told.extreme = 0; /* "most recent", "most of" */
}

/* Updates the comparison of the next amount. */
static void say_tone(struct speech *s, uint32_t is, bool by)
{
	struct tone *t = &s->before;

	t->by = by;
	t->to = is & TELLS_TO;
	t->than = t->than || is & TELLS_THAN;
	s->said.sums = s->said.sums || is & TELLS_SUM;
	s->said.means = s->said.means || is & TELLS_MEAN;
	s->said.changes = s->said.changes || is & TELLS_CHANGE;
	if (is & TELLS_AND && s->amounts > 0)
		s->said.clause.count = 0;
	s->said.against = is & TELLS_AGAINST || /* "compared with", "compared to" */
			  (s->said.against && is & (TELLS_PLACE | TELLS_TO));
	s->said.from = s->said.from || is & TELLS_FROM;
	t->change = t->change || is & TELLS_CHANGE;
	t->rest = t->rest || is & TELLS_SPENT;
	if (!(is & (TELLS_UP | TELLS_DOWN)))
		return;
	t->dir = is & TELLS_UP ? 1 : -1;
	t->move = is & TELLS_MOVE;
	s->said.changes = s->said.changes || t->move;
	t->ref_id = -1;
	s->dir_word = s->word_count;
	s->said.clause_dir = s->said.clause.count;
	s->said.clause.compared = !t->move;
}

static void say_month(struct speech *s, const char *word, size_t len)
{
	int month = s->known->has_times && !s->said.in_row ? month_of_word(word, len) : 0;

	if (!month || (s->last_is && !(s->last_is & (TELLS_AT | TELLS_AUX | TELLS_AND))))
		return;
	if (!(s->last_is & TELLS_AND) || s->said.when.amounts == 0)
		s->said.when = (struct when){0};
	s->said.when.months |= 1u << month;
	s->said.when.amounts++;
}

/* "Nazareth" for Nazareth Solar, unless the data uses the word otherwise. */
static bool is_short_name(const struct speech *s, const struct name *name, int words)
{
	if (words > 1)
		return true;
	return (s->titled || !name->cased) && s->word_len > 3 && !s->said.in_row &&
	       !known_is_column_word(s->known, s->folded);
}

/* Finds the longest name that ends with this word. */
static void find_name(struct speech *s, bool is_number)
{
	for (int n = NAME_WORDS_MAX; n >= 1; n--) {
		const struct name *name;
		uint64_t key = 0;

		if (!s->words[n - 1] || (n == 1 && is_number && !s->year_told))
			continue;
		for (int i = n; i-- > 0;)
			key = name_join(key, s->words[i]);
		name = name_find(&s->known->names, key);
		if (name && name->id >= 0 && (n > 1 || s->titled || !name->cased)) {
			say_name(s, name, s->word_count - (uint32_t)n + 1);
			return;
		}
		if (name && name->id < 0 && name->begins && name->only >= 0 && !is_number &&
		    is_short_name(s, name, n)) {
			const struct name whole = {
				.id = name->only, .slots = s->known->names.slots_by_id[name->only]};

			say_name(s, &whole, s->word_count - (uint32_t)n + 1);
			return;
		}
	}
}

static void add_heading_text(struct speech *s, const char *text, size_t len)
{
	if (s->is_heading && s->cell_len + len <= HEADING_BYTES) {
		memcpy(s->cell + s->cell_len, text, len);
		s->cell_len += len;
	}
}

static void on_word(void *owner, const char *word, size_t len)
{
	struct speech *s = owner;
	const struct telling *l = telling_find(word, len);
	uint32_t is = l ? l->is : 0;

	add_heading_text(s, word, len);
	s->stop = false;
	s->is_ruler = false;
	s->said.told.first_of = is & TELLS_COUNT_OF;
	s->said.told.about = is & TELLS_ABOUT;
	s->said.told.label = is & TELLS_LABEL;
	s->said.told.limit = is & TELLS_UP     ? 1
			     : is & TELLS_DOWN ? -1
			     : is & TELLS_THAN ? s->said.told.limit
					       : 0;
	s->said.peak = s->said.peak || word_is(word, len, "peak");
	s->said.told.in_all =
		s->said.told.in_all || word_is(word, len, "altogether") ||
		(s->said_in && (word_is(word, len, "all") || word_is(word, len, "total")));
	s->said_in = word_is(word, len, "in");
	if (!isdigit((unsigned char)*word)) {
		say_rank(s, is, l ? l->value : 0);
		say_extreme(s, word, len, is);
		say_tone(s, is, word_is(word, len, "by"));
		say_month(s, word, len);
		s->last_is = is | TELLS_SOME;
		s->hour.till = s->hour.till || is & TELLS_TO;
		s->hour.words++;
	}
	s->said.missing = s->said.missing || is & TELLS_MISSING;
	s->compared = s->compared || is & TELLS_THAN;
	if (s->known->table_count == 0)
		return;
	s->word_len = len;
	s->folded = beside_key(word, len);
	if (!s->said.in_row && !s->said.clause.after_amount &&
	    s->said.clause.count < CLAUSE_WORDS_MAX)
		s->said.clause.words[s->said.clause.count++] = s->folded;
	s->said.clause.after_amount = false;
	if (s->known->names.count == 0)
		return;
	memmove(s->words + 1, s->words, sizeof(s->words) - sizeof(s->words[0]));
	s->words[0] = name_word_key(word, len);
	s->titled = isupper((unsigned char)*word);
	s->word_count++;
	find_name(s, isdigit((unsigned char)*word) != 0);
	s->year_told = false;
	if (is & TELLS_ORDINAL) {
		s->ordinal.word = s->word_count;
		s->ordinal.value = l->value;
	}
}

static void add_row(struct speech *s)
{
	s->said.rows_said.written++;
	s->said.rows_said.last++;
}

static void end_row(struct speech *s)
{
	if (s->said.in_row && !s->is_heading && !s->is_ruler)
		add_row(s);
	s->said.in_row = false;
	s->is_heading = false;
}

static void begin_row(struct speech *s)
{
	s->is_heading = !s->in_table;
	if (s->is_heading) {
		for (int i = 0; i < COLUMNS_MAX; i++)
			s->headings[i] = (struct heading){.id = -1};
		s->said.rows_said.last = 0;
	}
	s->in_table = true;
	s->is_ruler = true; /* until a word is read */
	s->said.in_row = true;
	row_set_clear(&s->said.rows);
	s->column = 0;
}

static void next_cell(struct speech *s)
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
	s->said.header.id = h ? h->id : -1;
	s->said.header.slots = h ? h->slots : 0;
	s->said.header.unit = h ? h->unit : NULL;
	s->said.header.key = h && !s->is_heading ? h->key : 0;
}

/* "A is 2.66 above B: 54.80 against 52.14": the numbers that follow refer to both names. */
static void join_names(struct speech *s)
{
	for (int i = 0; i < s->said.count; i++)
		s->said.said[i].group = s->amounts;
}

static void on_char(void *owner, char c)
{
	struct speech *s = owner;

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
	s->said.clause.after_amount = s->said.clause.after_amount && strchr(" *", c);
	if (c == ' ' && s->bullet)
		add_row(s);
	s->bullet = s->reader.line_start && (c == '-' || c == '*') && !s->bullet;
	if (c == ':' && s->compared)
		join_names(s);
	if (c == '|' && s->said.in_row)
		next_cell(s);
	else
		add_heading_text(s, &c, 1);
	s->ends = s->reader.prev != ';';
	if (c == ' ' && s->stop && !s->said.in_row)
		end_sentence(s);
	if (strchr(",(:;", c))
		s->last_is = 0;
	if (strchr(",(;", c) && s->amounts > 0)
		s->said.clause.count = 0;
	s->stop = c == '.' || c == '!' || c == '?' || c == ';';
	s->hour.open = s->hour.open || c == '(' || c == '/';
	s->hour.till = s->hour.till || (c == '-' && isdigit((unsigned char)s->reader.prev));
	if (s->ordinal.last && strchr(",(:.;", c))
		s->said.told.rank = s->ordinal.last;
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
static enum scan time_ahead(struct speech *s, const char *p, size_t n, bool final)
{
	struct when *w = &s->said.follow.when;
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
enum scan speech_follower(struct speech *s, const char *p, size_t n, bool final)
{
	const struct name *name = NULL;
	size_t at = 0, len;

	s->said.follow.id = -1;
	s->said.follow.when = (struct when){0};
	if ((!s->known->has_rivals && !s->known->has_times) || s->said.in_row)
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
		s->said.follow.id = name->id >= 0 ? name->id : name->only;
		s->said.follow.slots = s->known->names.slots_by_id[s->said.follow.id];
	}
	return SCAN_DONE;
}

/* "… above Ascend", "… more than Hitachi's", "… of its budget". */
enum scan speech_tone(struct speech *s, const char *p, size_t n, bool final)
{
	struct tone t = s->before;
	size_t at = 0;
	bool led = false; /* an introducing word was read */

	s->said.tone_known = false;
	final = final || n >= FOLLOW_BYTES_MAX;
	for (int words = 0; words < TONE_WORDS; words++) {
		const struct name *name = NULL;
		uint32_t is;
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
		is = telling_of(p + at, len);
		if (is & TELLS_AND)
			break;
		t.of = t.of || (words == 0 && word_is(p + at, len, "of"));
		t.rest = t.rest || is & TELLS_SPENT;
		t.sum = t.sum || is & TELLS_SUM;
		t.mean = t.mean || is & TELLS_MEAN;
		t.than = t.than || is & TELLS_THAN;
		if (is & (TELLS_UP | TELLS_DOWN) && !led && !(t.by && t.dir)) {
			t.dir = is & TELLS_UP ? 1 : -1;
			t.move = is & TELLS_MOVE;
			t.ref_id = -1;
			led = true;
		}
		t.change = t.change || is & TELLS_CHANGE;
		if (led || is & TELLS_THAN) {
			if (name_ahead(&s->known->names, p + at, n - at, final, &name) == SCAN_MORE)
				return SCAN_MORE;
		}
		t.after[words] = beside_key(p + at, len);
		if (name) {
			t.ref_id = name->id >= 0 ? name->id : name->only;
			break;
		}
		at += len;
	}
	if (t.ref_id < 0) /* "… above Ascend, 5 % more" */
		t.ref_id = s->ref_id;
	s->said.tone = t;
	s->said.tone_known = true;
	return SCAN_DONE;
}

enum scan speech_beside(struct speech *s, const char *p, size_t n, bool final,
			const struct shown *number)
{
	s->said.beside = (struct beside){.before = reader_before(&s->reader)};
	s->said.same_hour = s->hour.last >= 0 && s->hour.open && s->hour.words <= HOUR_WORDS
				    ? s->hour.from
				    : -1;
	if (!shown_is_bare(number))
		return SCAN_DONE;
	if (beside_after(p, n, final, &s->said.beside) == SCAN_MORE)
		return SCAN_MORE;
	beside_settle(s->known, &s->said.beside);
	if (s->said.beside.before == beside_key("of", 2)) {
		/* "two of four projects are …", "three of five are …": describes the two */
		memset(s->said.beside.said_to_be, 0, sizeof(s->said.beside.said_to_be));
		if (n > 1 && telling_of(p + 1, word_length(p + 1, n - 1)) & TELLS_AUX)
			memset(s->said.beside.after, 0, sizeof(s->said.beside.after));
	}
	return SCAN_DONE;
}

bool speech_tells(const struct speech *s, const struct shown *number)
{
	/* "A is twice as dear as B": before B is named, the ratio has no second operand. */
	if (unit_is_ratio(number->unit) && s->said.count < 2)
		return false;
	return beside_is_told(s->known, number, &s->said.beside);
}

void speech_init(struct speech *s, const struct known *k)
{
	*s = (struct speech){.known = k,
			     .hour.last = -1,
			     .post_id = -1,
			     .ref_id = -1,
			     .before = {.ref_id = -1},
			     .said.sentence = 1};
	reader_init(&s->reader, &k->units);
	s->reader.on_word = on_word;
	s->reader.on_char = on_char;
	s->reader.owner = s;
	s->said.follow.id = s->said.header.id = s->said.same_hour = -1;
	row_set_clear(&s->said.rows);
}

bool speech_is_id(const struct speech *s, const char *p, const struct shown *number, bool *known)
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

bool speech_is_name(const struct speech *s, const char *p, const struct shown *number)
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

bool speech_begins_name(const struct speech *s, const char *p, size_t n, const struct shown *number)
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

bool speech_is_rank_cell(const struct speech *s, const struct shown *number)
{
	return s->said.in_row && !s->is_heading && s->column == 1 && !s->said.header.key &&
	       shown_is_bare(number) && !number->worded &&
	       number->value == (s->said.rows_said.last + 1) * (guard_value)100000000;
}

static void take_hour(struct speech *s, const struct shown *number)
{
	struct when *w = &s->said.when;
	int hour = (int)number->value;

	if (hour > 23 || s->said.in_row)
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

static void take_day(struct speech *s, const struct shown *number)
{
	struct when *w = &s->said.when;
	int from = number->date.year * 10000 + number->date.month * 100 + number->date.day;
	bool quarter = number->kind == SHOWN_QUARTER;

	if (number->kind == SHOWN_DATE) {
		s->said.days[1] = s->said.days[0];
		s->said.days[0] = (int32_t)date_to_days(number->date);
	}
	if (s->said.in_row || (!quarter && !(s->last_is & TELLS_AT) && !w->months && s->last_is))
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
static void take_amount(struct speech *s, const struct shown *number, const struct verdict *v)
{
	struct context *c = &s->said;

	s->amounts++;
	s->said.clause.after_amount = !shown_is_bare(number);
	s->post_id = c->follow.id;
	c->claim = s->before.move || s->before.by ? 0 : s->before.dir;
	s->before = s->before.move && c->from && !s->before.by && !s->before.to
			    ? (struct tone){.ref_id = -1, .dir = s->before.dir, .move = true}
			    : (struct tone){.ref_id = -1};
	c->clause.count = 0;
	c->clause.compared = false;
	c->against = false;
	if (c->tone_known && c->tone.ref_id >= 0)
		s->ref_id = c->tone.ref_id;
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

void speech_take(struct speech *s, const char *p, const struct shown *number,
		 const struct verdict *verdict)
{
	if (number->kind == SHOWN_TEXT && !number->worded && s->reader.line_start)
		add_row(s);
	reader_take(&s->reader, p, number);
	s->year_told = number->kind == SHOWN_YEAR;
	if (number->kind == SHOWN_HOUR)
		take_hour(s, number);
	else if (number->kind == SHOWN_MONTH || number->kind == SHOWN_DATE ||
		 number->kind == SHOWN_DAY || number->kind == SHOWN_QUARTER)
		take_day(s, number);
	else if (number->kind == SHOWN_NUMBER)
		take_amount(s, number, verdict);
	if (number->kind != SHOWN_HOUR)
		s->hour.last = -1;
	if (number->kind == SHOWN_RANK && number->value <= 20)
		s->ordinal.last = (int)number->value;
	if (number->kind == SHOWN_NUMBER &&
	    (!shown_is_bare(number) || number->value > 12 * (guard_value)100000000))
		s->said.told.extreme = s->said.told.rank = 0;
}
