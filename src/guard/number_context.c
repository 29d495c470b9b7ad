/*
 * Checks the words next to a whole number. In "Stage 5" it is the number of a stage, "3 at risk"
 * counts rows at risk, "2 vendors" counts vendors. A small number is bound only to data that
 * matches these words.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "known/known_data.h"
#include "read/names.h"
#include "claims/cue_words.h"

#define KINDS_MAX       12 /* columns with more distinct words do not list kinds */
#define AFTER_BYTES_MAX 48 /* bytes after a number searched for its words */
#define AFTER_WORDS_MAX 6

/* ---- words ---- */

uint64_t folded_word_key(const char *word, size_t len)
{
	char folded[WORD_BYTES_MAX];

	if (len > sizeof(folded))
		len = sizeof(folded);
	for (size_t i = 0; i < len; i++)
		folded[i] = (char)tolower((unsigned char)word[i]);
	if (len > 4 && memcmp(folded + len - 3, "ies", 3) == 0) {
		folded[len - 3] = 'y';
		len -= 2;
	} else if (len > 3 && folded[len - 1] == 's' && folded[len - 2] != 's') {
		len--;
	}
	return name_word_key(folded, len);
}

/* Returns true for characters allowed between a number and its word: spaces, emphasis, emoji. */
static bool is_between(char c)
{
	return (unsigned char)c >= 0x80 || strchr(" *_`-", c);
}

/* U+2300-27BF, U+2B1B-2B7F, U+1F000-1FFFF: symbols that replace words; excludes dashes, bullets,
 * arrows and mathematical signs. */
static size_t emoji_bytes(const char *p, size_t n)
{
	const unsigned char *b = (const unsigned char *)p;

	if (n >= 4 && b[0] == 0xF0 && b[1] == 0x9F)
		return 4;
	if (n < 3 || b[0] != 0xE2)
		return 0;
	return (b[1] >= 0x8C && b[1] <= 0x9E) || (b[1] == 0xAC && b[2] >= 0x9B) || b[1] == 0xAD ? 3
												: 0;
}

uint64_t first_emoji_key(const char *text, size_t len)
{
	for (size_t at = 0; at < len; at++) {
		size_t bytes = emoji_bytes(text + at, len - at);

		if (bytes > 0)
			return name_word_key(text + at, bytes);
	}
	return 0;
}

enum scan number_context_read_after(const char *p, size_t n, bool final, struct number_context *out)
{
	uint64_t *to = out->after;
	size_t at = 0;
	int count = 0;   /* words in `to` */
	bool of = false; /* the first word was "of" */

	out->emoji_key = 0;
	memset(out->after, 0, sizeof(out->after));
	memset(out->predicate, 0, sizeof(out->predicate));
	if (n >= AFTER_BYTES_MAX) {
		n = AFTER_BYTES_MAX;
		final = true;
	}
	for (int words = 0; words < AFTER_WORDS_MAX; words++) {
		size_t from;
		uint32_t cue_flags;

		while (at < n && !is_word_byte(at ? p[at - 1] : ' ', p[at]) && is_between(p[at]))
			at++;
		from = at;
		while (at < n && is_word_byte(at > from ? p[at - 1] : ' ', p[at]))
			at++;
		if (at == n && !final)
			return SCAN_MORE;
		if (words == 0)
			out->emoji_key = first_emoji_key(p, from);
		if (at == from || (!of && isdigit((unsigned char)p[from])))
			return SCAN_DONE;
		if (of &&
		    (isdigit((unsigned char)p[from]) || words_is_cardinal(p + from, at - from))) {
			of = false; /* "two of four projects are …" */
			continue;
		}
		if (words_is_cardinal(p + from, at - from))
			return SCAN_DONE;
		cue_flags = cue_word_flags(p + from, at - from);
		if (count == 0 && cue_flags & (CUE_AUX | CUE_MORE))
			continue; /* "three are on track", "518 more views" */
		if (cue_flags & CUE_AUX) {
			if (to != out->after)
				return SCAN_DONE;
			to = out->predicate;
			to[0] = 1; /* any value */
			count = 0;
		} else if (count < 2) {
			to[count++] = folded_word_key(p + from, at - from);
		}
		if (to != out->after && count == 2)
			return SCAN_DONE;
		of = words == 0 && at - from == 2 && memcmp(p + from, "of", 2) == 0;
	}
	return SCAN_DONE;
}

