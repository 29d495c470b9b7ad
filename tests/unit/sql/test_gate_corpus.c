/*
 * The two corpora of tests/gate: what analysts write is accepted and written anew so that it is
 * accepted again, word for word; what attackers write is refused for the reason that stands beside
 * it. In the files {HH} is the byte HH, so that any byte may be in a line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "vesper/file.h"
#include "vesper/gate.h"

#define CORPUS_BYTES_MAX (4 << 20)
#define ACCEPTED_MIN     250
#define REFUSED_MIN      300

static const char *const views[] = {
	"Stage.mc_dayahead",
	"Stage.mc_vendor_files",
	"stage.pbi_activity_events",
	"dbo.per_project",
	"dbo.per_projecthealth",
	"dbo.per_tasks",
	"dbo.per_project45",
	"dbo.activeportfolio_mm",
	"dbo.changes",
	NULL,
};

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static struct str decode(struct arena *a, struct str text)
{
	char *out = arena_alloc(a, text.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '{' && i + 3 < text.n && text.p[i + 3] == '}' &&
		    hex(text.p[i + 1]) >= 0 && hex(text.p[i + 2]) >= 0) {
			out[n++] = (char)(hex(text.p[i + 1]) * 16 + hex(text.p[i + 2]));
			i += 3;
		} else {
			out[n++] = text.p[i];
		}
	}
	return (struct str){out, n};
}

typedef void check_fn(const struct gate_policy *policy, enum dialect dialect, struct str sql,
		      struct str reason, struct arena *a);

/* dialect<TAB>sql[<TAB>reason]; "all" stands for each dialect. Returns the number of lines. */
static int each_line(const char *name, check_fn *check)
{
	struct arena *a = arena_new(64 << 20);
	struct gate_policy policy = gate_policy_of(views, a);
	char path[500];
	const char *text;
	struct str rest, line;
	struct err e;
	int count = 0;

	snprintf(path, sizeof(path), "%s/tests/gate/%s", VESPER_SOURCE_DIR, name);
	assert_true(file_read(path, CORPUS_BYTES_MAX, a, &text, &e));
	rest = str_of(text);
	while (str_split(&rest, '\n', &line)) {
		struct str dialect, sql, reason = {0};

		if (line.n == 0 || line.p[0] == '#')
			continue;
		assert_true(str_split(&line, '\t', &dialect) && str_split(&line, '\t', &sql));
		if (line.p)
			str_split(&line, '\t', &reason);
		count++;
		for (int d = 0; d < DIALECT_COUNT; d++)
			if (str_eq(dialect, STR("all")) ||
			    str_eq(dialect, str_of(dialect_name((enum dialect)d))))
				check(&policy, (enum dialect)d, decode(a, sql), reason, a);
	}
	arena_free(&a);
	return count;
}

static void accepts(const struct gate_policy *policy, enum dialect dialect, struct str sql,
		    struct str reason, struct arena *a)
{
	struct gate_result once, twice;
	struct err e;

	(void)reason;
	if (!gate_check(policy, dialect, sql, a, &once, &e))
		fail_msg("%s: %.*s\nrefused: %s", dialect_name(dialect), STR_FMT(sql), e.text);
	if (!gate_check(policy, dialect, str_of(once.sql), a, &twice, &e))
		fail_msg("%s: %s\nrefused as written: %s", dialect_name(dialect), once.sql, e.text);
	assert_string_equal(once.sql, twice.sql);
}

static void refuses(const struct gate_policy *policy, enum dialect dialect, struct str sql,
		    struct str reason, struct arena *a)
{
	struct gate_result result;
	struct err e;

	if (gate_check(policy, dialect, sql, a, &result, &e))
		fail_msg("%s: %.*s\naccepted as: %s", dialect_name(dialect), STR_FMT(sql),
			 result.sql);
	assert_true(e.code == ERR_INPUT || e.code == ERR_LIMIT);
	assert_true(strncmp(e.text, "column ", 7) == 0);
	assert_true(reason.n > 0);
	if (!memmem(e.text, strlen(e.text), reason.p, reason.n))
		fail_msg("%s: %.*s\nrefused: %s\nexpected: %.*s", dialect_name(dialect),
			 STR_FMT(sql), e.text, STR_FMT(reason));
}

static void test_accepted(void **state)
{
	(void)state;
	assert_true(each_line("accept.tsv", accepts) >= ACCEPTED_MIN);
}

static void test_refused(void **state)
{
	(void)state;
	assert_true(each_line("reject.tsv", refuses) >= REFUSED_MIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
