/*
 * The way out: the answer is written (by a model, or by templates where there is none or none can
 * be reached), what was shown is stored, and only then the end is said. Every way of ending passes
 * through SAVE, marked with how it ended.
 */
#include "turn_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/health.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/view.h"

static void keep_followups(struct turn *t, const struct view_answer *v)
{
	for (size_t i = 0; i < v->followup_count; i++) {
		json_t *one = json_object();

		json_set_str(one, "label", v->followups[i].label);
		json_set_str(one, "question", v->followups[i].question);
		json_set_str(one, "priority", v->followups[i].primary ? "primary" : "secondary");
		json_push_take(t->suggestions, one);
	}
}

static bool wants_detail(const char *question)
{
	static const char *const words[] = {"detail",   "in full",   "everything",
					    "all rows", "every row", "complete list"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasestr(question, words[i]))
			return true;
	return false;
}

/* What is asked about is worded by the question. */
static size_t results_to_word(const struct turn *t, const struct result **out)
{
	size_t n = 0;

	for (size_t i = 0; i < t->result_count; i++)
		if (t->results[i] != t->mend.asked)
			out[n++] = t->results[i];
	return n;
}

static void write_template(struct turn *t)
{
	const struct result **results =
		arena_alloc(t->arena, sizeof(*results) * (t->result_count + 1));
	struct view_answer_input in = {
		.results = results,
		.result_count = results_to_word(t, results),
		.today = t->today,
		.detail = wants_detail(t->request.content),
	};

	view_answer(&in, t->arena, &t->templated);
	keep_followups(t, &t->templated);
}

/* ---- SYNTH ---- */

static void on_text(void *owner, const char *text, size_t len)
{
	struct turn *t = owner;
	struct str piece = {text, len};

	if (t->cut || !recover_pass(t, &piece))
		return;
	if (stream_text(t->log).n + guard_numbers_waiting(t->guard) + piece.n <= ANSWER_BYTES_MAX)
		check_text(t, piece.p, piece.n);
	else
		t->cut = true;
	t->cut = t->cut || t->log_full;
	if (t->cut)
		turn_wake(t);
}

static void on_answer_end(void *owner, const struct llm_answer *answer, bool shown,
			  const struct err *e)
{
	struct turn *t = owner;

	(void)shown; /* the log knows what was shown */
	t->op = NULL;
	t->pending--;
	llm_usage_add(&t->usage[LLM_ANSWER], &answer->usage);
	t->provider = arena_strdup(t->arena, answer->provider);
	t->model = arena_strdup(t->arena, answer->model);
	if (e)
		t->err = *e;
	else if (answer->stop == LLM_STOP_REFUSAL)
		t->end.status = MESSAGE_REFUSED;
	else if (answer->stop == LLM_STOP_MAX_TOKENS || answer->stop == LLM_STOP_CONTEXT ||
		 answer->stop == LLM_STOP_PAUSE)
		t->cut = true;
	turn_wake(t);
}

static enum turn_state answer_by_rules(struct turn *t)
{
	t->provider = "rules";
	t->model = NULL;
	t->rewrite.allowed = false;
	say_in_pieces(t, t->templated.markdown, check_text);
	check_last(t);
	check_end(t);
	return TURN_SAVE;
}

static enum turn_state model_ended(struct turn *t)
{
	bool shown = stream_text(t->log).n > 0 || t->log_full;

	if (t->recovery.wanted && t->err.code == ERR_NONE && t->end.status == MESSAGE_COMPLETE) {
		check_end(t);
		recover_again(t);
		return TURN_ROUTE;
	}
	if (shown)
		check_end(t);
	if (t->err.code != ERR_NONE && !shown) {
		log_warn("turn.synth", "%s answered by rules: %s", t->id.text, t->err.text);
		t->err.code = ERR_NONE;
		return answer_by_rules(t);
	}
	if (t->err.code != ERR_NONE) {
		turn_end_error(t, &t->err);
		t->end.failed = false;
		t->end.status = MESSAGE_PARTIAL;
		t->end.error_text = "The answer was cut off; what you see is all that arrived.";
		t->err.code = ERR_NONE;
	} else if (t->cut) {
		t->end.status = MESSAGE_PARTIAL;
		t->end.error_code = "upstream";
		t->end.error_text = "The answer reached its length limit.";
	} else if (t->end.status == MESSAGE_REFUSED && !shown) {
		say_in_pieces(t, "The model declined to answer this question.", say_text);
	} else if (!shown) {
		return answer_by_rules(t); /* an empty answer is none */
	}
	return TURN_SAVE;
}

