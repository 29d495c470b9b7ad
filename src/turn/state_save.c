/* SAVE and DONE: stores the answer and only then emits the end of the turn. Every turn with a
 * stored message passes through SAVE, with the status of its ending. */
#include "turn_int.h"

#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/metric.h"

static const struct metric turns_total = {
	.name = "vesper_chat_turns_total",
	.help = "Ended turns, by result.",
	.labels = {"outcome"},
};
static const struct metric duration = {
	.name = "vesper_chat_turn_duration_milliseconds",
	.help = "Time from receiving a message to storing its answer.",
	.kind = METRIC_HISTOGRAM,
	.bounds = {5, 10, 25, 50, 100, 500, 1000, 2500, 5000, 15000, 60000},
};

static void on_saved(void *owner, const struct err *e)
{
	struct turn *t = owner;

	t->machine.op = NULL;
	t->machine.pending--;
	if (e)
		t->machine.err = *e;
	else
		answer_receipt_stored(&t->for_answer);
	turn_wake(t);
}

static void save(struct turn *t)
{
	char *standing = t->dialog.next_context ? json_text(t->dialog.next_context) : NULL;
	struct message m = {
		.message_id = t->core.answer_id.text,
		.session_id = t->core.request.session_id,
		.turn_id = t->core.id.text,
		.fence = t->core.fence,
		.role = "assistant",
		.content = stream_text(t->core.log).p,
		.status = t->end.status,
		.intent = t->reading.intent,
		.agents_used = answer_agents(&t->for_answer),
		.texts = {.tool_calls = answer_calls_json(&t->for_answer, true).p,
			  .views = answer_stored_views_json(&t->for_answer),
			  .standing = standing},
		.needs = answer_required_permissions(&t->for_answer),
		.gone = turn_sentence(&t->core, SAY_UPLOAD_DELETED),
		.provider = t->answer.provider,
		.model = t->answer.model,
		.token_count = answer_tokens(&t->for_answer),
		.latency_ms = clock_mono_ms() - t->core.began_ms,
	};

	m.texts.pbi_deep_links = answer_links_json(&t->for_answer).p;
	m.texts.checked = t->answer.checked.stored.p;
	m.receipt = answer_receipt(&t->for_answer, &m);
	t->machine.pending++;
	t->machine.op = store_answer(t->core.all->store, t->core.who, &m, on_saved, t);
	mem_free(standing);
}

enum turn_state step_save(struct turn *t)
{
	if (!t->machine.started) {
		t->machine.started = true;
		dialog_set_next_context(&t->for_dialog);
		save(t);
		return TURN_WAIT;
	}
	if (t->machine.err.code == ERR_CANCELLED) {
		turn_end_lost(t, false);
	} else if (t->machine.err.code != ERR_NONE) {
		turn_end_error(t, &t->machine.err);
		turn_end_text(t, turn_sentence(&t->core, SAY_END_NOT_STORED));
	}
	answer_emit_end(&t->for_answer, &t->end);
	return TURN_DONE;
}

enum turn_state step_done(struct turn *t)
{
	struct turns *all = t->core.all;

	if (all->record)
		all->record(all->record_owner, turn_record(t));
	metric_add(&turns_total, (const char *const[]){t->end.failed ? "failed" : "ended"}, 1);
	metric_observe(&duration, NULL, clock_mono_ms() - t->core.began_ms);
	log_info("turn.completed", "%s %s by %s in %lld ms", t->core.id.text,
		 message_status_name(t->end.status), t->answer.provider,
		 (long long)(clock_mono_ms() - t->core.began_ms));
	return TURN_DONE;
}
