/*
 * The number check on the real tools' results for the demo data. The templates' answers must pass
 * without a false alarm. Then a digit, a unit or a year of their numbers is changed, and missed
 * changes are counted. The test does not depend on how the check works. CHECKED_SHOW=1 prints the
 * missed changes.
 */
#include "demo_ask.h"
#include "shipped_units.h"
#include "vesper/guard.h"

#define MARKS_MAX       4000
#define CHANGE_INTERVAL 3 /* every third number of an answer is changed */

enum change_kind { CHANGE_DIGIT, CHANGE_UNIT, CHANGE_YEAR, CHANGE_COUNT };

struct mark {
	size_t from, to;
	bool bound;
	char why[80]; /* what it is bound to */
};

struct marks {
	struct buf text;
	struct mark list[MARKS_MAX];
	size_t count;
};

static struct marks original, altered, generated;
static struct mark changes[MARKS_MAX];
static size_t change_count;
static size_t unbound, differences;
static long changed[CHANGE_COUNT], found[CHANGE_COUNT], answers, true_numbers, false_alarms;
static uint64_t seed = 4711;

static uint32_t random_below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 33) % n;
}

static void on_chunk(void *owner, const struct guard_chunk *p)
{
	struct marks *m = owner;

	if (p->marked && m->count < MARKS_MAX) {
		struct mark *mark = &m->list[m->count++];

		/* next to "higher" or "newest" a correct number may stay unbound, because only
		 * the template's code has made that comparison */
		*mark = (struct mark){m->text.n, m->text.n + p->len,
				      p->kind == GUARD_BOUND || p->why > GUARD_OTHER, ""};
		snprintf(mark->why, sizeof(mark->why), "%s row %lld %s",
			 p->ref.column ? p->ref.column : "", (long long)p->ref.row,
			 p->ref.formula ? p->ref.formula : "");
	}
	buf_add(&m->text, p->text, p->len);
}

static struct guard_input input(struct marks *m)
{
	buf_deinit(&m->text);
	buf_init(&m->text, 1 << 20);
	m->count = 0;
	return (struct guard_input){.results = (const struct result *const *)&result,
				    .result_count = 1,
				    .units = &catalog->units,
				    .question = "",
				    .today = {2026, 2, 27},
				    .policy = GUARD_FLAG,
				    .sink = {.on_answer_chunk = on_chunk, .owner = m}};
}

static void check(const char *text, struct marks *m)
{
	const struct guard_input in = input(m);
	struct guard_numbers *g = guard_numbers_new(&in);

	guard_numbers_feed(g, text, strlen(text));
	guard_numbers_end(g);
	guard_numbers_free(&g);
}

/* ---- changes ---- */

static void change_digit(char *text)
{
	size_t n = strlen(text), at;

	do
		at = random_below((uint32_t)n);
	while (!isdigit((unsigned char)text[at]));
	text[at] = (char)('0' + (text[at] - '0' + 1 + (int)random_below(9)) % 10);
}

static bool change_year(char *text)
{
	for (char *p = text; *p; p++)
		if ((p == text || !isdigit((unsigned char)p[-1])) && strspn(p, "0123456789") == 4 &&
		    (p[0] == '1' || p[0] == '2') && (p[1] == '9' || p[1] == '0')) {
			p[2] = (char)('0' + (p[2] - '0' + 3) % 10);
			return true;
		}
	return false;
}

/* Replaces the unit of a number. Returns false when it has none. */
static bool change_unit(char *text, size_t size)
{
	static const char *const units[][2] = {
		{"/MWh", " MW"}, {" $/MWh", "%"},   {"%", " MW"},
		{" hours", "%"}, {" MW", " hours"}, {" views", " MW"},
		{" days", "%"},  {"K", "M"},        {"M", "K"}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t n = strlen(text), m = strlen(units[i][0]);

		if (n <= m || strcmp(text + n - m, units[i][0]) != 0 ||
		    (m == 1 && isalpha((unsigned char)*units[i][0]) &&
		     !isdigit((unsigned char)text[n - 2])))
			continue;
		if (strchr(text, '$') && strcmp(units[i][0], "/MWh") == 0) {
			memmove(strchr(text, '$'), strchr(text, '$') + 1,
				strlen(strchr(text, '$')));
			n--;
		}
		snprintf(text + n - m, size - (n - m), "%s", units[i][1]);
		return true;
	}
	if (text[0] != '$')
		return false;
	memmove(text, text + 1, strlen(text));
	strncat(text, "%", size - strlen(text) - 1);
	return true;
}