/* The last sentence goes out, or is asked for once more. */
static void write_rest(struct turn *t)
{
	struct str rest = recover_rest(t);

	t->written = true;
	if (rest.n)
		check_text(t, rest.p, rest.n);
	check_last(t);
}

static enum turn_state write_answer(struct turn *t)
{
	static const struct llm_handler handler = {.on_text = on_text, .on_end = on_answer_end};

	if (!t->started) {
		t->started = true;
		write_template(t);
		check_begin(t);
		say_phase(t, "writing", "Writing the answer");
		if (!turn_may_ask_model(t))
			return answer_by_rules(t);
		recover_begin(t);
		t->written = false;
		t->rewrite.allowed = true;
		t->pending++;
		t->calls[LLM_ANSWER]++;
		t->op = llm_start(t->all->llm, prompt_answer(t), t->arena, &handler, t);
		return TURN_WAIT;
	}
	if (!t->written)
		write_rest(t);
	return t->pending ? TURN_WAIT : model_ended(t);
}

enum turn_state step_synth(struct turn *t)
{
	enum turn_state next = write_answer(t);

	if (next == TURN_SAVE)
		recover_finish(t);
	return next;
}

/* ---- ANSWER ---- */

/* A model may have worded it. What a choice stands for stays as it is: it is no text to show. */
static void plain_reply(struct turn *t)
{
	struct turn_ask *ask = &t->reply.ask;
	struct suggestion *options =
		arena_alloc(t->arena, sizeof(*options) * (ask->option_count + 1));

	t->reply.text = check_plain(t, t->reply.text);
	for (size_t i = 0; i < ask->option_count; i++) {
		options[i] = ask->options[i];
		options[i].label = check_plain(t, options[i].label);
	}
	ask->options = options;
}

enum turn_state step_answer(struct turn *t)
{
	plain_reply(t);
	t->provider = "rules";
	t->end.status = t->reply.status;
	say_in_pieces(t, t->reply.text, say_text);
	if (t->reply.status == MESSAGE_ASK)
		say_ask(t);
	return TURN_SAVE;
}

/* ---- FAILED ---- */

void turn_end_error(struct turn *t, const struct err *e)
{
	static const struct {
		enum err_code code;
		const char *wire, *text;
	} rows[] = {
		{ERR_DENIED, "denied", "You do not have permission for this."},
		{ERR_NOT_FOUND, "not_found", "This conversation does not exist."},
		{ERR_TIMEOUT, "timeout",
		 "This took too long and was stopped. Try a narrower question."},
		{ERR_UPSTREAM, "upstream",
		 "A service that is needed for the answer is not available. Please try again."},
		{ERR_BUSY, "busy", "The data is busy. Please try again."},
		{ERR_QUOTA, "quota",
		 "The budget for answers by a model is used up for now. Questions that name the "
		 "data "
		 "they want are still answered."},
		{ERR_LIMIT, "upstream",
		 "The question needs more than the server can give right now."},
	};

	t->end.failed = true;
	t->end.error_code = "internal";
	t->end.error_text = "Something went wrong on our side.";
	t->end.retryable = e->may_retry;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].code == e->code) {
			t->end.error_code = rows[i].wire;
			t->end.error_text = rows[i].text;
		}
	log_warn("turn.failed", "%s in %s: %s", t->id.text, turn_state_name(t->state), e->text);
}

enum turn_state step_failed(struct turn *t)
{
	t->err.code = ERR_NONE;
	if (!t->provider)
		t->provider = "rules";
	/* A deadline that passed while an answer was being shown leaves a partial answer, not a
	 * failed turn. */
	if (t->end.failed && stream_text(t->log).n > 0) {
		t->end.failed = false;
		t->end.status = MESSAGE_PARTIAL;
	} else if (t->end.failed) {
		t->end.status = MESSAGE_FAILED;
	}
	if (!t->end.no_save)
		return TURN_SAVE;
	say_end(t);
	return TURN_DONE;
}

