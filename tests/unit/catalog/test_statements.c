/*
 * The statements that the energy pack's tools send, as hashes in statements.txt: an edit of a
 * fragment must change only the intended statements. A line is TOOL QUERY CONDITIONS HASH, with
 * the conditions whose --? lines are included ("-": none), so that a new optional parameter
 * changes no line. The hash covers the text for each dialect, with folded blanks.
 *
 * After an intended change: VESPER_RECORD=1 ./test_catalog_statements rewrites the file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vesper/catalog.h"
#include "vesper/file.h"
#include "vesper/hash.h"

#define PACK      "energy"
#define RECORDING VESPER_SOURCE_DIR "/tests/unit/catalog/statements.txt"
#define HASH_LEN  16 /* stored characters of the hash; enough to distinguish texts */
#define TEXT_CAP  (1 << 20)

static struct catalog *catalog;
static struct arena *arena;

static int set_up(void **state)
{
	struct err e = {0};

	(void)state;
	arena = arena_new(64 << 20);
	if (!catalog_load((const char *const[]){VESPER_SOURCE_DIR, NULL}, NULL, &catalog, &e))
		fail_msg("%s", e.text);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	catalog_unref(&catalog);
	arena_free(&arena);
	return 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t';
}

/* Runs of blanks become one, and blanks next to a bracket are removed. */
static void fold_blanks(const char *text, struct buf *out)
{
	for (; *text; text++) {
		char last = out->n > 0 ? out->p[out->n - 1] : '(';

		if (*text == ')' && last == ' ')
			out->p[--out->n] = '\0';
		if (!is_blank(*text))
			buf_char(out, *text);
		else if (last != ' ' && last != '(')
			buf_char(out, ' ');
	}
}

static bool list_has(const char *list, const char *name)
{
	struct str rest = str_of(list), word;

	while (str_split(&rest, ',', &word))
		if (str_eq(word, str_of(name)))
			return true;
	return false;
}

static bool is_condition(const struct sql_query *q, const char *name)
{
	for (const char *const *c = q->conditions; *c; c++)
		if (strcmp(*c, name) == 0)
			return true;
	return false;
}

static void set_arguments(struct args *args, const struct sql_query *q, const char *conditions)
{
	const struct value one = value_int(1);

	for (const char *const *c = q->conditions; *c; c++)
		if (list_has(conditions, *c))
			args_set(args, arena, *c, one);
	for (size_t i = 0; i < q->marker_count; i++) {
		const struct sql_marker *m = &q->markers[i];

		if (m->optional && is_condition(q, m->name) && !list_has(conditions, m->name))
			continue;
		if (m->is_list)
			args_set_list(args, arena, m->name, &one, 1);
		else
			args_set(args, arena, m->name, one);
	}
}

/* The first HASH_LEN characters of the hash. */
static const char *hash_of(const struct tool_def *t, const char *query, const char *conditions,
			   struct buf *text)
{
	char hash[HASH_HEX_BYTES];
	struct err e = {0};

	for (int d = 0; d < DIALECT_COUNT; d++) {
		const struct sql_query *q = sql_file_query(t->files[d], query);
		struct args args = {0};
		struct sql_bound out;

		if (!q)
			return "missing query";
		set_arguments(&args, q, conditions);
		if (!sql_render(q, &args, (enum dialect)d, arena, &out, &e))
			fail_msg("%s: %s", t->name, e.text);
		fold_blanks(out.text, text);
		buf_char(text, '\n');
	}
	hash_sha256_hex(text->p, text->n, hash);
	return arena_strndup(arena, hash, HASH_LEN);
}

/* TOOL QUERY CONDITIONS HASH */
static int check_line(struct str line)
{
	const char *parts[4] = {0};
	const struct tool_def *t;
	const char *current;
	struct buf text;
	struct str word;
	bool is_same;

	for (size_t i = 0; i < 4; i++) {
		assert_true(str_split(&line, ' ', &word));
		parts[i] = arena_strndup(arena, word.p, word.n);
	}
	t = catalog_tool(catalog, parts[0]);
	if (!t)
		fail_msg("tool %s no longer exists", parts[0]);
	buf_init(&text, TEXT_CAP);
	current = hash_of(t, parts[1], parts[2], &text);
	is_same = strcmp(current, parts[3]) == 0;
	if (!is_same)
		print_message("%s %s %s is now %s:\n%s", parts[0], parts[1], parts[2], current,
			      buf_text(&text));
	buf_deinit(&text);
	return !is_same;
}

static void record_line(FILE *f, const struct tool_def *t, const char *query,
			const char *conditions)
{
	struct buf text;

	buf_init(&text, TEXT_CAP);
	fprintf(f, "%s %s %s %s\n", t->name, query, conditions,
		hash_of(t, query, conditions, &text));
	buf_deinit(&text);
}

/* Records the tool without any condition, and with all conditions. */
static void record_tool(FILE *f, const struct tool_def *t)
{
	for (size_t i = 0; i < t->files[0]->query_count; i++) {
		const struct sql_query *q = &t->files[0]->queries[i];
		const char *all = *q->conditions;

		record_line(f, t, q->name, "-");
		for (const char *const *c = q->conditions + 1; all && *c; c++)
			all = arena_printf(arena, "%s,%s", all, *c);
		if (all)
			record_line(f, t, q->name, all);
	}
}

static void record(void)
{
	FILE *f = fopen(RECORDING, "w");

	assert_non_null(f);
	for (size_t i = 0; i < catalog->tool_count; i++)
		if (strcmp(catalog->tools[i].pack, PACK) == 0)
			record_tool(f, &catalog->tools[i]);
	assert_int_equal(fclose(f), 0);
}

static void statements_match_recorded_hashes(void **state)
{
	struct str rest, line;
	struct err e = {0};
	int changed = 0, lines = 0;
	const char *text;

	(void)state;
	if (getenv("VESPER_RECORD"))
		record();
	if (!file_read(RECORDING, 1 << 20, arena, &text, &e))
		fail_msg("%s", e.text);
	rest = str_of(text);
	while (str_split(&rest, '\n', &line)) {
		if (line.n == 0)
			continue;
		lines++;
		changed += check_line(line);
	}
	assert_true(lines > 50);
	assert_int_equal(changed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(statements_match_recorded_hashes, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
