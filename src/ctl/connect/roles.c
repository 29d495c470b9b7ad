/* Decides the role of each column (key, title, time, dimension, measure) and its name in the
 * pack. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "connect_int.h"
#include "vesper/limits.h"

/* Largest sample in which a value that occurs twice is not rare. */
#define SMALL_ROWS 4000
/* Minimum rows per distinct value in a larger sample. */
#define ROWS_PER_VALUE_MIN 20
/* Percent of distinct values from which a text identifies rows. */
#define UNIQUE_PERCENT_MIN 90
/* The same for a column with a title's name, as a fallback. */
#define TITLE_UNIQUE_PERCENT_MIN 50
/* A range of days must be a tenth wider to count as wider. */
#define RANGE_FACTOR 0.9

/* ---- personal ---- */

/* Returns true for an e-mail address, or for digits and separators as in phone numbers, cards and
 * IBANs. */
static bool matches_personal_format(const char *text)
{
	size_t digits = 0, others = 0;
	const char *at = strchr(text, '@');

	if (at && at > text && strchr(at, '.'))
		return true;
	for (const char *p = text; *p; p++) {
		if (isdigit((unsigned char)*p))
			digits++;
		else if (!strchr(" +-()./", *p))
			others++;
	}
	if (others == 0 && digits >= 9 && digits <= 19)
		return true;
	return others > 1 && others <= 6 && digits >= 12 && isupper((unsigned char)text[0]) &&
	       isupper((unsigned char)text[1]) && isdigit((unsigned char)text[2]);
}

static bool is_personal(const struct connect *c, const struct connect_table *t, size_t at)
{
	const struct connect_column *col = &t->columns[at];
	size_t seen = 0, personal = 0;

	if (connect_has_word(col->words, c->words.personal))
		return true;
	if (col->family != FAMILY_TEXT)
		return false;
	for (size_t row = 0; row < t->sampled; row++) {
		const char *cell = server_cell(t->sample, row, at);

		seen += cell != NULL;
		personal += cell && matches_personal_format(cell);
	}
	return personal * 2 > seen;
}

/* ---- keys ---- */

static bool in_key(const struct connect_key *k, size_t column)
{
	for (size_t i = 0; i < k->count; i++)
		if (k->columns[i] == column)
			return true;
	return false;
}

static void find_key(struct connect *c, struct connect_table *t)
{
	for (size_t i = 0; t->key.count == 0 && t->sampled > 1 && i < t->column_count; i++) {
		const struct connect_column *col = &t->columns[i];
		size_t *columns;

		if (!col->unique || (col->family != FAMILY_INT && col->family != FAMILY_TEXT) ||
		    !connect_has_word(col->words, c->words.codes))
			continue;
		columns = arena_alloc(c->a, sizeof(*columns));
		*columns = i;
		t->key = (struct connect_key){columns, 1};
		connect_note(c, "key", t->name, col->name,
			     "no key is declared; this column is unique in %zu sampled rows",
			     t->sampled);
	}
	if (t->key.count == 0)
		connect_note(c, "key", t->name, NULL,
			     "no key is declared and none was found; rows can only be counted "
			     "and summed");
}

static bool is_reference(const struct connect *c, const struct connect_table *t, size_t column)
{
	for (size_t i = 0; i < c->edge_count; i++)
		for (size_t k = 0; c->edges[i].from == t && k < c->edges[i].count; k++)
			if (c->edges[i].on[k][0] == column)
				return true;
	return false;
}

/* ---- one column ---- */

static const char *last_word(const char *words)
{
	const char *space = strrchr(words, ' ');

	return space ? space + 1 : words;
}

static bool is_quantity(const struct connect *c, const struct connect_column *col)
{
	return (col->family == FAMILY_INT || col->family == FAMILY_DECIMAL) &&
	       !connect_has_word(last_word(col->words), c->words.codes);
}

/* Returns true when the values are few enough to choose from, and each occurs in many rows. */
static bool is_choice(const struct connect_table *t, const struct connect_column *col)
{
	size_t rows = t->sampled - col->nulls;

	if (!col->values || col->unique)
		return false;
	return col->distinct * ROWS_PER_VALUE_MIN <= rows ||
	       (rows <= SMALL_ROWS && col->distinct * 100 < rows * UNIQUE_PERCENT_MIN);
}

static enum connect_role role_of(const struct connect *c, const struct connect_table *t, size_t at)
{
	const struct connect_column *col = &t->columns[at];

