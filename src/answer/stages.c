/*
 * Extra events of the stream: the turn's internal work (guardrail check, planning, chart) as steps,
 * and the size of each model request. Clients do not need them to follow an answer.
 */
#include "vesper/answer.h"

#include "vesper/json_out.h"

#define STAGE_BYTES_MAX 4096

/* The kind on the wire and the text shown meanwhile. */
static const struct {
	const char *kind;
	enum sentence text;
} stages[STAGE_COUNT] = {
	[STAGE_GUARDRAIL] = {"guardrail", SAY_PHASE_GUARDRAIL},
	[STAGE_PLANNING] = {"planning", SAY_PHASE_PLANNING},
	[STAGE_CHART] = {"chart", SAY_PHASE_CHART},
};

void stage_begin(struct answer_turn *t, enum answer_stage stage)
{
	const char **id = &t->answer->stages[stage];

	if (*id)
		return;
	*id = arena_printf(t->core->arena, "s%d", ++t->answer->stage_count);
	event_emit(
		t->core->sink,
		&(struct event){.kind = EVENT_STAGE_STARTED,
				.u.stage_started = {*id, stages[stage].kind,
						    turn_sentence(t->core, stages[stage].text)}});
}

static void finish(struct answer_turn *t, enum answer_stage stage, bool failed, struct str output)
{
	const char *id = t->answer->stages[stage];

	if (!id)
		return;
	t->answer->stages[stage] = NULL;
	event_emit(t->core->sink,
		   &(struct event){.kind = EVENT_STAGE_FINISHED,
				   .u.stage_finished = {id, stages[stage].kind,
							turn_sentence(t->core, stages[stage].text),
							failed ? "failed" : "completed", output}});
}

void stage_end(struct answer_turn *t, enum answer_stage stage, const char *output)
{
	finish(t, stage, false, str_of(output));
}

void stage_end_passed(struct answer_turn *t, bool passed)
{
	stage_end(t, STAGE_GUARDRAIL, passed ? "{\"passed\":true}" : "{\"passed\":false}");
}

void stage_end_plan(struct answer_turn *t, size_t tasks)
{
	stage_end(t, STAGE_PLANNING, arena_printf(t->core->arena, "{\"tasks\":%zu}", tasks));
}

void stages_end(struct answer_turn *t)
{
	for (enum answer_stage s = 0; s < STAGE_COUNT; s++)
		finish(t, s, true, (struct str){0});
}

/* ---- model requests ---- */

static void write_parts(struct buf *out, const struct tokens_by *by)
{
	struct json_out j;

	jo_init(&j, out);
	jo_object(&j);
	for (enum tokens_part p = 0; p < TOKENS_PARTS; p++)
		jo_set_int(&j, tokens_part_name(p), (int64_t)by->of[p]);
	jo_object_end(&j);
}

static int64_t sum(const struct tokens_by *by)
{
	size_t tokens = 0;

	for (enum tokens_part p = 0; p < TOKENS_PARTS; p++)
		tokens += by->of[p];
	return (int64_t)tokens;
}

void usage_emit(void *owner, const struct llm_call *call, const struct llm_trail_entry *asked)
{
	struct answer_turn *t = owner;
	const struct llm_usage *u = &asked->usage;
	struct event event = {.kind = EVENT_USAGE};
	struct tokens_by by;
	struct buf parts;

	buf_init(&parts, STAGE_BYTES_MAX);
	llm_call_tokens(call, &by);
	write_parts(&parts, &by);
	event.u.usage = (struct event_usage){
		.role = llm_role_name(call->role),
		.model = asked->model,
		.budget = (int64_t)t->options->prompt_tokens,
		.used = asked->provider
				? u->input_tokens + u->cache_read_tokens + u->cache_write_tokens
				: sum(&by),
		.output = u->output_tokens,
		.estimate = !asked->provider,
		.by = {buf_text(&parts), parts.n},
	};
	event_emit(t->core->sink, &event);
	buf_deinit(&parts);
}
