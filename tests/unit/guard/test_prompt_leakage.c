/* Copied prompts are removed, and no other text is held back. */
#include "pieces.h"
#include "vesper/limits.h"

static const char *const secrets[] = {
	"You write the answers for business readers.\n- Take numbers as given, and **never** "
	"invent "
	"a number, name, date, link or cause of anything.\n",
	"one two three four five six seven eight nine ten eleven twelve thirteen", NULL};
static struct guard_secret *secret;

static int set_up(void **state)
{
	(void)state;
	secret = guard_secret_new(secrets);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	guard_secret_free(&secret);
	return 0;
}

static void *begin(void (*on_text)(void *owner, const char *text, size_t len), void *owner)
{
	return guard_leakage_new(secret, on_text, owner);
}

static void feed(void *q, const char *text, size_t len)
{
	guard_leakage_feed(q, text, len);
}

static void end(void *filter)
{
	struct guard_leakage *q = filter;

	guard_leakage_end(q);
	guard_leakage_free(&q);
}

static void assert_filtered(const char *text, const char *expected)
{
	static const struct filter leakage = {begin, feed, end};

	assert_output(&leakage, text, expected);
}

static void removes_copied_prompt(void **state)
{
	(void)state;
	assert_filtered(
		"Sure: You write the answers for business readers. - Take numbers as given, "
		"and never invent a number, name, date. The average is $48.73/MWh.",
		"Sure: You write the […]. The average is $48.73/MWh.");
	assert_filtered(secrets[0], "You write the […]");
	assert_filtered("you WRITE `the` answers,for|business readers take\nnumbers: as given; and "
			"(never) invent a (number)",
			"you WRITE `the […]");
}

static void other_text_is_unchanged(void **state)
{
	static const char *const texts[] = {
		"The answers for business readers are here, and you write the reports.",
		"Take numbers as given.",
		"You write the answers for business readers.",
		"größer als 🟢 – one two three",
		"",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_filtered(texts[i], texts[i]);
}

/* At the limit, and beyond it. */
static void passes_short_quotations(void **state)
{
	(void)state;
	assert_int_equal(PROMPT_LEAKAGE_WORDS, 12);
	assert_filtered("one two three four five six seven eight nine ten eleven. So.",
			"one two three four five six seven eight nine ten eleven. So.");
	assert_filtered("one two three four five six seven eight nine ten eleven twelve. So.",
			"one two three […]. So.");
}

static void add_length(void *owner, const char *text, size_t len)
{
	(void)text;
	*(size_t *)owner += len;
}

static void passes_text_without_delay(void **state)
{
	size_t passed_bytes = 0;
	struct guard_leakage *q = guard_leakage_new(secret, add_length, &passed_bytes);

	(void)state;
	guard_leakage_feed(q, "Take numbers from this ta", 25);
	assert_int_equal(passed_bytes, 25);
	guard_leakage_feed(q, "ble. Take numbers as given", 26);
	assert_int_equal(passed_bytes, 45);
	guard_leakage_feed(q, " here.", 6);
	assert_int_equal(passed_bytes, 25 + 26 + 6);
	guard_leakage_end(q);
	guard_leakage_free(&q);
}

struct chunks {
	int count;
	size_t bytes;
};

static void count_chunk(void *owner, const char *text, size_t len)
{
	struct chunks *p = owner;

	(void)text;
	p->count++;
	p->bytes += len;
}

/* Each chunk becomes a separate frame. */
static void passes_unrelated_text_in_one_chunk(void **state)
{
	const char *text = "Prices in NP15 were higher than those in SP15 for most of the summer.";
	struct chunks chunks = {0};
	struct guard_leakage *q = guard_leakage_new(secret, count_chunk, &chunks);

	(void)state;
	guard_leakage_feed(q, text, strlen(text));
	assert_int_equal(chunks.count, 1);
	assert_int_equal(chunks.bytes, strlen(text));
	guard_leakage_free(&q);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(removes_copied_prompt),
		TEST(other_text_is_unchanged),
		TEST(passes_short_quotations),
		TEST(passes_text_without_delay),
		TEST(passes_unrelated_text_in_one_chunk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