	if (in_key(&t->key, at))
		return ROLE_KEY;
	if (is_reference(c, t, at))
		return ROLE_REFERENCE;
	if (col->family == FAMILY_DATE || col->family == FAMILY_DATETIME)
		return col->personal ? ROLE_TEXT : ROLE_DIMENSION;
	if (is_quantity(c, col))
		return ROLE_MEASURE;
	if (col->family == FAMILY_BOOL)
		return ROLE_DIMENSION;
	return !col->personal && is_choice(t, col) ? ROLE_DIMENSION : ROLE_TEXT;
}

static const char *unit_of(const struct connect *c, const struct connect_column *col)
{
	const char *comment = col->comment ? connect_name_words(col->comment, c->a) : "";

	for (size_t i = 0; i < c->words.unit_count; i++) {
		const char *const list[] = {c->words.units[i].word, NULL};

		if (connect_has_word(col->words, list) || connect_has_word(comment, list))
			return c->words.units[i].symbol;
	}
	return NULL;
}

/* ---- titles ---- */

static bool ends_with_phrase(const char *words, const char *phrase)
{
	size_t n = strlen(words), tail = strlen(phrase);

	return n >= tail && strcmp(words + n - tail, phrase) == 0 &&
	       (n == tail || words[n - tail - 1] == ' ');
}

static struct connect_column *find_column_with_words(struct connect_table *t, const char *phrase,
						     bool whole)
{
	for (size_t i = 0; i < t->column_count; i++) {
		struct connect_column *col = &t->columns[i];

		if (col->family == FAMILY_TEXT && col->role != ROLE_REFERENCE &&
		    (whole ? strcmp(col->words, phrase) == 0
			   : ends_with_phrase(col->words, phrase)))
			return col;
	}
	return NULL;
}

/* A column with a title's name in which at least `share` percent of the rows have distinct
 * values. */
static struct connect_column *find_title_column(const char *const *titles, struct connect_table *t,
						size_t share)
{
	for (int whole = 1; whole >= 0; whole--)
		for (const char *const *p = titles; *p; p++) {
			struct connect_column *col = find_column_with_words(t, *p, whole);

			if (col && col->distinct * 100 >= t->sampled * share)
				return col;
		}
	return NULL;
}

/* A text column without duplicates. Codes ("postal code") are searched separately, because even a
 * name with duplicates is a better title. */
static struct connect_column *find_unique_text(const struct connect *c, struct connect_table *t,
					       bool codes)
{
	for (size_t i = 0; i < t->column_count; i++) {
		struct connect_column *col = &t->columns[i];

		if (col->family == FAMILY_TEXT && col->unique && !col->personal &&
		    col->role != ROLE_REFERENCE &&
		    connect_has_word(col->words, c->words.codes) == codes)
			return col;
	}
	return NULL;
}

static struct connect_column *find_title(const struct connect *c, struct connect_table *t)
{
	struct connect_column *col = find_title_column(c->words.titles, t, UNIQUE_PERCENT_MIN);

	if (!col)
		col = find_title_column(c->words.lesser_titles, t, UNIQUE_PERCENT_MIN);
	if (!col)
		col = find_unique_text(c, t, false);
	if (!col)
		col = find_title_column(c->words.titles, t, TITLE_UNIQUE_PERCENT_MIN);
	if (!col)
		col = find_title_column(c->words.lesser_titles, t, TITLE_UNIQUE_PERCENT_MIN);
	if (!col)
		col = find_unique_text(c, t, true);
	return col || t->key.count != 1 ? col : &t->columns[t->key.columns[0]];
}

static double to_days(const char *iso)
{
	int year = 0, month = 0, day = 0;

	sscanf(iso, "%d-%d-%d", &year, &month, &day);
	return year * 365.25 + month * 30.4 + day;
}

/* Returns true when `a` is a better time of a row than `b`: a column without NULLs is
 * better, then one with a clearly wider range. Otherwise the earlier column stays, since "shipped"
 * follows "ordered". */
static bool is_better_time(const struct connect_column *a, const struct connect_column *b)
{
	if (!b || (a->nulls == 0) != (b->nulls == 0))
		return !b || a->nulls == 0;
	return (to_days(a->max_value) - to_days(a->min_value)) * RANGE_FACTOR >
	       to_days(b->max_value) - to_days(b->min_value);
}

static struct connect_column *find_time(struct connect_table *t)
{
	struct connect_column *best = NULL;

	for (size_t i = 0; i < t->column_count; i++) {
		struct connect_column *col = &t->columns[i];

		if ((col->family == FAMILY_DATE || col->family == FAMILY_DATETIME) &&
		    !col->personal && col->min_value && col->max_value && is_better_time(col, best))
			best = col;
	}
	return best;
}

