/*
 * What the answer speaks of while it passes: the names in the sentence and in the table row, the
 * headings of a table's columns, and the name that follows a number. It is one struct of plain
 * values, so that a sentence can be read on trial and then again.
 */
#include "guard_int.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define FOLLOW_BYTES_MAX 80 /* after a number are looked at for its name */

/* ---- what is being spoken of ---- */

static void end_sentence(struct speech *s)
{
	struct context *c = &s->said;

	if (c->count > 0) {
		memcpy(c->before, c->said, sizeof(c->said));
		c->before_count = c->count;
	}
	c->count = 0;
	c->peak = c->in_all = c->missing = s->partly = false;
	c->extreme = 0;
	s->compared = false;
	s->amounts = 0;
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
	/* "Kern Wind II" takes the place of "Kern Wind" */
	while (c->count > 0 && c->said[c->count - 1].word >= first_word)
		c->count--;
	if (c->count == GROUP_MAX) {
		memmove(c->said, c->said + 1, sizeof(c->said[0]) * (GROUP_MAX - 1));
		c->count--;
	}
	c->said[c->count++] = (struct mention){
		.id = name->id, .slots = name->slots, .word = first_word, .group = s->amounts};
}

static bool word_is(const char *word, size_t len, const char *other)
{
	return len == strlen(other) && strncasecmp(word, other, len) == 0;
}

static bool is_one_of(const char *word, size_t len, const char *const *list)
{
	for (; *list; list++)
		if (word_is(word, len, *list))
			return true;
	return false;
}

static void say_extreme(struct speech *s, const char *word, size_t len)
{
	static const char *const most[] = {"highest", "maximum",  "dearest", "largest",
					   "biggest", "greatest", NULL};
	static const char *const least[] = {"lowest", "minimum", "cheapest", "smallest", NULL};
	static const char *const part[] = {"one",   "among", "second", "third", "fourth",
					   "fifth", "next",  "other",  "not",   NULL};

	if (s->said.extreme && !s->said.extreme_of)
		s->said.extreme_of = beside_key(word, len);
	if (is_one_of(word, len, part)) {
		s->partly = true;
	} else if (is_one_of(word, len, most) || is_one_of(word, len, least)) {
		s->said.extreme = s->partly ? 0 : is_one_of(word, len, most) ? 1 : -1;
		s->said.extreme_of = 0;
	}
}

static bool says_missing(const char *word, size_t len)
{
	static const char *const words[] = {"missing", "without", "no",   "none", "empty", "blank",
					    "unknown", "lack",    "null", "not",  NULL};

	return is_one_of(word, len, words);
}

/* The longest name that ends with this word. */
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
		if (name && name->id >= 0) {
			say_name(s, name, s->word_count - (uint32_t)n + 1);
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

	add_heading_text(s, word, len);
	s->stop = false;
	s->is_ruler = false;
	s->said.first_of = word_is(word, len, "first") || word_is(word, len, "top") ||
			   word_is(word, len, "last");
	s->said.peak = s->said.peak || word_is(word, len, "peak");
	s->said.in_all = s->said.in_all || word_is(word, len, "altogether") ||
			 (s->said_in && (word_is(word, len, "all") || word_is(word, len, "total")));
	s->said_in = word_is(word, len, "in");
	say_extreme(s, word, len);
	s->said.missing = s->said.missing || says_missing(word, len);
	s->compared = s->compared || word_is(word, len, "above") || word_is(word, len, "below") ||
		      word_is(word, len, "than");
	if (s->known->names.count == 0)
		return;
	memmove(s->words + 1, s->words, sizeof(s->words) - sizeof(s->words[0]));
	s->words[0] = name_word_key(word, len);
	s->word_count++;
	find_name(s, isdigit((unsigned char)*word) != 0);
	s->year_told = false;
}

static void add_row(struct speech *s)
{
	s->said.rows_written++;
	s->said.rows_last++;
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
		s->said.rows_last = 0;
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
		s->headings[s->column - 1].unit = unit_in_text(s->cell, s->cell_len);
		s->headings[s->column - 1].key = known_heading(s->known, s->cell, s->cell_len);
	}
	s->cell_len = 0;
	s->column++;
	h = s->column <= COLUMNS_MAX ? &s->headings[s->column - 1] : NULL;
	s->said.header_id = h ? h->id : -1;
	s->said.header_slots = h ? h->slots : 0;
	s->said.header_unit = h ? h->unit : UNIT_NONE;
	s->said.header_key = h && !s->is_heading ? h->key : 0;
}

/* "A is 2.66 above B: 54.80 against 52.14": from here on both are spoken of. */
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
		end_sentence(s);
		s->stop = false;
		if (s->reader.line_start) /* an empty line: what comes is another table */
			s->in_table = false;
		return;
	}
	if (c == '|' && s->reader.line_start)
		begin_row(s);
	else if (s->reader.line_start && c != ' ')
		s->in_table = false;
	if (c == ' ' && s->bullet)
		add_row(s);
	s->bullet = s->reader.line_start && (c == '-' || c == '*') && !s->bullet;
	if (c == ':' && s->compared)
		join_names(s);
	if (c == '|' && s->said.in_row)
		next_cell(s);
	else
		add_heading_text(s, &c, 1);
	if (c == ' ' && s->stop && !s->said.in_row)
		end_sentence(s);
	s->stop = c == '.' || c == '!' || c == '?' || c == ';';
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
enum scan speech_follower(struct speech *s, const char *p, size_t n, bool final)
{
	const struct name *name = NULL;
	size_t at = 0, len;

	s->said.follow_id = -1;
	if (!s->known->has_rivals || s->said.in_row)
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
	if (name_ahead(&s->known->names, p + at, n - at, final, &name) == SCAN_MORE)
		return SCAN_MORE;
	if (name) {
		s->said.follow_id = name->id;
		s->said.follow_slots = name->slots;
	}
	return SCAN_DONE;
}

enum scan speech_beside(struct speech *s, const char *p, size_t n, bool final,
			const struct shown *number)
{
	s->said.beside = (struct beside){.before = reader_before(&s->reader)};
	if (!shown_is_bare(number))
		return SCAN_DONE;
	return beside_after(p, n, final, s->said.beside.after);
}

bool speech_tells(const struct speech *s, const struct shown *number)
{
	/* "A is twice as dear as B": as long as B was not named, nobody knows of what. */
	if (number->unit == UNIT_RATIO && s->said.count < 2)
		return false;
	return beside_is_told(s->known, number, &s->said.beside);
}

void speech_init(struct speech *s, const struct known *k)
{
	*s = (struct speech){.known = k};
	reader_init(&s->reader);
	s->reader.on_word = on_word;
	s->reader.on_char = on_char;
	s->reader.owner = s;
	s->said.follow_id = s->said.header_id = -1;
	row_set_clear(&s->said.rows);
}

void speech_take(struct speech *s, const char *p, const struct shown *number)
{
	if (number->kind == SHOWN_TEXT && !number->worded && s->reader.line_start)
		add_row(s);
	reader_take(&s->reader, p, number);
	s->year_told = number->kind == SHOWN_YEAR;
	s->amounts += number->kind == SHOWN_NUMBER;
	if (number->kind == SHOWN_NUMBER && !shown_is_bare(number))
		s->said.extreme = 0;
}
