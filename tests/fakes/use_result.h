/* Uses a result as an answer does: prompts, views, a chart, the receipt's time and hash. No content
 * of a result may crash the process. */
#ifndef USE_RESULT_H
#define USE_RESULT_H

#include "english.h"
#include "prompt_text.h"
#include "vesper/clock.h"
#include "vesper/view.h"

static inline void use_result(struct result *r)
{
	char time[CLOCK_RFC3339_BYTES], hash[HASH_HEX_BYTES];
	struct arena *a = arena_new(SIZE_MAX / 2);
	const struct result *const all[] = {r};
	const struct view_answer_input in = {all, 1, {2026, 3, 1}, shipped_language(), true};
	struct view_followup suggested[8];
	struct view_answer words;
	struct buf text;

	r->language = shipped_language();
	r->call = r->agent = r->tool = r->about = "x";
	buf_init(&text, SIZE_MAX / 2);
	prompt_text(&text, r, 10);
	view_outcome_text(&text, r);
	for (size_t i = 0; i < r->table_count; i++)
		view_data(&text, r, r->tables[i], "v1", a);
	json_decref(view_outcome(r, "v2"));
	view_chart(&text, r, "v3", CHART_NO_PREFERENCE);
	buf_deinit(&text);
	view_suggested_followups(r, a, suggested, 8);
	view_answer(&in, a, &words);
	for (size_t i = 0; i < r->args.count; i++)
		(void)args_text(&r->args, r->args.items[i].name, a);
	clock_rfc3339(r->read_ms, time);
	result_hash(r, hash);
	arena_free(&a);
}

#endif