/* Returns true when all columns belong to the key and to foreign keys to two other tables. */
static bool is_link(const struct connect *c, const struct connect_table *t)
{
	size_t edges = 0;

	for (size_t i = 0; i < c->edge_count; i++)
		edges += c->edges[i].from == t && c->edges[i].to != t;
	if (edges != 2 || t->key.count < 2)
		return false;
	for (size_t i = 0; i < t->column_count; i++)
		if (!in_key(&t->key, i) || !is_reference(c, t, i))
			return false;
	return true;
}

/* ---- names in the pack ---- */

/* Lower-case letters, digits and _, beginning with a letter. */
static const char *make_name(struct connect *c, const char *words)
{
	char *out = arena_strdup(c->a, words);

	for (char *p = out; *p; p++)
		*p = isalnum((unsigned char)*p) ? (char)tolower((unsigned char)*p) : '_';
	return isalpha((unsigned char)*out) ? out : arena_printf(c->a, "t_%s", out);
}

static bool is_taken(const struct connect *c, const char *name, const struct connect_table *before)
{
	for (const struct connect_table *t = c->tables; t < before; t++)
		if (strcmp(t->entity, name) == 0)
			return true;
	return false;
}

static void name_table(struct connect *c, struct connect_table *t)
{
	const char *words = connect_name_words(t->name, c->a);

	t->label = connect_singular(&c->words, words, c->a);
	t->plural = connect_plural(&c->words, t->label, c->a);
	t->entity = make_name(c, t->label);
	if (is_taken(c, t->entity, t)) {
		t->label =
			arena_printf(c->a, "%s %s", connect_name_words(t->schema, c->a), t->label);
		t->plural = connect_plural(&c->words, t->label, c->a);
		t->entity = make_name(c, t->label);
	}
	for (int n = 2; is_taken(c, t->entity, t); n++)
		t->entity = arena_printf(c->a, "%s_%d", make_name(c, t->label), n);
}

static bool has_unique_words(const struct connect *c, const struct connect_column *col)
{
	for (size_t i = 0; i < c->table_count; i++) {
		const struct connect_table *t = &c->tables[i];

		if (strcmp(t->entity, make_name((struct connect *)(uintptr_t)c, col->words)) == 0)
			return false;
		for (size_t k = 0; k < t->column_count; k++)
			if (&t->columns[k] != col && strcmp(t->columns[k].words, col->words) == 0)
				return false;
	}
	return true;
}

static bool starts_with_label(const char *words, const char *label)
{
	size_t n = strlen(label);

	return strncmp(words, label, n) == 0 && (words[n] == ' ' || words[n] == '\0');
}

const char *connect_column_label(struct connect *c, const struct connect_table *t,
				 const struct connect_column *col)
{
	if (col == t->title && col->family == FAMILY_TEXT)
		return t->label;
	if (starts_with_label(col->words, t->label) ||
	    (col->role != ROLE_MEASURE && has_unique_words(c, col)))
		return col->words;
	return arena_printf(c->a, "%s %s", t->label, col->words);
}

/* A text title has the name of its table; other columns have the name of their label. */
static void name_column(struct connect *c, struct connect_table *t, struct connect_column *col)
{
	const char *name = make_name(c, connect_column_label(c, t, col));

	if (col == t->title && col->family == FAMILY_TEXT)
		name = t->entity;
	if (col->role == ROLE_MEASURE)
		col->measure = name;
	else if (col == t->title || col->role == ROLE_DIMENSION)
		col->dimension = name;
}

/* ---- all ---- */

static void decide_columns(struct connect *c, struct connect_table *t)
{
	for (size_t i = 0; i < t->column_count; i++)
		t->columns[i].personal = is_personal(c, t, i);
	for (size_t i = 0; i < t->column_count; i++) {
		t->columns[i].role = role_of(c, t, i);
		if (t->columns[i].role == ROLE_MEASURE)
			t->columns[i].unit = unit_of(c, &t->columns[i]);
	}
	t->is_link = is_link(c, t);
	t->time = find_time(t);
	t->title = t->is_link ? NULL : find_title(c, t);
}

void connect_find_keys(struct connect *c)
{
	for (size_t i = 0; i < c->table_count; i++)
		if (c->tables[i].key.count == 0)
			find_key(c, &c->tables[i]);
}

void connect_decide(struct connect *c)
{
	for (size_t i = 0; i < c->table_count; i++)
		decide_columns(c, &c->tables[i]);
	for (size_t i = 0; i < c->table_count; i++)
		name_table(c, &c->tables[i]);
	for (size_t i = 0; i < c->table_count; i++)
		for (size_t k = 0; k < c->tables[i].column_count; k++)
			name_column(c, &c->tables[i], &c->tables[i].columns[k]);
}
