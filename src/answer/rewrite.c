/*
 * Asks the model to rewrite a sentence that failed the number check, and the first sentence that
 * reports passages without a citation. The call has the results but no tools. The reply passes the
 * same check. If the call fails, is late or is wrong again, the unbound numbers are withheld.
 */
#include "answer_int.h"

#include <string.h>

#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/stream.h"

/* ---- the reply ---- */

static struct str after_last(struct str text, char c)
{
	for (size_t i = text.n; i-- > 0;)
		if (text.p[i] == c)
			return (struct str){text.p + i + 1, text.n - i - 1};
	return text;
}

/* The last sentence of the line, or the whole line if it has only one. */
static struct str last_sentence(struct str line)
{
	for (size_t i = line.n; i-- > 1;)
		if (line.p[i] == ' ' && strchr(".!?", line.p[i - 1]) && i + 1 < line.n)
			return (struct str){line.p + i + 1, line.n - i - 1};
	return line;
}

static bool skip(struct str *text, struct str words)
{
	words = str_trim(words);
	if (words.n == 0 || !str_starts(*text, words))
		return false;
	text->p += words.n;
	text->n -= words.n;
	return true;
}

/* The first line of the reply, without the start of it that is already shown. */
static struct str rest_of(struct str reply, struct str shown)
{
	struct str line = after_last(shown, '\n'), text = str_trim(reply), rest;

	rest = text;
	str_split(&rest, '\n', &text);
	if (!skip(&text, line))
		skip(&text, last_sentence(line));
	return str_trim(text);
}

/* Where the trailing spaces and line ends begin. */
static const char *end_of(const char *text, size_t len)
{
	while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == '\n'))
		len--;
	return text + len;
}

static size_t blanks_of(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && (text[n] == ' ' || text[n] == '\n'))
		n++;
	return n;
}

/* ---- the call ---- */

static void on_text(void *owner, const char *text, size_t len)
{
	struct answer_turn *t = owner;

	buf_add(&t->answer->rewrite.text, text, len);
}

static void on_end(void *owner, const struct llm_answer *answer, bool shown, const struct err *e)
{
	struct answer_turn *t = owner;
	struct turn_rewrite *r = &t->answer->rewrite;
	struct str text = {"", 0};

	(void)shown;
	r->op = NULL;
	answer_add_usage(t, LLM_ANSWER, &answer->usage);
	if (!e && answer->stop == LLM_STOP_END && !buf_over(&r->text))
		text = rest_of((struct str){buf_text(&r->text), r->text.n},
			       stream_text(t->core->log));
	if (text.n > 0)
		text = str_of(
			arena_printf(t->core->arena, "%s%s%s", r->blanks,
				     check_plain(t, arena_strndup(t->core->arena, text.p, text.n)),
				     r->separator));
	else
		log_info("turn.rewrite", "%s: sentence not rewritten: %s", t->core->id.text,
			 e ? e->text : llm_stop_name(answer->stop));
	if (t->answer->cites && text.n > 0)
		text = str_of(cites_marked(t->answer->cites,
					   arena_strndup(t->core->arena, text.p, text.n),
					   r->uncited));
	guard_numbers_rewrite(t->answer->numbers, text.p, text.n);
	t->core->operations.ended(t->core->operations.turn);
}

static void on_deferred(void *owner)
{
	static const struct llm_handler handler = {.on_text = on_text, .on_end = on_end};
	struct answer_turn *t = owner;

	t->answer->rewrite.op =
		llm_start(t->options->llm, t->answer->rewrite.call, t->core->arena, &handler, t);
}

void rewrite_cancel(struct answer_turn *t)
{
	deferred_cancel(&t->answer->rewrite.deferred);
	op_cancel(&t->answer->rewrite.op);
}

/* Runs inside a callback of the answer's transfer, where no other transfer may start, so the call
 * is deferred. */
bool rewrite_ask(void *owner, const struct guard_unbound *d)
{
	struct answer_turn *t = owner;
	struct turn_rewrite *r = &t->answer->rewrite;

	if (!r->allowed || r->made == REWRITES_MAX || t->answer->log_full ||
	    !answer_may_ask_model(t))
		return false;
	r->made++;
	r->uncited = d->uncited;
	r->blanks = arena_strndup(t->core->arena, d->text, blanks_of(d->text, d->len));
	r->separator = arena_strndup(t->core->arena, end_of(d->text, d->len),
				     d->len - (size_t)(end_of(d->text, d->len) - d->text));
	buf_deinit(&r->text);
	buf_init(&r->text, SENTENCE_BYTES_MAX);
	answer_emit_phase(t, "checking", turn_sentence(t->core, SAY_PHASE_CHECKING));
	t->core->operations.began(t->core->operations.turn);
	answer_count_calls(t, LLM_ANSWER, 1);
	r->call = prompt_rewrite(t, d);
	loop_defer(t->core->loop, &r->deferred, on_deferred, t);
	return true;
}
