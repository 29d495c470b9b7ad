/* The prepared reply of a turn, and the session context for the next turn. */
#include "vesper/dialog.h"

#include "vesper/json.h"

#define HELP_BYTES_MAX 16384

void dialog_begin(struct dialog_turn *t)
{
	t->dialog->suggestions = json_array();
}

void dialog_end(struct dialog_turn *t)
{
	json_decref(t->dialog->suggestions);
	json_decref(t->dialog->next_context);
}

void reply_with(struct dialog_turn *t, enum message_status status, const char *text)
{
	t->dialog->reply = (struct turn_reply){.text = text, .status = status};
}

void reply_help(struct dialog_turn *t, const char *lead)
{
	const struct catalog_view *may = &t->core->may;
	struct buf b;

	if (may->domain_count == 0) { /* nothing can be asked */
		reply_with(t, MESSAGE_COMPLETE, turn_sentence(t->core, SAY_REPLY_NO_DOMAIN));
		return;
	}
	buf_init(&b, HELP_BYTES_MAX);
	buf_str(&b, lead);
	for (size_t i = 0; i < may->domain_count; i++) {
		const struct domain_def *d = may->domains[i];

		buf_printf(&b, "%s- %s", i == 0 ? "\n\n" : "\n", d->about);
		if (d->examples && d->examples[0])
			buf_str(&b, turn_sentence(t->core, SAY_REPLY_EXAMPLE, d->examples[0]));
	}
	reply_with(t, MESSAGE_COMPLETE, arena_strdup(t->core->arena, buf_text(&b)));
	buf_deinit(&b);
}

void reply_with_agent_question(struct dialog_turn *t, const char *text, const struct turn_ask *ask)
{
	if (t->dialog->reply.text)
		return;
	t->dialog->reply = (struct turn_reply){
		.text = arena_strdup(t->core->arena, text),
		.status = MESSAGE_ASK,
		.ask = *ask,
	};
}

/* Applies `convert` to the displayed texts. Values of choices are not displayed and stay unchanged.
 */
void reply_map_texts(struct dialog_turn *t, const char *(*convert)(void *owner, const char *text),
		     void *owner)
{
	struct turn_reply *reply = &t->dialog->reply;
	struct suggestion *options =
		arena_alloc(t->core->arena, sizeof(*options) * (reply->ask.option_count + 1));

	reply->text = convert(owner, reply->text);
	for (size_t i = 0; i < reply->ask.option_count; i++) {
		options[i] = reply->ask.options[i];
		options[i].label = convert(owner, options[i].label);
	}
	reply->ask.options = options;
}

json_t *dialog_session_context(const struct dialog_turn *t)
{
	json_t *standing = nlu_session_context(&t->reading->understood);

	if (t->work->spec)
		json_object_set(standing, "plan", t->work->spec);
	rows_add_titles(t, standing);
	return standing;
}

/* The question had unused words and was not run. */
static bool is_unanswered(const struct dialog_turn *t)
{
	return t->reading->understood.unused_count > 0 && !t->work->spec &&
	       t->work->result_count == 0;
}

/* A turn without data leaves the context unchanged. A context from the client is not stored. */
void dialog_set_next_context(struct dialog_turn *t)
{
	const struct understanding *u = &t->reading->understood;

	if (t->dialog->next_context)
		return;
	if (!is_unanswered(t) && (u->filter_count > 0 || u->tool_count > 0 || t->work->spec)) {
		t->dialog->next_context = dialog_session_context(t);
	} else if (!t->core->request.origin) {
		t->dialog->next_context = json_deep_copy(t->context->standing);
	}
}
