/*
 * What a model is told. The system prompt depends on the catalogue and on what the caller may use,
 * on nothing else, so that it is byte for byte the same for all users of a role and can be cached;
 * date, history, question and data come after it.
 */
#include "turn_int.h"

#include <string.h>

#include "vesper/clock.h"
#include "vesper/hash.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/llm.h"
#include "vesper/prompt.h"
#include "vesper/utf8.h"

#define HISTORY_MESSAGE_BYTES 1200 /* of each: enough for what was asked and found */
#define PROMPT_ROWS           40 /* rows of a table that a prompt shows; statistics cover all of them */
#define SHOWN_TAIL_BYTES      800 /* of the answer, for the sentence that goes on there */
#define PROMPT_BYTES_MAX      (512 * 1024)

static const char *domain_lines(const struct turn *t, struct buf *b)
{
	buf_reset(b);
	for (size_t i = 0; i < t->may.domain_count; i++) {
		const struct domain_def *d = t->may.domains[i];

		buf_printf(b, "- %s: %s", d->agent, d->about);
		for (const char *const *x = d->examples; x && *x; x++)
			buf_printf(b, "%s \"%s\"", x == d->examples ? " Such as:" : ",", *x);
		buf_char(b, '\n');
	}
	return arena_strdup(t->arena, buf_text(b));
}

static const char *tool_lines(const struct turn *t, struct buf *b)
{
	buf_reset(b);
	for (size_t i = 0; i < t->may.tool_count; i++) {
		const struct tool_def *tool = t->may.tools[i];

		buf_printf(b, "- %s: %s Filters:", tool->name, tool->about);
		for (size_t p = 0; p < tool->param_count; p++)
			buf_printf(b, "%s %s%s", p ? "," : "", tool->params[p].filter,
				   tool->params[p].required ? "" : "?");
		for (size_t r = 0; r < tool->refer_count; r++)
			buf_printf(b, "%s %s as %s (%s)", r ? "," : " Gives",
				   tool->refers[r].filter, tool->refers[r].path,
				   tool->refers[r].words[0]);
		buf_char(b, '\n');
	}
	return arena_strdup(t->arena, buf_text(b));
}

static const char *dimension_lines(const struct turn *t, struct buf *b)
{
	const struct catalog *c = t->may.catalog;

	buf_reset(b);
	for (size_t i = 0; i < c->dimension_count; i++) {
		const struct dimension_def *d = &c->dimensions[i];

		if (!d->values || !d->values[0])
			continue;
		buf_printf(b, "- %s:", d->filter);
		for (const char *const *v = d->values; *v; v++)
			buf_printf(b, "%s %s", v == d->values ? "" : ",", *v);
		buf_char(b, '\n');
	}
	return arena_strdup(t->arena, buf_text(b));
}

static struct llm_block *system_block(struct turn *t, const char *text)
{
	struct llm_block *b = arena_alloc(t->arena, sizeof(*b));

	*b = (struct llm_block){.kind = LLM_TEXT, .text = text, .cache = true};
	return b;
}

/* One text message, cut between characters. */
static void set_message(struct turn *t, struct llm_message *m, enum llm_speaker speaker,
			const char *text, size_t max_bytes)
{
	struct llm_block *b = arena_alloc(t->arena, sizeof(*b));
	size_t n = strlen(text);

	*b = (struct llm_block){
		.kind = LLM_TEXT,
		.text = n <= max_bytes
				? text
				: arena_strndup(t->arena, text, utf8_cut(text, n, max_bytes)),
	};
	*m = (struct llm_message){.speaker = speaker, .blocks = b, .count = 1};
}

/* What an answer was, for a model that may still choose tools: never a text of the data. */
static const char *answer_in_words(struct turn *t, const struct message *m)
{
	if (m->status != MESSAGE_ASK)
		return "(Answered from the data.)";
	return arena_printf(t->arena, "(Asked back: %.*s)", (int)strcspn(m->content, ":?"),
			    m->content);
}

