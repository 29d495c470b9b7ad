/* Writes the rows of a city (demo_city.h): first the tables, then the join tables. */
#include "demo_city.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/str.h"

#define FIRST_YEAR 2023
#define YEARS      4
#define OTHER_TENANT_DIVISOR                                                                       \
	20               /* divisor of the row counts of all tenants except the city's own         \
			  */
#define STRIDE      7919 /* a prime that divides no product of two counts: no pair repeats */
#define COLUMNS_MAX 12
#define NAME_BYTES  80
#define DAYS        365
#define CENTS       100

#define NAMES                                                                                      \
	"Alzahra|Banyan|Cedarfall|Dunmere|Eastmoor|Fairhaven|Glenrock|Hollin|Ivory|Jasmine|"       \
	"Kestrel|Lakemead|Marlow|Nightingale|Orchard|Palmyra|Quarry|Rosewood|Saffron|Thornbury"
#define OTHER_NAMES "Umber|Vantage|Westbrook|Xenia|Yarrow"

/* The projects with a change adoption. */
static const struct {
	int project, adoption, year;
} adoptions[] = {{3, 1, 2025}, {8, 2, 2025}, {5, 1, 2026}};
/* The project with three risks. */
#define RISKY_YEAR    2026
#define RISKY_PROJECT 1
#define RISKY_COUNT   3

static bool is_full_size(const struct demo_db *db)
{
	return strcmp(db->tenant_id, "noor") == 0;
}

static int rows_per_year(const struct demo_db *db, int rows)
{
	int n = rows / YEARS / (is_full_size(db) ? 1 : OTHER_TENANT_DIVISOR);

	return n > 0 ? n : 1;
}

static const struct city_table *find_table(const char *name)
{
	size_t i = 0;

	while (i < demo_city_table_count && strcmp(demo_city_tables[i].name, name) != 0)
		i++;
	assert(i < demo_city_table_count);
	return &demo_city_tables[i];
}

/* ---- one value ---- */

struct row_key {
	const struct demo_db *db;
	const struct city_table *table;
	int year, id, count; /* 1 … count within the year */
};

static uint32_t pick_number(const struct row_key *s, const char *column, uint32_t limit)
{
	uint64_t seed = demo_hash(demo_hash(0, s->table->name), column);
	struct demo_random r = {seed + (uint64_t)s->year * 1000003U + (uint64_t)s->id};

	return demo_random_below(&r, limit);
}

static int count_words(const char *list)
{
	int n = 1;

	for (; *list; list++)
		n += *list == '|';
	return n;
}

/* Copies the nth word of a list to `out`. */
static const char *word(const char *list, int n, char *out, size_t size)
{
	size_t len;

	while (n-- > 0)
		list = strchr(list, '|') + 1;
	len = strcspn(list, "|");
	snprintf(out, size, "%.*s", (int)len, list);
	return out;
}

/* A name such as "Alzahra Tramway", with a number where a year has more rows than there are
 * names. */
static const char *make_name(const struct row_key *s, char *out)
{
	const char *firsts = is_full_size(s->db) ? NAMES : OTHER_NAMES;
	int f = count_words(firsts), n = count_words(s->table->nouns), i = s->id - 1;
	char first[NAME_BYTES / 3], noun[NAME_BYTES / 3];

	word(firsts, (i + s->year) % f, first, sizeof(first));
	word(s->table->nouns, i / f % n, noun, sizeof(noun));
	if (i < f * n)
		snprintf(out, NAME_BYTES, "%s %s", first, noun);
	else
		snprintf(out, NAME_BYTES, "%s %s %d", first, noun, i / (f * n) + 1);
	return out;
}

static int level_end(const struct row_key *s, int level)
{
	int top = s->count / 26 > 0 ? s->count / 26 : 1;

	return level == 1 ? top : level == 2 ? top + s->count * 5 / 26 : s->count;
}

static int row_level(const struct row_key *s)
{
	return s->id <= level_end(s, 1) ? 1 : s->id <= level_end(s, 2) ? 2 : 3;
}

static struct demo_value pick_parent(const struct row_key *s)
{
	int level = row_level(s), last = level_end(s, level - 1);
	int first = level > 2 && level_end(s, 1) < last ? level_end(s, 1) : 0;

	return level == 1 ? demo_null() : demo_int(first + 1 + (s->id - last - 1) % (last - first));
}

static struct demo_value make_value(const struct row_key *s, const struct city_column *c,
				    char *text, size_t size)
{
	uint32_t span = (uint32_t)(c->max - c->min + 1);

	switch (c->kind) {
	case CITY_WORD:
		return demo_text(word(c->of,
				      (int)pick_number(s, c->name, (uint32_t)count_words(c->of)),
				      text, size));
	case CITY_INT:
		return demo_int(c->min + (int)pick_number(s, c->name, span));
	case CITY_DECIMAL:
		return demo_decimal(((int64_t)c->min * CENTS +
				     pick_number(s, c->name, (span - 1) * CENTS + 1)) *
				    (10000 / CENTS));
	case CITY_DAY:
		snprintf(text, size, "%s",
			 demo_day_text(demo_day(s->year, 1, 1) + (int)pick_number(s, c->name, DAYS))
				 .text);
		return demo_text(text);
	case CITY_REF:
		return demo_int(1 + (int)pick_number(s, c->name,
						     (uint32_t)rows_per_year(
							     s->db, find_table(c->of)->rows)));
	case CITY_LEVEL:
		snprintf(text, size, "L%d", row_level(s));
		return demo_text(text);
	case CITY_PARENT:
		return pick_parent(s);
	}
	return demo_null();
}

