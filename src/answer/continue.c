/*
 * Continues an answer whose model or replica failed after its first word, with another model or
 * with a template. Text shown so far is kept, open Markdown marks are closed, and sentences that
 * repeat shown ones are dropped.
 */
#include "answer_int.h"

#include <string.h>

#include "vesper/clock.h"
#include "vesper/hash.h"
#include "vesper/limits.h"
#include "vesper/stream.h"
#include "vesper/utf8.h"

#define WORDS_MAX    256 /* words per sentence; further words are ignored */
#define SAME_PERCENT 80  /* minimum share of common words in repeated sentences */
#define SAME_NUMBERS 50  /* same, when all numbers are equal too */

/* ---- sentences ---- */

struct word_set {
	uint64_t hashes[WORDS_MAX];
	bool number[WORDS_MAX];
	size_t count, numbers;
};

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (unsigned char)c >= 0x80;
}

static bool has(const struct word_set *w, uint64_t hash)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->hashes[i] == hash)
			return true;
	return false;
}

/* FNV-1a, case-insensitive. A point or comma inside a number belongs to the word. */
static size_t word_at(struct str s, size_t i, uint64_t *hash, bool *number)
{
	*hash = UINT64_C(14695981039346656037);
	*number = false;
	for (; i < s.n; i++) {
		bool digit = s.p[i] >= '0' && s.p[i] <= '9';
		bool inside = (s.p[i] == '.' || s.p[i] == ',') && *number && i + 1 < s.n &&
			      s.p[i + 1] >= '0' && s.p[i + 1] <= '9';
		char c = s.p[i] >= 'A' && s.p[i] <= 'Z' ? (char)(s.p[i] | 0x20) : s.p[i];

		if (!is_word(s.p[i]) && !inside)
			break;
		*number = *number || digit;
		*hash = (*hash ^ (unsigned char)c) * UINT64_C(1099511628211);
	}
	return i;
}

static struct word_set words_of(struct str s)
{
	struct word_set w = {.count = 0};

	for (size_t i = 0; i < s.n && w.count < WORDS_MAX;) {
		uint64_t hash;
		bool number;

		if (!is_word(s.p[i])) {
			i++;
			continue;
		}
		i = word_at(s, i, &hash, &number);
		if (has(&w, hash))
			continue;
		w.hashes[w.count] = hash;
		w.number[w.count++] = number;
		w.numbers += number;
	}
	return w;
}

static bool has_same_words(const struct word_set *a, const struct word_set *b)
{
	size_t both = 0, numbers = 0, percent;

	for (size_t i = 0; i < a->count; i++)
		if (has(b, a->hashes[i])) {
			both++;
			numbers += a->number[i];
		}
	percent = both * 100 / (a->count + b->count - both);
	return numbers == a->numbers && percent >= (a->numbers > 0 ? SAME_NUMBERS : SAME_PERCENT);
}

/* The end of the first sentence; 0: it is incomplete. */
static size_t sentence_end(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\n')
			return i + 1;
		if ((s.p[i] == '.' || s.p[i] == '!' || s.p[i] == '?') && i + 1 < s.n &&
		    (s.p[i + 1] == ' ' || s.p[i + 1] == '\n'))
			return i + 2;
	}
	return s.n >= SENTENCE_BYTES_MAX ? s.n : 0;
}

bool answer_repeats(struct str shown, struct str sentence)
{
	struct word_set w = words_of(sentence);

	if (w.count == 0)
		return false; /* only punctuation and blanks */
	while (shown.n > 0) {
		size_t end = sentence_end(shown);
		size_t n = end ? end : shown.n;
		struct word_set before = words_of((struct str){shown.p, n});

		if (before.count > 0 && has_same_words(&w, &before))
			return true;
		shown = (struct str){shown.p + n, shown.n - n};
	}
	return false;
}

/* ---- marks left open at the end of the text ---- */

static bool is_odd(struct str s, const char *mark)
{
	size_t len = strlen(mark), count = 0;

	for (size_t i = 0; i + len <= s.n; i++)
		if (memcmp(s.p + i, mark, len) == 0) {
			count++;
			i += len - 1;
		}
	return count % 2 == 1;
}

const char *answer_closing_marks(struct str shown, struct arena *a)
{
	size_t from = shown.n, end = shown.n;
	struct str line;
	bool fence = is_odd(shown, "```"), row;
	char last;

	while (end > 0 && (shown.p[end - 1] == ' ' || shown.p[end - 1] == '\n'))
		end--;
	if (end == 0)
		return "";
	while (from > 0 && shown.p[from - 1] != '\n')
		from--;
	line = (struct str){shown.p + from, shown.n - from};
	last = shown.p[end - 1];
	row = line.n > 0 && line.p[0] == '|' && last != '|';
	return arena_printf(a, "%s%s%s%s%s\n\n", line.n == 0 || strchr(".!?:|", last) ? "" : "…",
			    !fence && is_odd(line, "**") ? "**" : "",
			    !fence && is_odd(line, "`") ? "`" : "", row ? " |" : "",
			    fence ? "\n```" : "");
}

/* ---- new content of templates ---- */

/* True when the text has each number of the sentence. */
static bool numbers_are_shown(struct str shown, const struct word_set *w)
{
	size_t found = 0;
	bool seen[WORDS_MAX] = {false};

	for (size_t i = 0; i < shown.n;) {
		uint64_t hash;
		bool number;

		if (!is_word(shown.p[i])) {
			i++;
			continue;
		}
		i = word_at(shown, i, &hash, &number);
		for (size_t k = 0; number && k < w->count; k++)
			if (!seen[k] && w->number[k] && w->hashes[k] == hash) {
				seen[k] = true;
				found++;
			}
	}
	return w->numbers > 0 && found == w->numbers;
}