static bool change(char *text, size_t size, enum change_kind change_kind)
{
	char before[200];

	if (change_kind == CHANGE_YEAR)
		return change_year(text);
	if (change_kind == CHANGE_UNIT)
		return change_unit(text, size);
	snprintf(before, sizeof(before), "%s", text);
	change_digit(text);
	/* "08:00" and "8.0" may be the same value in another form */
	return strcmp(before, text) != 0 && text[0] != '0';
}

/* The answer with every CHANGE_INTERVAL-th number changed, starting at `first`. */
static void apply_changes(enum change_kind change_kind, size_t first, struct buf *out)
{
	size_t at = 0;

	change_count = 0;
	for (size_t i = 0; i < original.count; i++) {
		const struct mark *m = &original.list[i];
		char number[200];

		buf_add(out, original.text.p + at, m->from - at);
		snprintf(number, sizeof(number), "%.*s", (int)(m->to - m->from),
			 original.text.p + m->from);
		at = m->to;
		if (i % CHANGE_INTERVAL == first && change(number, sizeof(number), change_kind)) {
			changes[change_count].from = out->n;
			changes[change_count++].to = out->n + strlen(number);
		}
		buf_str(out, number);
	}
	buf_add(out, original.text.p + at, original.text.n - at);
}

/* Returns true for the same line: in a table row with a wrong hour, the prices are marked. */
static bool share_line(const struct mark *a, const struct mark *b)
{
	size_t from = a->to < b->to ? a->to : b->to, to = a->from > b->from ? a->from : b->from;

	return from >= to || !memchr(altered.text.p + from, '\n', to - from);
}

static bool shares_line_with_change(const struct mark *m, bool *is_found)
{
	bool shares_line = false;

	for (size_t i = 0; i < change_count; i++) {
		if (!share_line(m, &changes[i]))
			continue;
		shares_line = true;
		is_found[i] = is_found[i] || !m->bound;
		if (m->from < changes[i].to && changes[i].from < m->to)
			snprintf(changes[i].why, sizeof(changes[i].why), "%s", m->why);
	}
	return shares_line;
}

static void count_found(enum change_kind change_kind)
{
	static bool is_found[MARKS_MAX];

	memset(is_found, 0, sizeof(is_found));
	answers++;
	for (size_t i = 0; i < altered.count; i++) {
		if (shares_line_with_change(&altered.list[i], is_found))
			continue;
		true_numbers++;
		false_alarms += !altered.list[i].bound;
		if (!altered.list[i].bound && getenv("CHECKED_SHOW"))
			print_message("ALARM %s: %.*s[%.*s]\n", result->tool, 60,
				      altered.text.p + (altered.list[i].from > 60
								? altered.list[i].from - 60
								: 0),
				      (int)(altered.list[i].to - altered.list[i].from),
				      altered.text.p + altered.list[i].from);
	}
	for (size_t i = 0; i < change_count; i++) {
		size_t from = changes[i].from > 60 ? changes[i].from - 60 : 0;

		changed[change_kind]++;
		found[change_kind] += is_found[i];
		if (!is_found[i] && getenv("CHECKED_SHOW"))
			print_message("MISSED %s %d: …%.*s<%.*s> as %s\n", result->tool,
				      change_kind, (int)(changes[i].from - from),
				      altered.text.p + from, (int)(changes[i].to - changes[i].from),
				      altered.text.p + changes[i].from, changes[i].why);
	}
}

/* ---- the tools ---- */

static void print_mark(const char *what, const struct marks *m, const struct mark *mark)
{
	size_t from = mark->from > 100 ? mark->from - 100 : 0;

	print_error("%s %s: %.*s<%.*s> as %s\n", result->tool, what, (int)(mark->from - from),
		    m->text.p + from, (int)(mark->to - mark->from), m->text.p + mark->from,
		    mark->why);
}

/* The check by parts, for a text with the parts at the same positions as in the answer. */
static bool passes(const char *text)
{
	const struct guard_input in = input(&generated);
	const struct guard_generated_text all = {text, strlen(text), answer.parts,
						 answer.part_count, arena};

	return guard_generated_pass(&in, &all);
}

