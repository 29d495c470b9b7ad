/*
 * 2,000 random queries over random rows: SQLite's result of the written statement equals that of a
 * reference that loads all rows and sums them one by one, without SQL. A query that counts a row
 * twice, or loses one, gives a different result.
 */
#include "map_test.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>

enum {
	QUERIES = 2000,
	SALES = 160,
	PRODUCTS = 9,
	SHOPS = 12,
	REVIEWS = 25,
	BUYERS = 12,
	KEY = 200
};

static const char *const colors[] = {"red", "blue", "green"};
static const char *const cities[] = {"Bern", "Oslo", NULL};
static const char *const channels[] = {"web", "store", NULL};
static const char *const kinds[] = {"outlet", "flagship"};

static struct {
	int product, shop, day, amount, buyer; /* day: of 2025 */
	const char *channel;
	bool foreign; /* of another tenant: never counted */
} sale[SALES];
static const char *color_of[PRODUCTS];
static struct {
	const char *city;
	bool has_kind[2];
} shop[SHOPS]; /* six shops, in two years */
static struct {
	int product, stars;
} review[REVIEWS];

static unsigned seed;
static int pick(int n)
{
	seed = seed * 1103515245U + 12345U;
	return (int)((seed >> 16) % (unsigned)n);
}

static void make_rows(void)
{
	for (int i = 0; i < PRODUCTS; i++)
		color_of[i] = colors[pick(3)];
	for (int i = 0; i < SHOPS; i++) {
		shop[i].city = cities[pick(3)];
		shop[i].has_kind[0] = pick(2);
		shop[i].has_kind[1] = pick(2);
	}
	for (int i = 0; i < SALES; i++) {
		sale[i].product = pick(PRODUCTS);
		sale[i].shop = pick(SHOPS);
		sale[i].day = pick(120);
		sale[i].amount = pick(50);
		sale[i].channel = channels[pick(3)];
		sale[i].buyer = pick(BUYERS);
		sale[i].foreign = pick(8) == 0;
	}
	for (int i = 0; i < REVIEWS; i++) {
		review[i].product = pick(PRODUCTS);
		review[i].stars = 1 + pick(5);
	}
}

/* ---- the same rows in SQLite ---- */

static sqlite3 *db;

