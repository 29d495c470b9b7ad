/*
 * Optional guardrail check by a model, for a question that code can neither match nor refuse. The
 * call starts together with the supervisor's. The supervisor's plan waits for both, so a refused
 * question causes no tool call. The check has a shorter prompt and reply and rarely delays the
 * turn. A failed, late or unreadable check is ignored.
 */
#include "vesper/answer.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/metric.h"

static const struct metric guardrail_failed = {
	.name = "vesper_vet_failed_total",
	.help = "Guardrail checks that failed or returned an invalid verdict.",
};

#define FINE "fine"

static const struct {
	const char *word;
	enum refusal_kind kind;
	enum sentence text;
} verdicts[] = {
	{"no_antecedent", REFUSE_REFERENCE, SAY_REFUSE_NO_ANTECEDENT},
	{"outside_data", REFUSE_SCOPE, SAY_REFUSE_OUTSIDE_DATA},
	{"impossible", REFUSE_IMPOSSIBLE, SAY_REFUSE_IMPOSSIBLE},
	{"injection", REFUSE_INJECTION, SAY_REFUSE_INJECTION},
};

static const json_t *verdict_schema(struct answer_turn *t)
{
	json_t *words = json_array();

	json_push_take(words, json_str(FINE));
	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++)
		json_push_take(words, json_str(verdicts[i].word));
	return json_own(
		t->core->arena,
		json_make({"type", json_str("object")}, {"additionalProperties", json_false()},
			  {"required", json_list_of(json_str("verdict"))},
			  {"properties",
			   json_make({"verdict",
				      json_make({"type", json_str("string")}, {"enum", words})})}));
}

/* False: the reply is unusable. */
static bool read_verdict(struct answer_turn *t, const char *text, struct err *e)
{
	const char *word;
	json_t *root;

	if (!json_parse(text, strlen(text), LLM_TOOL_INPUT_BYTES_MAX, &root, e))
		return false;
	json_own(t->core->arena, root);
	if (!json_get_str(root, "verdict", &word, e))
		return false;
	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++)
		if (strcmp(verdicts[i].word, word) == 0) {
			t->answer->guardrail_check.refuses = true;
			t->answer->guardrail_check.refusal = (struct refusal){
				verdicts[i].kind, "", turn_sentence(t->core, verdicts[i].text)};
		}
	return t->answer->guardrail_check.refuses || strcmp(word, FINE) == 0 ||
	       err_set(e, ERR_UPSTREAM, "unknown verdict \"%.*s\"", STR_CUT(word, 40));
}

static void on_end(void *owner, const struct llm_answer *answer, bool shown, const struct err *e)
{
	struct answer_turn *t = owner;
	struct err why = e ? *e : (struct err){0};

	(void)shown;
	t->answer->guardrail_check.op = NULL;
	answer_add_usage(t, LLM_ROUTE, &answer->usage);
	if (e || !read_verdict(t, llm_answer_text(answer, t->core->arena), &why)) {
		log_warn("turn.vet", "%s: guardrail check failed: %s", t->core->id.text, why.text);
		metric_add(&guardrail_failed, NULL, 1);
	}
	stage_end_passed(t, !t->answer->guardrail_check.refuses);
	t->core->operations.ended(t->core->operations.turn);
}

/* Skipped for answers to clarifying questions, edited filters and repeated routing: the question
 * has passed before. */
void guardrail_begin(struct answer_turn *t)
{
	static const struct llm_handler handler = {.on_end = on_end};

	if (!t->options->checks_questions || t->dialog->answered.answers ||
	    t->dialog->answered.edits || t->answer->no_answer.done)
		return;
	t->core->operations.began(t->core->operations.turn);
	answer_count_calls(t, LLM_ROUTE, 1);
	stage_begin(t, STAGE_GUARDRAIL);
	t->answer->guardrail_check.op =
		llm_start(t->options->llm, prompt_guardrail(t, verdict_schema(t)), t->core->arena,
			  &handler, t);
}

void guardrail_cancel(struct answer_turn *t)
{
	op_cancel(&t->answer->guardrail_check.op);
}