bool shown_is_bare(const struct shown *s)
{
	return s->kind == SHOWN_NUMBER && !s->unit && s->decimals == 0 && !s->currency &&
	       !s->scaled;
}

/* "HubZone", "hub_zone", "Hub zone": hub, zone. */
static size_t add_words(const char *text, uint64_t out[COLUMN_WORDS_MAX], size_t count)
{
	size_t from = 0;

	for (size_t i = 0; text && i <= strlen(text); i++) {
		bool ends = !text[i] || !isalpha((unsigned char)text[i]);

		if (i > from && (ends || (isupper((unsigned char)text[i]) &&
					  islower((unsigned char)text[i - 1])))) {
			if (count < COLUMN_WORDS_MAX && i - from > 2)
				out[count++] = folded_word_key(text + from, i - from);
			from = i;
		}
		if (ends)
			from = i + 1;
	}
	return count;
}

void known_name_words(const char *name, const char *label, uint64_t out[COLUMN_WORDS_MAX])
{
	size_t n;

	memset(out, 0, sizeof(*out) * COLUMN_WORDS_MAX);
	n = add_words(name, out, 0);
	(void)add_words(label, out, n);
}

void known_column_words(const struct column *c, uint64_t out[COLUMN_WORDS_MAX])
{
	known_name_words(c->name, c->label, out);
}

/* ---- known data ---- */

void known_note_numbered(struct known *k, const struct number_context *b)
{
	for (size_t i = 0; i < k->numbered.count; i++)
		if (k->numbered.list[i].before == b->before &&
		    k->numbered.list[i].after[0] == b->after[0])
			return;
	k->numbered.list = arena_grow(k->arena, k->numbered.list, k->numbered.count,
				      &k->numbered.cap, sizeof(*k->numbered.list));
	k->numbered.list[k->numbered.count++] = *b;
}

/* The display text for cells with this value; NULL: shown unchanged. */
static const char *display_text(const struct column *c, const char *text)
{
	for (const char *const *w = c->words; w && *w; w += 2)
		if (strcmp(*w, text ? text : "") == 0)
			return w[1];
	return NULL;
}

/* Returns false for a name or prose. */
static bool read_kind(const struct column *c, const char *text, struct number_context *out)
{
	const char *shown = display_text(c, text);
	uint64_t emoji_key = shown ? first_emoji_key(shown, strlen(shown)) : 0;
	size_t len = text ? strlen(text) : 0, at = 0;

	*out = (struct number_context){.emoji_key = emoji_key};
	if (!text)
		return emoji_key != 0;
	if (len > NAME_BYTES_MAX || !isalpha((unsigned char)*text))
		return false;
	for (; at < len && (isalpha((unsigned char)text[at]) || strchr(" _-", text[at])); at++)
		;
	(void)number_context_read_after(text, at, true, out);
	out->emoji_key = emoji_key;
	return at == len && out->after[0];
}

/* Stores which kind each cell of the column is; its kinds begin at `first` in the list. */
static void note_kinds(struct known *k, int table, size_t column, size_t first)
{
	struct known_table *kt = &k->tables[table];
	const struct table *t = kt->t;

	if (!kt->kinds)
		kt->kinds =
			arena_alloc(k->arena, sizeof(*kt->kinds) * t->row_count * t->column_count);
	for (size_t r = 0; r < t->row_count; r++) {
		struct number_context kind;

		if (!read_kind(&t->columns[column], t->rows[r][column], &kind))
			continue;
		for (size_t i = first; i < k->kinds.count && i < INT16_MAX - 1; i++)
			if (memcmp(&k->kinds.list[i], &kind, sizeof(kind)) == 0)
				kt->kinds[r * t->column_count + column] = (int16_t)(i + 1);
	}
}