/* Whole pairs of the recent past, then the newest message. An answer that was refused or is empty
 * takes its question with it, so that speakers alternate. */
static void set_messages(struct turn *t, struct llm_call *call, const char *newest)
{
	struct llm_message *list = arena_alloc(t->arena, sizeof(*list) * (2 * PROMPT_PAIRS + 1));
	size_t first = t->history_count;
	size_t pairs = 0;

	while (first >= 2 && pairs < PROMPT_PAIRS) {
		first -= 2;
		pairs++;
	}
	for (size_t i = first; i + 1 < t->history_count; i += 2) {
		const struct message *q = &t->history[i], *a = &t->history[i + 1];

		if (strcmp(q->role, "user") != 0 || strcmp(a->role, "assistant") != 0 ||
		    !*a->content || a->status == MESSAGE_REFUSED)
			continue;
		set_message(t, &list[call->message_count++], LLM_USER, q->content,
			    HISTORY_MESSAGE_BYTES);
		set_message(t, &list[call->message_count++], LLM_ASSISTANT,
			    call->role == LLM_ROUTE ? answer_in_words(t, a) : a->content,
			    HISTORY_MESSAGE_BYTES);
	}
	set_message(t, &list[call->message_count++], LLM_USER, newest, PROMPT_BYTES_MAX);
	call->messages = list;
}

static struct llm_call *new_call(struct turn *t, enum llm_role role, const char *system)
{
	struct llm_call *call = arena_alloc(t->arena, sizeof(*call));
	char hash[HASH_HEX_BYTES];
	const char *who = arena_printf(t->arena, "%s\x1f%s", t->who->tenant, t->who->user);

	hash_sha256_hex(who, strlen(who), hash);
	*call = (struct llm_call){
		.role = role,
		.system = system_block(t, system),
		.system_count = 1,
		.deadline_ms = t->began_ms + t->all->deadline_ms,
		.user_hash = arena_strndup(t->arena, hash, 32),
		.payer = &t->payer,
		.trail = &t->trail,
		.turn_id = t->id.text,
	};
	return call;
}

static void add_date(const struct turn *t, struct buf *b)
{
	char today[DATE_ISO_BYTES];

	date_iso(t->today, today);
	buf_printf(b, "Today is %s.\n", today);
}

/* What the session was about before the messages that are repeated whole. */
static void add_memory(struct turn *t, struct buf *b, bool answers)
{
	const char *text = memory_text(memory_earlier(t), t->who, answers, t->arena);
	const char *between = memory_text(t->between, t->who, answers, t->arena);

	if (*text || *between)
		buf_printf(b, "Earlier in this conversation:\n%s%s%s\n", text,
			   *text && *between ? "\n" : "", between);
}

struct llm_call *prompt_compress(struct turn *t)
{
	struct llm_call *call =
		new_call(t, LLM_ROUTE, prompt_fill(t->may.catalog, "compress", NULL, 0, t->arena));
	struct llm_message *list = arena_alloc(t->arena, sizeof(*list));

	set_message(t, list, LLM_USER,
		    memory_source(memory_earlier(t), t->summary, t->who, t->arena),
		    PROMPT_BYTES_MAX);
	call->messages = list;
	call->message_count = 1;
	call->deadline_ms = clock_mono_ms() + SUMMARY_MODEL_MS;
	return call;
}

static void add_filters(struct buf *b, const char *lead, const json_t *filters)
{
	if (json_object_size(filters) == 0)
		return;
	buf_str(b, lead);
	buf_json(b, filters);
	buf_char(b, '\n');
}

struct llm_call *prompt_supervisor(struct turn *t)
{
	struct prompt_slot slots[3];
	struct llm_call *call;
	struct buf b;

	buf_init(&b, PROMPT_BYTES_MAX);
	slots[0] = (struct prompt_slot){"domains", domain_lines(t, &b)};
	slots[1] = (struct prompt_slot){"tools", tool_lines(t, &b)};
	slots[2] = (struct prompt_slot){"dimensions", dimension_lines(t, &b)};
	call = new_call(t, LLM_ROUTE,
			prompt_fill(t->may.catalog, "supervisor", slots, 3, t->arena));
	call->format = json_own(t->arena, route_schema(&t->may));