/* The check by parts and the full check must mark the same numbers. */
static void check_parts(const char *text, size_t *differ)
{
	size_t i = 0, n = 0;

	if (!passes(text)) {
		print_error("%s has numbers outside of the parts: %s\n", result->tool, text);
		++*differ;
		return;
	}
	assert_string_equal(buf_text(&generated.text), text);
	while (i < generated.count || n < original.count) {
		const struct mark *a = i < generated.count ? &generated.list[i] : NULL;
		const struct mark *b = n < original.count ? &original.list[n] : NULL;

		i += a && (!b || a->from <= b->from);
		n += b && (!a || b->from <= a->from);
		if (a && b && a->from == b->from && a->to == b->to && a->bound && b->bound)
			continue;
		++*differ;
		if (a && (!b || a->from <= b->from))
			print_mark("by parts", &generated, a);
		if (b && (!a || b->from <= a->from))
			print_mark("in full", &original, b);
	}
}

static void check_template(const char *tool, const char *args)
{
	if (!args)
		return;
	call_tool(tool, args);
	check(answer.markdown, &original);
	assert_string_equal(buf_text(&original.text), answer.markdown);
	for (size_t i = 0; i < original.count; i++) {
		const struct mark *m = &original.list[i];
		size_t from = m->from > 100 ? m->from - 100 : 0;

		if (m->bound)
			continue;
		unbound++;
		print_error("%s %s as %s: %.*s<%.*s> is unbound\n", tool, args, role,
			    (int)(m->from - from), original.text.p + from, (int)(m->to - m->from),
			    original.text.p + m->from);
	}
	check_parts(answer.markdown, &differences);
}

static void templates_pass_the_check(void **state)
{
	size_t numbers = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(tool_cases) / sizeof(tool_cases[0]); i++) {
		check_template(tool_cases[i].tool, tool_cases[i].normal);
		assert_true(original.count > 0);
		numbers += original.count;
		check_template(tool_cases[i].tool, tool_cases[i].empty);
		check_template(tool_cases[i].tool, tool_cases[i].ambiguous);
		role = "viewer";
		check_template(tool_cases[i].tool, tool_cases[i].normal);
		role = "manager";
	}
	print_message("%zu numbers of templates; %zu are unbound\n", numbers, unbound);
	assert_int_equal(unbound, 0);
	assert_int_equal(differences, 0);
}

static void changed_numbers_are_found(void **state)
{
	static const char *const names[] = {"digit", "unit", "year"};
	long all = 0, found_count = 0, changed_answers = 0, found_answers = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(tool_cases) / sizeof(tool_cases[0]); i++) {
		call_tool(tool_cases[i].tool, tool_cases[i].normal);
		check(answer.markdown, &original);
		for (size_t n = 0; n < 3 * CHANGE_INTERVAL * CHANGE_COUNT; n++) {
			enum change_kind change_kind = (enum change_kind)(n % CHANGE_COUNT);
			struct buf text;

			buf_init(&text, 1 << 20);
			apply_changes(change_kind, n / CHANGE_COUNT % CHANGE_INTERVAL, &text);
			if (change_count > 0) {
				check(buf_text(&text), &altered);
				count_found(change_kind);
			}
			if (change_count > 0 && text.n == strlen(answer.markdown)) {
				changed_answers++;
				found_answers += !passes(buf_text(&text));
			}
			buf_deinit(&text);
		}
	}
	for (int i = 0; i < CHANGE_COUNT; i++) {
		print_message("wrong %s: %ld of %ld found\n", names[i], found[i], changed[i]);
		all += changed[i];
		found_count += found[i];
	}
	print_message(
		"%ld answers, %ld changes: recall %.2f %%; false alarms %ld of %ld (%.2f %%)\n",
		answers, all, 100.0 * (double)found_count / (double)all, false_alarms, true_numbers,
		100.0 * (double)false_alarms / (double)true_numbers);
	print_message("by parts: %ld of %ld answers found\n", found_answers, changed_answers);
	assert_true(changed_answers > 100);
	assert_int_equal(found_answers, changed_answers);
	assert_true(all > 2000);
	assert_true(found_count * 1000 >= all * 995);
	assert_true(false_alarms * 100 <= true_numbers);
}

static int tear_down_marks(void **state)
{
	buf_deinit(&original.text);
	buf_deinit(&generated.text);
	buf_deinit(&altered.text);
	return tear_down(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(templates_pass_the_check),
		cmocka_unit_test(changed_numbers_are_found),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down_marks);
}