void known_add_kinds(struct known *k, int table, size_t column, const struct entry *proto)
{
	const struct table *t = k->tables[table].t;
	struct entry kinds[KINDS_MAX];
	int64_t rows[KINDS_MAX] = {0};
	size_t count = 0, first = k->kinds.count, i;
	bool absent = false;

	if (t->columns[column].type != COLUMN_TEXT || t->total_rows > (int64_t)t->row_count)
		return;
	for (size_t r = 0; r < t->row_count; r++) {
		const char *text = t->rows[r][column];
		struct number_context kind;

		absent = absent || !text;
		if (!read_kind(&t->columns[column], text, &kind)) {
			if (!text)
				continue;
			return;
		}
		for (i = 0; i < count && memcmp(&kinds[i].number_context, &kind, sizeof(kind)) != 0;
		     i++)
			;
		if (i == KINDS_MAX)
			return;
		if (i == count) {
			kinds[count] = *proto;
			kinds[count].number_context = kind;
			kinds[count].column_name = t->columns[column].name;
			kinds[count].formula =
				arena_printf(k->arena, "rows that say %s",
					     text ? text : display_text(&t->columns[column], text));
			kinds[count++].counted = COUNTED_KIND;
		}
		rows[i]++;
	}
	if (!absent && (int64_t)count == (int64_t)t->row_count &&
	    count > 1) /* every row differs: names, not kinds */
		return;
	for (i = 0; i < count; i++) {
		known_add(k, &kinds[i], CLASS_NUMBER, (guard_value)rows[i] * 100000000);
		if (kinds[i].number_context.after[0]) {
			kinds[i].counted = COUNTED_NONE;
			kinds[i].share = true;
			kinds[i].unit = k->units.percent;
			known_add(k, &kinds[i], CLASS_NUMBER,
				  (guard_value)rows[i] * 10000000000 / (guard_value)t->row_count);
		}
		k->kinds.list = arena_grow(k->arena, k->kinds.list, k->kinds.count, &k->kinds.cap,
					   sizeof(*k->kinds.list));
		k->kinds.list[k->kinds.count++] = kinds[i].number_context;
	}
	note_kinds(k, table, column, first);
}

/* ---- matching ---- */

static bool same_words(const uint64_t kind[2], const uint64_t around[2])
{
	return kind[0] && kind[0] == around[0] && (!kind[1] || kind[1] == around[1]);
}

static bool same_emoji(const struct number_context *a, const struct number_context *b)
{
	return a->emoji_key && a->emoji_key == b->emoji_key;
}

static bool same_kind(const struct number_context *kind, const struct number_context *around)
{
	return same_emoji(kind, around) || same_words(kind->after, around->after) ||
	       (around->predicate[0] && same_words(kind->after, around->predicate));
}

static bool is_kind(const struct known *k, const struct number_context *around)
{
	for (size_t i = 0; (around->after[0] || around->emoji_key) && i < k->kinds.count; i++)
		if (same_kind(&k->kinds.list[i], around))
			return true;
	return false;
}

bool number_context_is_kind(const struct known *k, const struct number_context *around)
{
	return is_kind(k, around);
}

void number_context_drop_emoji(const struct known *k, struct number_context *around)
{
	struct number_context words = *around;

	words.emoji_key = 0;
	if (is_kind(k, &words))
		around->emoji_key = 0;
}

/* Returns true when the number labels an item that the data numbers. */
static bool is_numbered(const struct known *k, const struct number_context *around,
			bool *with_after)
{
	bool before = false;

	*with_after = false;
	for (size_t i = 0; around->before && i < k->numbered.count; i++) {
		if (k->numbered.list[i].before != around->before)
			continue;
		before = true;
		*with_after = *with_after || (k->numbered.list[i].after[0] &&
					      k->numbered.list[i].after[0] == around->after[0]);
	}
	return before;
}

