/* A turn with everything that a dialect must represent, and its output by a projection. */
#ifndef DIALECT_STORY_H
#define DIALECT_STORY_H

#include "turn_log.h"
#include "projection.h"
#include "vesper/arena.h"
#include "vesper/file.h"
#include "vesper/mem.h"
#include "vesper/wire.h"

#define STORY_TURN    "01900000-0000-7000-8000-000000000001"
#define STORY_SESSION "01900000-0000-7000-8000-000000000002"

#define TABLE                                                                                      \
	"{\"view_type\":\"data\",\"view_id\":\"c1-v1\",\"meta\":[{\"name\":\"H\",\"label\":"       \
	"\"Hub|zone\",\"type\":\"text\"},{\"name\":\"P\",\"type\":\"decimal\"}],\"data_dict\":"    \
	"{\"H\":[\"NP15\",null],\"P\":[48.73,1.5]},\"row_count\":2,\"truncated\":true}"

static inline struct stream_log *story_begin(void)
{
	struct stream_log *log;

	clock_freeze_ms(1763750000000);
	log = stream_open(hub, STORY_TURN, STORY_SESSION, &ann, NULL, NULL);
	emit(log, &(struct event){.kind = EVENT_RUN_STARTED,
				  .u.run_started = {.session_id = STORY_SESSION,
						    .answer_id = "m1",
						    .client_msg_id = "r1"}});
	return log;
}

static inline void story_tool(struct stream_log *log, const char *id, bool ends, const char *state)
{
	emit(log, &(struct event){.kind = EVENT_STEP_STARTED,
				  .u.step_started = {.step_id = id,
						     .agent = "a",
						     .tool = "get_price",
						     .text = "Looking",
						     .args = STR("{\"h\":\"NP15\"}")}});
	if (ends)
		emit(log, &(struct event){.kind = EVENT_STEP_FINISHED,
					  .u.step_finished = {.step_id = id,
							      .agent = "a",
							      .tool = "get_price",
							      .text = "Done",
							      .state = state,
							      .outcome = "rows",
							      .rows = 2}});
}

static inline void story_number(struct stream_log *log, const char *text, size_t at)
{
	emit(log, &(struct event){.kind = EVENT_TEXT_DELTA,
				  .u.text_delta = {.text = str_of(text),
						   .marked = true,
						   .mark = {.kind = "bound",
							    .len = strlen(text),
							    .at = at,
							    .has_ref = true,
							    .call = "c1",
							    .column = "P",
							    .row = 0}}});
}

static inline void story_end_with(struct stream_log *log, const char *status, struct str checked)
{
	emit(log, &(struct event){
			  .kind = EVENT_RUN_FINISHED,
			  .u.run_finished = {
				  .session_id = STORY_SESSION,
				  .message_id = "m1",
				  .status = status,
				  .checked = checked,
				  .provider = "anthropic",
				  .model = "claude",
				  .links = STR("[{\"report_key\":\"k\",\"report_name\":\"R [1]\","
					       "\"url\":\"https://r\"}]"),
				  .usage = STR("{\"input_tokens\":7,\"cache_read_tokens\":1,"
					       "\"cache_write_tokens\":0,\"output_tokens\":3}"),
			  }});
}

static inline void story_end(struct stream_log *log, const char *status)
{
	story_end_with(log, status, (struct str){0});
}

static inline struct stream_log *story_answer(void)
{
	struct stream_log *log = story_begin();

	emit(log, &(struct event){.kind = EVENT_STATUS, .u.status = {"running", "Running"}});
	emit(log, &(struct event){.kind = EVENT_FILTERS, .u.filters.filters = STR("[{\"a\":1}]")});
	emit(log, &(struct event){.kind = EVENT_PLAN, .u.plan.body = STR("{\"plan_id\":\"p1\"}")});
	story_tool(log, "c1", true, "completed");
	emit_view(log, "c1-v1", TABLE);
	emit_text(log, "It was ");
	story_number(log, "48.73", 7);
	emit_text(log, ".");
	story_end(log, "ok");
	return log;
}