const char *answer_missing_text(struct str shown, const char *made, struct arena *a)
{
	struct str rest = str_of(made);
	struct buf out;
	const char *text;

	buf_init(&out, SIZE_MAX / 2);
	while (rest.n > 0) {
		size_t end = sentence_end(rest), n = end ? end : rest.n;
		struct word_set w = words_of((struct str){rest.p, n});

		/* Table rows are skipped: the table is shown as a view. */
		if (w.count > 0 && rest.p[0] != '|' && !numbers_are_shown(shown, &w) &&
		    !answer_repeats(shown, (struct str){rest.p, n}))
			buf_add(&out, rest.p, n);
		rest = (struct str){rest.p + n, rest.n - n};
	}
	text = arena_strndup(a, out.n ? out.p : "", out.n);
	buf_deinit(&out);
	return text;
}

/* ---- continuing ---- */

/* Emits connecting text of code: shown and counted, but not checked. */
static void emit_unchecked(struct answer_turn *t, const char *text)
{
	answer_emit_text(t, text, strlen(text));
	t->answer->checked.chars += utf8_count(text, strlen(text));
}

static void count_marks(struct answer_turn *t)
{
	struct event e;

	for (uint64_t seq = 1; seq <= stream_last_seq(t->core->log); seq++) {
		if (stream_kind(t->core->log, seq) != EVENT_TEXT_DELTA)
			continue;
		stream_event(t->core->log, seq, &e);
		for (enum guard_kind kind = 0; e.u.text_delta.marked && kind <= GUARD_UNCHECKED;
		     kind++)
			if (strcmp(guard_kind_name(kind), e.u.text_delta.mark.kind) == 0)
				t->answer->checked.count[kind]++;
	}
}

void answer_resume(struct answer_turn *t)
{
	struct str shown = stream_text(t->core->log);

	t->answer->continued.resumed =
		shown.n > 0 ? arena_strndup(t->core->arena, shown.p, shown.n) : "";
	t->answer->checked.chars = utf8_count(shown.p, shown.n);
	count_marks(t);
}

struct str answer_shown_before(const struct answer_turn *t)
{
	return str_of(t->answer->continued.resumed);
}

bool answer_emit_rest(struct answer_turn *t, const char *text,
		      void (*say)(struct answer_turn *t, const char *text, size_t len))
{
	struct str shown = answer_shown_before(t);

	if (!str_starts(str_of(text), shown))
		return false;
	answer_emit_in_chunks(t, text + shown.n, say);
	return true;
}

bool answer_emit_missing_findings(struct answer_turn *t)
{
	struct str shown = stream_text(t->core->log);
	const char *missing = "";

	for (size_t i = 0; i < t->work->result_count && !*missing; i++)
		if (t->work->results[i]->outcome.kind == OUTCOME_ROWS)
			missing = answer_missing_text(shown, t->answer->templated.markdown,
						      t->core->arena);
	if (!*missing || t->answer->log_full || t->answer->cut)
		return false;
	emit_unchecked(t, answer_closing_marks(shown, t->core->arena));
	emit_unchecked(t, turn_sentence(t->core, SAY_END_REST));
	emit_unchecked(t, "\n\n");
	t->answer->rewrite.allowed = false;
	answer_emit_in_chunks(t, missing, check_text);
	check_flush(t);
	check_end(t);
	answer_written_by(t, "rules", NULL);
	return true;
}

bool answer_may_continue(const struct answer_turn *t)
{
	const struct turn_answer *a = t->answer;
	int64_t until = t->core->began_ms + t->options->deadline_ms;

	return a->continued.count < LLM_CONTINUE_MAX && !a->cut && !a->log_full &&
	       until - clock_mono_ms() >= LLM_CONTINUE_LEFT_MS && a->provider &&
	       llm_is_usable_except(t->options->llm, a->provider) && !answer_budget_used_up(t);
}

struct llm_call *answer_continue(struct answer_turn *t)
{
	struct turn_answer *a = t->answer;
	struct str shown = stream_text(t->core->log);
	const char *marks = answer_closing_marks(shown, t->core->arena);
	const char *failed = a->provider;

	/* Copied before the log's buffer is reallocated. */
	a->continued.shown = shown.n > 0 ? arena_strndup(t->core->arena, shown.p, shown.n) : "";
	emit_unchecked(t, marks);
	a->continued.count++;
	buf_deinit(&a->continued.held);
	buf_init(&a->continued.held, 2 * SENTENCE_BYTES_MAX);
	a->written = false;
	a->no_answer.offered = false;
	answer_count_calls(t, LLM_ANSWER, 1);
	return prompt_continue(t, a->continued.shown, failed);
}

static void pass(struct answer_turn *t, struct str sentence)
{
	if (!answer_repeats(str_of(t->answer->continued.shown), sentence))
		check_text(t, sentence.p, sentence.n);
}

void continue_text(struct answer_turn *t, const char *text, size_t len)
{
	struct buf *held = &t->answer->continued.held;

	while (len > 0) {
		size_t room = SENTENCE_BYTES_MAX - held->n, n = len < room ? len : room, end;

		buf_add(held, text, n);
		text += n;
		len -= n;
		while ((end = sentence_end((struct str){held->p, held->n})) > 0) {
			pass(t, (struct str){held->p, end});
			memmove(held->p, held->p + end, held->n - end);
			buf_cut(held, held->n - end);
		}
	}
}

void continue_rest(struct answer_turn *t)
{
	struct buf *held = &t->answer->continued.held;

	if (held->n > 0)
		pass(t, (struct str){held->p, held->n});
	buf_cut(held, 0);
}