static void run(const char *fmt, ...)
{
	va_list args;
	char *text, *why = NULL;

	va_start(args, fmt);
	text = sqlite3_vmprintf(fmt, args);
	va_end(args);
	if (sqlite3_exec(db, text, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%s: %s", text, why);
	sqlite3_free(text);
}

static struct date day_of(int day)
{
	return date_from_days(date_to_days((struct date){2025, 1, 1}) + day);
}

/* Another tenant has rows with the same keys. */
static void store_rows(void)
{
	char iso[DATE_ISO_BYTES];

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	run("CREATE TABLE sale (tenant_id, id, product, shop, year, day, amount int, channel, "
	    "buyer);"
	    "CREATE TABLE product (tenant_id, id, name, color, cost);"
	    "CREATE TABLE shop (tenant_id, id, year, \"Shop City\");"
	    "CREATE TABLE shop_label (tenant_id, shop, year, label);"
	    "CREATE TABLE label (tenant_id, code, kind);"
	    "CREATE TABLE review (tenant_id, product, stars);"
	    "INSERT INTO label VALUES ('t', 'a', 'outlet'), ('t', 'b', 'flagship'),"
	    " ('u', 'a', 'outlet');");
	for (int i = 0; i < PRODUCTS; i++)
		run("INSERT INTO product VALUES ('t', %d, 'p%d', %Q, 1), ('u', %d, 'p', 'red', 1)",
		    i, i, color_of[i], i);
	for (int i = 0; i < SHOPS; i++) {
		run("INSERT INTO shop VALUES ('t', %d, %d, %Q), ('u', %d, %d, 'Bern')", i / 2,
		    i % 2, shop[i].city, i / 2, i % 2);
		for (int k = 0; k < 2; k++)
			if (shop[i].has_kind[k])
				run("INSERT INTO shop_label VALUES ('t', %d, %d, '%s')", i / 2,
				    i % 2, k ? "b" : "a");
	}
	for (int i = 0; i < SALES; i++) {
		date_iso(day_of(sale[i].day), iso);
		run("INSERT INTO sale VALUES ('%s', %d, %d, %d, %d, '%s', %d, %Q, 'b%d')",
		    sale[i].foreign ? "u" : "t", i, sale[i].product, sale[i].shop / 2,
		    sale[i].shop % 2, iso, sale[i].amount, sale[i].channel, sale[i].buyer);
	}
	for (int i = 0; i < REVIEWS; i++)
		run("INSERT INTO review VALUES ('t', %d, %d)", review[i].product, review[i].stars);
}

/* ---- a random query ---- */

enum { BY_COLOR, BY_CITY, BY_CHANNEL, BY_MONTH, BY_WEEKDAY, BYS };
static const char *const by_names[BYS] = {"color", "city", "channel", "sale_day.month",
					  "sale_day.weekday"};
enum { M_AMOUNT, M_SALES, M_BIGGEST, M_AVERAGE, M_BUYERS, M_WEB_SHARE, M_REVIEWS, METRICS };
static const char *const metric_names[METRICS] = {"amount", "sales",     "biggest", "average",
						  "buyers", "web_share", "reviews"};
enum { W_COLOR, W_CITY, W_NO_CITY, W_KIND, W_STARS, W_PERIOD, WHERES };

struct question {
	bool by[BYS], metric[METRICS], where[WHERES], negated[WHERES];
	int value[WHERES];
};

/* Reviews and sales share only the product. */
static struct question random_question(void)
{
	struct question q = {0};
	int metrics = 0;

	for (int i = 0; i < M_REVIEWS; i++)
		metrics += q.metric[i] = pick(3) == 0 && metrics < 5;
	q.metric[M_REVIEWS] = metrics == 0 || pick(4) == 0;
	for (int i = 0; i < BYS; i++)
		q.by[i] = pick(3) == 0 && (!q.metric[M_REVIEWS] || i == BY_COLOR);
	q.by[BY_WEEKDAY] = q.by[BY_WEEKDAY] && !(q.by[0] && q.by[1] && q.by[2] && q.by[3]);
	for (int i = 0; i < WHERES; i++) {
		q.where[i] = pick(4) == 0 && (!q.metric[M_REVIEWS] || i == W_COLOR);
		q.negated[i] = pick(2);
		q.value[i] = pick(3);
	}
	return q;
}

static const char *names_text(const char *const *names, const bool *chosen, int count)
{
	const char *text = "";

	for (int i = 0; i < count; i++)
		if (chosen[i])
			text = arena_printf(arena, "%s%s'%s'", text, *text ? "," : "", names[i]);
	return text;
}

static const char *where_text(const struct question *q, int i)
{
	const char *is = q->negated[i] ? "not" : "is";

	switch (i) {
	case W_COLOR:
		return arena_printf(arena, "{'name':'color','op':'%s','values':['%s']}", is,
				    colors[q->value[i]]);
	case W_CITY:
		return arena_printf(arena, "{'name':'city','op':'%s','values':['Bern','Rome']}",
				    is);
	case W_NO_CITY:
		return q->negated[i] ? "{'name':'city','op':'present'}"
				     : "{'name':'city','op':'missing'}";
	case W_KIND:
		return arena_printf(arena, "{'name':'label_kind','op':'%s','values':['%s']}", is,
				    kinds[q->value[i] % 2]);
	default:
		return arena_printf(arena, "{'name':'stars','op':'at_least','values':[%d]}",
				    q->value[i] + 3);
	}
}

static const char *query_text(const struct question *q)
{
	const char *wheres = "";

	for (int i = 0; i < W_PERIOD; i++)
		if (q->where[i])
			wheres = arena_printf(arena, "%s%s%s", wheres, *wheres ? "," : "",
					      where_text(q, i));
	return arena_printf(
		arena, "{'metrics':[%s],'by':[%s],'where':[%s]%s}",
		names_text(metric_names, q->metric, METRICS), names_text(by_names, q->by, BYS),
		wheres,
		q->where[W_PERIOD] ? ",'period':{'start':'2025-01-20','end':'2025-03-10'}" : "");
}

/* ---- the reference ---- */

struct group {
	char key[KEY];
	int amount, sales, web, reviews, biggest;
	bool buyers[BUYERS];
};
static struct group groups[400];
static size_t group_count;

static struct group *group_of(const char *key)
{
	for (size_t i = 0; i < group_count; i++)
		if (strcmp(groups[i].key, key) == 0)
			return &groups[i];
	assert_true(group_count < 400);
	groups[group_count] = (struct group){0};
	snprintf(groups[group_count].key, KEY, "%s", key);
	return &groups[group_count++];
}

static bool color_fits(const struct question *q, int p)
{
	bool is = strcmp(color_of[p], colors[q->value[W_COLOR]]) == 0;

	return !q->where[W_COLOR] || is != q->negated[W_COLOR];
}

static bool has_stars(int p, int least)
{
	for (int i = 0; i < REVIEWS; i++)
		if (review[i].product == p && review[i].stars >= least)
			return true;
	return false;
}

static bool fits(const struct question *q, int i)
{
	const char *city = shop[sale[i].shop].city;
	bool is_bern = city && strcmp(city, "Bern") == 0;

	if (sale[i].foreign || !color_fits(q, sale[i].product))
		return false;
	if (q->where[W_CITY] && is_bern == q->negated[W_CITY])
		return false;
	if (q->where[W_NO_CITY] && (city != NULL) != q->negated[W_NO_CITY])
		return false;
	if (q->where[W_KIND] &&
	    shop[sale[i].shop].has_kind[q->value[W_KIND] % 2] == q->negated[W_KIND])
		return false;
	if (q->where[W_STARS] && !has_stars(sale[i].product, q->value[W_STARS] + 3))
		return false;
	return !q->where[W_PERIOD] || (sale[i].day >= 19 && sale[i].day <= 68);
}

static const char *or_none(const char *text)
{
	return text ? text : "-";
}

static void key_of(const struct question *q, int i, char key[KEY])
{
	struct date d = day_of(sale[i].day);
	const char *parts[BYS] = {color_of[sale[i].product], or_none(shop[sale[i].shop].city),
				  or_none(sale[i].channel),
				  arena_printf(arena, "%04d-%02d", d.year, d.month),
				  arena_printf(arena, "%d", date_weekday(d) + 1)};
	size_t n = 0;

	key[0] = '\0';
	for (int k = 0; k < BYS; k++)
		if (q->by[k])
			n += (size_t)snprintf(key + n, KEY - n, "%s|", parts[k]);
}

static void add_up(const struct question *q)
{
	char key[KEY];

	group_count = 0;
	for (int i = 0; i < SALES; i++) {
		struct group *g;

		if (!fits(q, i))
			continue;
		key_of(q, i, key);
		g = group_of(key);
		g->amount += sale[i].amount;
		g->sales++;
		g->web += strcmp(or_none(sale[i].channel), "web") == 0;
		g->biggest = sale[i].amount > g->biggest ? sale[i].amount : g->biggest;
		g->buyers[sale[i].buyer] = true;
	}
	for (int i = 0; q->metric[M_REVIEWS] && i < REVIEWS; i++) {
		if (!color_fits(q, review[i].product))
			continue;
		snprintf(key, sizeof(key), q->by[BY_COLOR] ? "%s|" : "%.0s",
			 color_of[review[i].product]);
		group_of(key)->reviews++;
	}
}

/* 0 also represents a missing value. */
static double expected(const struct group *g, int metric)
{
	int buyers = 0;

	for (int i = 0; i < BUYERS; i++)
		buyers += g->buyers[i];
	switch (metric) {
	case M_REVIEWS:
		return g->reviews;
	case M_AMOUNT:
		return g->amount;
	case M_SALES:
		return g->sales;
	case M_BIGGEST:
		return g->biggest;
	case M_AVERAGE:
		return g->sales ? (double)g->amount / g->sales : 0;
	case M_BUYERS:
		return buyers;
	default:
		return g->sales ? 100.0 * g->web / g->sales : 0;
	}
}

/* ---- both ---- */

static void bind_values(sqlite3_stmt *s, const struct sql_bound *b)
{
	for (size_t i = 0; i < b->count; i++)
		if (b->values[i].type == VALUE_INT)
			sqlite3_bind_int64(s, (int)i + 1, b->values[i].number);
		else
			sqlite3_bind_text(s, (int)i + 1, b->values[i].text, -1, SQLITE_TRANSIENT);
}

static void compare_row(const struct question *q, sqlite3_stmt *s, bool *seen, const char *sql)
{
	char key[KEY] = "";
	size_t n = 0, g = 0;
	int at = 0;

	for (int i = 0; i < BYS; i++)
		if (q->by[i])
			n += (size_t)snprintf(key + n, KEY - n, "%s|",
					      or_none((const char *)sqlite3_column_text(s, at++)));
	while (g < group_count && strcmp(groups[g].key, key) != 0)
		g++;
	if (g == group_count) /* a sum over no rows is one row with NULL */
		groups[group_count++] = (struct group){0};
	if (seen[g] || (g == group_count - 1 && groups[g].key[0] == '\0' && *key))
		fail_msg("row %s is there twice, or should not be\n%s", key, sql);
	seen[g] = true;
	for (int i = 0; i < METRICS; i++)
		if (q->metric[i] &&
		    fabs(sqlite3_column_double(s, at++) - expected(&groups[g], i)) > 1e-6)
			fail_msg("%s of %s is %f, not %f\n%s", metric_names[i], key,
				 sqlite3_column_double(s, at - 1), expected(&groups[g], i), sql);
}

static bool is_shown(const struct question *q, const struct group *g)
{
	bool sales = false;

	for (int i = 0; i < M_REVIEWS; i++)
		sales = sales || q->metric[i];
	return (sales && g->sales) || (q->metric[M_REVIEWS] && g->reviews);
}

static void compare(const struct question *q, const struct sql_bound *b)
{
	bool seen[401] = {false};
	size_t count = group_count;
	sqlite3_stmt *s;

	if (sqlite3_prepare_v2(db, b->text, -1, &s, NULL) != SQLITE_OK)
		fail_msg("%s: %s", b->text, sqlite3_errmsg(db));
	bind_values(s, b);
	while (sqlite3_step(s) == SQLITE_ROW)
		compare_row(q, s, seen, b->text);
	sqlite3_finalize(s);
	for (size_t i = 0; i < count; i++)
		if (!seen[i] && is_shown(q, &groups[i]))
			fail_msg("no row of %s\n%s", groups[i].key, b->text);
}

static void ask(void)
{
	struct question q = random_question();
	const char *text = query_text(&q);
	struct map_statement s;
	struct map_problem why;
	struct sql_file *file;
	struct sql_bound bound;
	struct err e = {0};

	if (!read_and_write(text, NULL, DIALECT_SQLITE, &s, &why, &e))
		fail_msg("%s: %s", text, e.text);
	args_set(&s.values, arena, "tenant_id", value_text("t"));
	args_set(&s.values, arena, "row_limit", value_int(500));
	if (!sql_file_parse("query", s.text, arena, &file, &e) ||
	    !sql_render(&file->queries[0], &s.values, DIALECT_SQLITE, arena, &bound, &e))
		fail_msg("%s", e.text);
	add_up(&q);
	compare(&q, &bound);
}

static void random_queries_equal_the_reference(void **state)
{
	(void)state;
	seed = 7;
	for (int i = 0; i < QUERIES; i++) {
		if (i % 500 == 0) {
			sqlite3_close(db);
			make_rows();
			store_rows();
		}
		ask();
		arena_free(&arena);
		arena = arena_new(64 << 20);
	}
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(random_queries_equal_the_reference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