static bool column_matches_words(const struct known *k, const struct entry *e,
				 const struct number_context *around)
{
	const uint64_t *words =
		e->table >= 0 && e->column >= 0 ? k->tables[e->table].words[e->column] : NULL;

	for (size_t i = 0; words && i < COLUMN_WORDS_MAX && words[i]; i++)
		if (words[i] == around->after[0] || words[i] == around->after[1])
			return true;
	return words && around->emoji_key &&
	       k->tables[e->table].emojis[e->column] == around->emoji_key;
}

static bool any_measure_matches_words(const struct known *k, int table,
				      const struct number_context *around)
{
	const struct known_table *kt = &k->tables[table];
	struct entry e = {.table = table};
	struct number_context words = *around;

	words.emoji_key = 0; /* "3 🔴 projects" may match a column of red areas */
	for (size_t c = 0; c < kt->t->column_count; c++) {
		e.column = (int)c;
		if (kt->measure[c] && column_matches_words(k, &e, &words))
			return true;
	}
	return false;
}

/* Returns true when the row contains the kind, as in a table of counts by status. */
static bool row_has_kind(const struct known *k, const struct entry *e,
			 const struct number_context *around)
{
	const struct table *t = k->tables[e->table].t;

	for (size_t c = 0; c < t->column_count; c++) {
		struct number_context kind;

		if (t->columns[c].type == COLUMN_TEXT &&
		    read_kind(&t->columns[c], t->rows[e->row][c], &kind) &&
		    same_kind(&kind, around))
			return true;
	}
	return false;
}

static bool text_fits(const struct entry *e, const struct number_context *around)
{
	if (e->unit)
		return false;
	return (!e->number_context.before && !e->number_context.after[0] &&
		!e->number_context.emoji_key) ||
	       same_emoji(&e->number_context, around) ||
	       (e->number_context.before && e->number_context.before == around->before) ||
	       (e->number_context.after[0] && e->number_context.after[0] == around->after[0]);
}

static bool column_matches_context(const struct known *k, const struct entry *e,
				   const struct number_context *around)
{
	const struct number_context to_be = {.after = {around->predicate[0], around->predicate[1]}};

	return column_matches_words(k, e, around) || column_matches_words(k, e, &to_be);
}

static bool count_fits(const struct known *k, const struct entry *e, const struct context *c,
		       bool kind)
{
	switch (e->counted) {
	case COUNTED_KIND:
		if (e->number_context.after[0] ==
			    folded_word_key("yes", 3) && /* "eleven have passed" */
		    column_matches_context(k, e, &c->number_context))
			return true;
		return kind ? same_kind(&e->number_context, &c->number_context)
			    : c->number_context.before &&
				       (e->number_context.after[0] == c->number_context.before ||
					e->number_context.after[1] == c->number_context.before);
	case COUNTED_ROWS:
		return !kind && !any_measure_matches_words(k, e->table, &c->number_context);
	case COUNTED_NAMED:
		return !kind && !any_measure_matches_words(k, e->table, &c->number_context);
	case COUNTED_DISTINCT:
		return !kind && !k->tables[e->table].measure[e->column] &&
		       column_matches_words(k, e, &c->number_context);
	case COUNTED_VALUES:
		return !kind && column_matches_words(k, e, &c->number_context);
	case COUNTED_NULLS:
		return !kind && c->missing;
	case COUNTED_NONE:
		break;
	}
	return true;
}

bool number_context_is_numbered(const struct known *k, const struct number_context *around)
{
	bool with_after;

	return is_numbered(k, around, &with_after);
}