static inline struct stream_log *story_ask(void)
{
	struct stream_log *log = story_begin();

	emit_text(log, "Which?");
	emit(log, &(struct event){.kind = EVENT_ASK,
				  .u.ask = {.prompt = "Which?",
					    .body = STR("{\"ask_id\":\"q1\",\"prompt\":\"Which?\","
							"\"input\":\"multiple\",\"options\":"
							"[{\"value\":\"925\",\"label\":\"Inverter "
							"*925*\"},{\"value\":\"926\"}],\"min\":1,"
							"\"max\":2,\"expires_at\":\"T\"}")}});
	story_end(log, "ask");
	return log;
}

/* Cancelled between two steps and during its text. */
static inline struct stream_log *story_cancelled(void)
{
	struct stream_log *log = story_begin();

	story_tool(log, "c1", true, "failed");
	story_tool(log, "c2", false, NULL);
	emit_text(log, "It ");
	story_end(log, "cancelled");
	return log;
}

static inline void story_cite(struct stream_log *log, const char *text, int64_t n, size_t at)
{
	emit(log,
	     &(struct event){
		     .kind = EVENT_TEXT_DELTA,
		     .u.text_delta = {
			     .text = str_of(text),
			     .marked = true,
			     .mark = {.kind = "cite", .len = 3, .at = at, .row = -1, .n = n}}});
}

#define STORY_SOURCE(n, start, end)                                                                \
	"{\"n\":" n ",\"document\":\"Policy \\\"A\\\"\",\"uid\":\"" STORY_SESSION                  \
	"\",\"version\":\"v1\",\"heading\":\"Notice\",\"quote\":\"Ten days.\",\"start\":" start    \
	",\"end\":" end "}"

/* One passage is cited twice, and citation [2] has no source. */
static inline struct stream_log *story_cited(void)
{
	struct stream_log *log = story_begin();

	emit_text(log, "Ten days ");
	story_cite(log, "[1]", 1, 9);
	story_cite(log, "[3]", 3, 12);
	emit_text(log, ", so ");
	story_cite(log, "[1]", 1, 20);
	story_cite(log, "[2]", 2, 23);
	story_end_with(log, "ok",
		       STR("{\"sources\":[" STORY_SOURCE("1", "14", "23") "," STORY_SOURCE(
			       "3", "40", "49") "]}"));
	return log;
}

static inline struct stream_log *story_failed(void)
{
	struct stream_log *log = story_begin();

	emit_text(log, "It ");
	emit(log, &(struct event){.kind = EVENT_ERROR,
				  .u.error = {.code = "upstream", .message = "No \"data\"."}});
	return log;
}

static const struct wire_head story_head = {0};

/* The complete output of a reader. Free with mem_free. */
static inline char *story_output(struct stream_log *log, const struct projection *p,
				 const struct wire_head *head)
{
	struct wire_reader *r = wire_reader_new(log, p, 0, on_nothing, NULL);
	struct str item;
	struct buf bytes;
	char *output;

	wire_reader_set_head(r, head);
	buf_init(&bytes, 1 << 20);
	while (wire_next(r, false, &item))
		buf_add(&bytes, item.p, item.n);
	assert_true(wire_is_at_end(r));
	wire_reader_free(&r);
	output = mem_strdup(buf_text(&bytes));
	buf_deinit(&bytes);
	return output;
}

/* Compares the output with tests/unit/wire/golden. A replay must have the same bytes. */
static inline void check_story(struct stream_log *log, const struct projection *p, const char *name)
{
	struct arena *a = arena_new(1 << 16);
	const char *path =
		arena_printf(a, VESPER_SOURCE_DIR "/tests/unit/wire/golden/%s.txt", name);
	const char *expected;
	struct err e;

	assert_true(file_read(path, 1 << 16, a, &expected, &e));
	for (int i = 0; i < 2; i++) {
		char *output = story_output(log, p, &story_head);

		assert_string_equal(output, expected);
		mem_free(output);
	}
	stream_release(&log);
	arena_free(&a);
}

static inline void check_stories(const struct projection *p)
{
	static const struct {
		const char *name;
		struct stream_log *(*emit_story)(void);
	} stories[] = {{"answer", story_answer},
		       {"cited", story_cited},
		       {"ask", story_ask},
		       {"cancelled", story_cancelled},
		       {"failed", story_failed}};
	char name[40];

	for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++) {
		void *state = NULL;

		setup(&state);
		snprintf(name, sizeof(name), "%s_%s", p->name, stories[i].name);
		check_story(stories[i].emit_story(), p, name);
		teardown(&state);
	}
}

#endif