/* ---- rows ---- */

static bool write_row(struct demo_insert *insert, const struct row_key *s, struct err *err)
{
	struct demo_value values[COLUMNS_MAX];
	char texts[COLUMNS_MAX][NAME_BYTES];
	size_t n = 0;

	values[n++] = demo_int(s->id);
	values[n++] = demo_int(s->year);
	values[n] = demo_text(make_name(s, texts[n]));
	n++;
	for (size_t i = 0; i < s->table->column_count; i++, n++)
		values[n] = make_value(s, &s->table->columns[i], texts[n], sizeof(texts[n]));
	return demo_insert_row(insert, values, n, err);
}

static bool write_table(const struct demo_db *db, const struct city_table *t, struct err *err)
{
	struct demo_insert insert = {0};
	struct row_key s = {.db = db, .table = t, .count = rows_per_year(db, t->rows)};
	struct buf target;
	bool done;

	assert(t->column_count + 3 <= COLUMNS_MAX);
	buf_init(&target, SQL_FILE_BYTES_MAX);
	buf_printf(&target, "%s (id, year, name", t->name);
	for (size_t i = 0; i < t->column_count; i++)
		buf_printf(&target, ", %s", t->columns[i].name);
	buf_char(&target, ')');
	done = demo_insert_open(&insert, db, buf_text(&target), err);
	for (s.year = FIRST_YEAR; s.year < FIRST_YEAR + YEARS; s.year++)
		for (s.id = 1; done && s.id <= s.count; s.id++)
			done = write_row(&insert, &s, err);
	buf_deinit(&target);
	return demo_insert_close(&insert, done, err) && done;
}

static bool write_pair(struct demo_insert *insert, int left, int right, int year, struct err *err)
{
	return demo_insert(insert, err, demo_int(left), demo_int(right), demo_int(year));
}

static bool has_risky_project(const struct city_link *l, int year)
{
	return strcmp(l->left, "ent_projects") == 0 && strcmp(l->right, "ent_risks") == 0 &&
	       year == RISKY_YEAR;
}

static bool write_adoptions(struct demo_insert *insert, const struct demo_db *db, struct err *err)
{
	bool done = true;

	for (size_t i = 0; done && is_full_size(db) && i < DEMO_COUNT(adoptions); i++)
		done = write_pair(insert, adoptions[i].project, adoptions[i].adoption,
				  adoptions[i].year, err);
	return done;
}

/* Writes the pairs of a year, without duplicates. */
static bool write_year(struct demo_insert *insert, const struct demo_db *db,
		       const struct city_link *l, int year, struct err *err)
{
	int64_t left = rows_per_year(db, find_table(l->left)->rows);
	int64_t right = rows_per_year(db, find_table(l->right)->rows);
	int64_t count =
		(l->rows + year % YEARS) / YEARS / (is_full_size(db) ? 1 : OTHER_TENANT_DIVISOR);
	bool is_risky_year = is_full_size(db) && has_risky_project(l, year), done = true;

	for (int i = 1; done && is_risky_year && i <= RISKY_COUNT; i++)
		done = write_pair(insert, RISKY_PROJECT, i, year, err);
	for (int64_t i = is_risky_year ? RISKY_COUNT : 0, k = 0;
	     done && i < count && k < left * right; k++) {
		int64_t at = (k * STRIDE + year) % (left * right);

		if (is_risky_year && at % left + 1 == RISKY_PROJECT)
			continue;
		i++;
		done = write_pair(insert, (int)(at % left) + 1, (int)(at / left) + 1, year, err);
	}
	return done;
}

static bool write_link(const struct demo_db *db, const struct city_link *l, struct err *err)
{
	struct demo_insert insert = {0};
	char *target = mem_printf("jt_%s_%s_join (%s, %s, year)", l->left, l->right, l->left_column,
				  l->right_column);
	bool done = demo_insert_open(&insert, db, target, err);

	if (l->rows == (int)DEMO_COUNT(adoptions))
		done = done && write_adoptions(&insert, db, err);
	else
		for (int year = FIRST_YEAR; done && year < FIRST_YEAR + YEARS; year++)
			done = write_year(&insert, db, l, year, err);
	mem_free(target);
	return demo_insert_close(&insert, done, err) && done;
}

bool demo_city_write(const struct demo_db *db, struct err *err)
{
	bool done = true;

	for (size_t i = 0; done && i < demo_city_table_count; i++)
		done = write_table(db, &demo_city_tables[i], err);
	for (size_t i = 0; done && i < demo_city_link_count; i++)
		done = write_link(db, &demo_city_links[i], err);
	return done;
}