/* "red_areas": returns true when the words next to the number match the fact's name. */
static bool fact_matches_words(const struct entry *e, const struct context *c)
{
	if (!e->fact_words || c->in_row || c->word_comparison.dir || c->changes || e->label_ids)
		return true;
	for (size_t i = 0; i < COLUMN_WORDS_MAX && e->fact_words[i]; i++) {
		uint64_t word = e->fact_words[i];

		if (word == c->number_context.after[0] || word == c->number_context.after[1] ||
		    word == c->number_context.predicate[0] ||
		    word == c->number_context.predicate[1] || word == c->number_context.before)
			return true;
		for (size_t n = 0; n < c->clause.count; n++)
			if (word == c->clause.words[n])
				return true;
	}
	return false;
}

bool number_context_names_kind(const struct entry *e, const struct context *c)
{
	if (e->number_context.after[0] == c->number_context.before)
		return true;
	for (size_t i = 0; i < COMPARISON_WORDS && c->word_comparison.after[i]; i++)
		if (e->number_context.after[0] == c->word_comparison.after[i])
			return true;
	return false;
}

bool number_context_fits(const struct known *k, const struct entry *e, const struct context *c)
{
	bool kind, with_after;

	if (e->matches_any_unit)
		return true;
	if (is_numbered(k, &c->number_context, &with_after))
		return e->number_context.before == c->number_context.before &&
		       (!with_after || e->number_context.after[0] == c->number_context.after[0]);
	if (c->in_row)
		return e->counted != COUNTED_KIND;
	kind = is_kind(k, &c->number_context);
	if (e->counted)
		return count_fits(k, e, c, kind);
	if (e->number_context.before || e->number_context.after[0] || e->number_context.emoji_key ||
	    e->of_text)
		return text_fits(e, &c->number_context);
	if (e->fact)
		return fact_matches_words(e, c);
	if (e->table < 0)
		return true;
	if (kind && !column_matches_words(k, e, &c->number_context) &&
	    (e->row < 0 || !row_has_kind(k, e, &c->number_context)))
		return false;
	/* "1,322 viewers" does not match views */
	if (e->column >= 0 && !column_matches_words(k, e, &c->number_context) &&
	    any_measure_matches_words(k, e->table, &c->number_context))
		return false;
	return !c->cues.in_all || e->row < 0;
}

/* ---- numbers in words ---- */

/* "these two", "the last three months", "the second half": references, not data. */
static bool is_determiner(uint64_t before)
{
	static const char *const words[] = {
		"these",    "those",  "first", "second", "third",  "last",   "next",     "past",
		"previous", "coming", "other", "only",   "every",  "each",   "any",      "your",
		"our",      "either", "top",   "latter", "former", "upper",  "lower",    "early",
		"late",     "within", "all",   "bottom", "better", "follow", "following"};

	for (size_t i = 0; before && i < sizeof(words) / sizeof(words[0]); i++)
		if (folded_word_key(words[i], strlen(words[i])) == before)
			return true;
	return false;
}

static bool any_column_matches_words(const struct known *k, const struct number_context *around)
{
	for (int i = 0; i < k->table_count; i++) {
		struct entry e = {.table = i};

		for (size_t c = 0; c < k->tables[i].t->column_count; c++) {
			e.column = (int)c;
			if (column_matches_words(k, &e, around))
				return true;
		}
	}
	return false;
}

bool word_fits_column(const struct known *k, const struct entry *e, uint64_t word)
{
	const struct number_context around = {.after = {word}};

	return !word || column_matches_words(k, e, &around) ||
	       !any_measure_matches_words(k, e->table, &around);
}

bool number_context_refers_to_data(const struct known *k, const struct shown *s,
				   const struct number_context *around)
{
	if (is_determiner(around->before))
		return false;
	if (s->value == 100000000 && !s->out_of) /* "one at risk" */
		return is_kind(k, around) && shown_is_bare(s);
	return !shown_is_bare(s) || s->out_of ||
	       (s->value > 12 * (guard_value)100000000 && !s->scaled &&
		s->value % (100 * (guard_value)100000000) != 0) ||
	       is_kind(k, around) || any_column_matches_words(k, around);
}