	buf_reset(&b);
	add_date(t, &b);
	add_memory(t, &b, false);
	add_filters(&b, "Filters that code has already read, and that stand: ", t->known);
	for (size_t i = 0; t->recovery.done && i < t->result_count; i++)
		buf_printf(&b, "Tried already, and its data did not answer: %s\n",
			   t->results[i]->tool);
	add_filters(&b, "Filters that an earlier question left standing: ",
		    json_object_get(t->standing, "filters"));
	buf_printf(&b, "Question: %s", t->request.content);
	set_messages(t, call, arena_strdup(t->arena, buf_text(&b)));
	buf_deinit(&b);
	return call;
}

/* A choice or an edit answers the question that it belongs to. */
static void add_question(const struct turn *t, struct buf *b)
{
	const char *first = json_string_value(json_object_get(t->spec, "question"));

	if (first && strcmp(first, t->request.content) != 0)
		buf_printf(b, "Question: %s\nThe user then said: %s\n\n", first,
			   t->request.content);
	else
		buf_printf(b, "Question: %s\n\n", t->request.content);
}

/* The end of what is shown, from the beginning of a line. */
static const char *shown_tail(struct turn *t)
{
	const char *text = buf_text(&t->answer);
	size_t n = t->answer.n, from = n > SHOWN_TAIL_BYTES ? n - SHOWN_TAIL_BYTES : 0;

	while (from > 0 && from < n && text[from - 1] != '\n')
		from++;
	if (from == n && n > SHOWN_TAIL_BYTES) /* one long line */
		from = n - SHOWN_TAIL_BYTES;
	while (from < n && ((unsigned char)text[from] & 0xC0) == 0x80)
		from++;
	return arena_strndup(t->arena, text + from, n - from);
}

struct llm_call *prompt_rewrite(struct turn *t, const struct guard_doubt *d)
{
	struct llm_call *call =
		new_call(t, LLM_ANSWER, prompt_fill(t->may.catalog, "rewrite", NULL, 0, t->arena));
	struct llm_message *list = arena_alloc(t->arena, sizeof(*list));
	int64_t late = clock_mono_ms() + REWRITE_MS;
	struct buf b;

	buf_init(&b, PROMPT_BYTES_MAX);
	add_date(t, &b);
	add_question(t, &b);
	for (size_t i = 0; i < t->result_count; i++)
		view_prompt(&b, t->results[i], PROMPT_ROWS);
	buf_printf(&b,
		   "Shown so far:\n%s\n\nWhat was to follow:\n%.*s\n\nNot supported by the "
		   "results: %s\n",
		   shown_tail(t), (int)d->len, d->text, d->numbers);
	set_message(t, list, LLM_USER, arena_strdup(t->arena, buf_text(&b)), PROMPT_BYTES_MAX);
	buf_deinit(&b);
	call->messages = list;
	call->message_count = 1;
	call->max_tokens = REWRITE_TOKENS_MAX;
	if (late < call->deadline_ms)
		call->deadline_ms = late;
	return call;
}

struct llm_call *prompt_answer(struct turn *t)
{
	struct llm_call *call = new_call(
		t, LLM_ANSWER, prompt_fill(t->may.catalog, "synthesizer", NULL, 0, t->arena));
	struct buf b;

	buf_init(&b, PROMPT_BYTES_MAX);
	add_date(t, &b);
	add_memory(t, &b, true);
	add_question(t, &b);
	if (t->result_count == 0)
		buf_str(&b, "No data was gathered: the question is not about the data, or nothing "
			    "fits it.\n");
	for (size_t i = 0; i < t->result_count; i++)
		view_prompt(&b, t->results[i], PROMPT_ROWS);
	if (t->recovery.offered)
		buf_str(&b, recover_offer);
	set_messages(t, call, arena_strdup(t->arena, buf_text(&b)));
	buf_deinit(&b);
	return call;
}
