/* What the words alone say about tools. */
#include "nlu_test.h"

static const char *best_tool(struct fixture *f, const char *text, double *score)
{
	struct text_score s;
	struct question q;
	size_t best = 0;

	text_tokenize(f->nlu->catalog->language, text, f->arena, &q);
	router_score_text(f->nlu, &(struct nlu_input){.may = &f->view}, &q, 0, q.count, false,
			  f->arena, &s);
	for (size_t i = 1; i < f->view.tool_count; i++)
		if (s.tools[i] > s.tools[best])
			best = i;
	*score = s.tools[best];
	return *score > 0 ? f->view.tools[best]->name : "none";
}

static void words_point_at_tools(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"compare them", "compare_sellers"},
		{"what is the difference", "compare_sellers"},
		{"hourly", "get_hourly_prices"},
		{"which hour is the lowest", "get_hourly_prices"},
		{"list the files", "list_price_files"},
		{"how many parcels", "count_parcels"},
		{"busiest depots", "get_top_depots"},
		{"flying carpets", "none"},
		{"", "none"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		double score;
		const char *got = best_tool(f, cases[i].text, &score);

		if (strcmp(got, cases[i].want) != 0)
			fail_msg("\"%s\": got %s (%.2f)", cases[i].text, got, score);
		assert_true(score >= 0 && score <= 1);
	}
}

static void words_of_hidden_tools_are_unknown(void **state)
{
	struct fixture *f = *state;
	struct text_score s;
	struct question q;

	text_tokenize(f->nlu->catalog->language, "parcels of bananas", f->arena, &q);
	router_score_text(f->nlu, &(struct nlu_input){.may = &f->view}, &q, 0, q.count, false,
			  f->arena, &s);
	assert_int_equal(s.known_words, 1);
	assert_int_equal(s.unknown_words, 1);
	catalog_for(&goods_catalog, &nobody, f->arena, &f->view);
	router_score_text(f->nlu, &(struct nlu_input){.may = &f->view}, &q, 0, q.count, false,
			  f->arena, &s);
	assert_int_equal(s.known_words, 0);
	assert_int_equal(s.unknown_words, 2);
}

static void rare_word_outweighs_common_words(void **state)
{
	struct fixture *f = *state;
	struct text_score rare, common;
	struct question q;

	text_tokenize(f->nlu->catalog->language, "compare", f->arena, &q);
	router_score_text(f->nlu, &(struct nlu_input){.may = &f->view}, &q, 0, q.count, false,
			  f->arena, &rare);
	text_tokenize(f->nlu->catalog->language, "price", f->arena, &q);
	router_score_text(f->nlu, &(struct nlu_input){.may = &f->view}, &q, 0, q.count, false,
			  f->arena, &common);
	assert_true(rare.known > common.known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(words_point_at_tools),
		TEST(words_of_hidden_tools_are_unknown),
		TEST(rare_word_outweighs_common_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