/* ---- SAVE ---- */

static const char *agents_used(const struct turn *t)
{
	const char *used = "";

	for (size_t i = 0; i < t->result_count; i++) {
		bool known = false;

		for (size_t k = 0; k < i; k++)
			known = known || strcmp(t->results[k]->agent, t->results[i]->agent) == 0;
		if (!known)
			used = arena_printf(t->arena, "%s%s%s", used, *used ? "," : "",
					    t->results[i]->agent);
	}
	return used;
}

static int64_t tokens_written(const struct turn *t)
{
	int64_t tokens = 0;

	for (size_t i = 0; i < LLM_ROLE_COUNT; i++)
		tokens += t->usage[i].output_tokens;
	return tokens;
}

static void on_saved(void *owner, const struct err *e)
{
	struct turn *t = owner;

	t->op = NULL;
	t->pending--;
	if (e)
		t->err = *e;
	else
		t->receipt_id = t->receipt ? t->receipt->receipt_id : NULL;
	turn_wake(t);
}

static bool is_listed(const char *needs, const char *permission)
{
	struct str rest = str_of(needs);
	struct str one;

	while (str_split(&rest, ' ', &one))
		if (str_eq(one, str_of(permission)))
			return true;
	return false;
}

/* What a reader of this answer must be permitted, whenever it is read again. */
static const char *needs_of(const struct turn *t)
{
	const char *needs = "";

	for (size_t i = 0; i < t->result_count; i++)
		for (const char *const *p = t->results[i]->needs; p && *p; p++)
			if (!is_listed(needs, *p))
				needs = arena_printf(t->arena, "%s%s%s", needs, *needs ? " " : "",
						     *p);
	return needs;
}

static void save(struct turn *t)
{
	struct message m = {
		.message_id = t->answer_id.text,
		.session_id = t->request.session_id,
		.turn_id = t->id.text,
		.role = "assistant",
		.content = stream_text(t->log).p,
		.status = t->end.status,
		.intent = t->intent,
		.agents_used = agents_used(t),
		.standing = t->leaves_standing,
		.texts = {.tool_calls = say_calls(t, true).p, .views = say_stored_views(t)},
		.needs = needs_of(t),
		.provider = t->provider,
		.model = t->model,
		.token_count = tokens_written(t),
		.latency_ms = clock_mono_ms() - t->began_ms,
	};

	t->links = say_links(t);
	m.texts.pbi_deep_links = t->links.p;
	m.texts.checked = t->checked.stored.p;
	m.receipt = turn_receipt(t, &m);
	t->receipt = m.receipt;
	t->pending++;
	t->op = store_answer(t->all->store, t->who, &m, on_saved, t);
}

/* What the next turn may lean on. A turn that gathered nothing leaves standing what stood. */
static void leave_standing(struct turn *t)
{
	if (t->leaves_standing)
		return;
	if (t->understood.filter_count > 0 || t->understood.tool_count > 0 || t->spec)
		t->leaves_standing = turn_standing(t);
	else
		t->leaves_standing = json_deep_copy(t->standing);
}

enum turn_state step_save(struct turn *t)
{
	if (!t->started) {
		t->started = true;
		leave_standing(t);
		save(t);
		return TURN_WAIT;
	}
	if (t->err.code != ERR_NONE) {
		turn_end_error(t, &t->err);
		t->end.error_text = "The answer could not be stored. Please ask again.";
	}
	say_end(t);
	return TURN_DONE;
}

enum turn_state step_done(struct turn *t)
{
	if (t->all->record)
		t->all->record(t->all->record_owner, turn_record(t));
	metric_add(t->end.failed ? "vesper_chat_turns_total{outcome=\"failed\"}"
				 : "vesper_chat_turns_total{outcome=\"ended\"}",
		   1);
	log_info("turn.completed", "%s %s by %s in %lld ms", t->id.text,
		 message_status_name(t->end.status), t->provider,
		 (long long)(clock_mono_ms() - t->began_ms));
	return TURN_DONE;
}
