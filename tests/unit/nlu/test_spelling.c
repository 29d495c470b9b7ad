/* Slips of the keys and other forms of a word, seen through what the question is read as. */
#include "nlu_test.h"
#include "vesper/limits.h"

static const char *corrected(struct fixture *f, const char *text)
{
	const struct nlu_input in = {.question = text, .may = &f->view, .today = fixture_today};
	struct reading r = {.nlu = f->nlu, .in = &in, .arena = f->arena};
	const char *out = "";

	text_tokenize(f->nlu->catalog->language, text, f->arena, &r.q);
	scope_read(f->nlu->names, in.may, f->arena, &r.scope);
	r.names = names_of(f->nlu->names, NULL, r.scope.in, f->arena);
	spelling_correct(&r);
	for (size_t i = 0; i < r.q.count; i++)
		out = arena_printf(f->arena, "%s%s%s", out, i ? " " : "", r.q.tokens[i].text);
	return out;
}

static void check(struct fixture *f, const char *const (*cases)[2], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *got = corrected(f, cases[i][0]);

		if (strcmp(got, cases[i][1]) != 0)
			fail_msg("\"%s\": got \"%s\", want \"%s\"", cases[i][0], got, cases[i][1]);
	}
}

static void corrects_misspelled_words(void **state)
{
	static const char *const cases[][2] = {
		{"parcles of depots", "parcels of depots"},
		{"campare please", "compare please"},
		{"pirce files", "price files"},    /* turned */
		{"hourly pries", "hourly prices"}, /* "price" and "prices" share a stem */
		{"prices in sumer", "prices in summer"},
		{"averge price", "average price"},
	};

	check(*state, cases, COUNT(cases));
}

static void word_forms_become_tool_words(void **state)
{
	static const char *const cases[][2] = {
		{"parcelment of depots", "parcels of depots"},
		{"regional prices", "region prices"},
	};

	check(*state, cases, COUNT(cases));
}

static void keeps_words_that_may_be_right(void **state)
{
	static const char *const cases[][2] = {
		{"please share prices", "please share prices"}, /* no "shape" */
		{"flying carpets", "flying carpets"},
		{"average of Acron", "average of acron"}, /* a name, and unknown.c asks */
		{"prices of acorn", "prices of acorn"},   /* a known one */
		{"depot ep10 hbx4", "depot ep10 hbx4"},   /* codes */
		{"", ""},
	};

	check(*state, cases, COUNT(cases));
}

/* Each looked up costs a walk over all words. */
static void bounds_lookups(void **state)
{
	struct fixture *f = *state;
	const char *text = "";

	for (int i = 0; i < UNKNOWN_WORDS_MAX; i++)
		text = arena_printf(f->arena, "%sqwxz%c ", text, 'a' + i);
	assert_non_null(
		strstr(corrected(f, arena_printf(f->arena, "parcles %s", text)), "parcels"));
	assert_non_null(strstr(corrected(f, arena_printf(f->arena, "%sparcles", text)), "parcles"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(corrects_misspelled_words),
		TEST(word_forms_become_tool_words),
		TEST(keeps_words_that_may_be_right),
		TEST(bounds_lookups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
