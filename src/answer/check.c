/*
 * Four checks of the answer's text before it is shown: drop leaked prompts, remove links to unknown
 * hosts, verify citations and quotations, and compare numbers with the data. Text of models and of
 * templates passes the same checks.
 */
#include "answer_int.h"

#include <string.h>

#include "vesper/prompt.h"
#include "vesper/stream.h"

/* ---- hosts ---- */

/* The host of a URL: "app.powerbi.com" in "https://app.powerbi.com/groups/…". */
static const char *host_of(struct answer_turn *t, const char *url)
{
	const char *host = strstr(url, "://");

	return host ? arena_strndup(t->core->arena, host + 3, strcspn(host + 3, "/?#")) : NULL;
}

static const char *const *allowed_hosts(struct answer_turn *t)
{
	const struct catalog *c = t->core->may.catalog;
	const char *const *more = t->options->link_hosts;
	size_t n = 0, count = 0;
	const char **hosts;

	while (more && more[n])
		n++;
	hosts = arena_alloc(t->core->arena, (n + c->report_count + 1) * sizeof(*hosts));
	for (size_t i = 0; i < n; i++)
		hosts[count++] = more[i];
	for (size_t i = 0; i < c->report_count; i++) {
		hosts[count] = host_of(t, c->reports[i].url);
		count += hosts[count] != NULL;
	}
	hosts[count] = NULL;
	return hosts;
}

/* The fixed values of all dimensions. */
static const char *const *const *fixed_values(struct answer_turn *t)
{
	const struct catalog *c = t->core->may.catalog;
	const char *const **lists =
		arena_alloc(t->core->arena, (c->dimension_count + 1) * sizeof(*lists));
	size_t count = 0;

	for (size_t i = 0; i < c->dimension_count; i++)
		if (c->dimensions[i].values)
			lists[count++] = c->dimensions[i].values;
	return lists;
}

/* ---- the chain of checks ---- */

static void on_unquoted(void *owner, const char *text, size_t len)
{
	struct answer_turn *t = owner;

	guard_links_feed(t->answer->link_check, text, len);
}

static void on_unlinked(void *owner, const char *text, size_t len)
{
	struct answer_turn *t = owner;

	if (t->answer->cites)
		cites_feed(t->answer->cites, text, len);
	else
		guard_numbers_feed(t->answer->numbers, text, len);
}

static void on_answer_chunk(void *owner, const struct guard_chunk *chunk)
{
	answer_emit_checked(owner, chunk);
}

static struct guard_input numbers_input(struct answer_turn *t)
{
	return (struct guard_input){
		.results = (const struct result *const *)t->work->results,
		.result_count = t->work->result_count,
		.units = &t->core->may.catalog->units,
		.values = fixed_values(t),
		.question = t->core->request.content,
		.today = t->core->today,
		.policy = t->options->numbers,
		.sink = {on_answer_chunk, rewrite_ask, t},
	};
}

static void open_checks(struct answer_turn *t)
{
	const struct guard_input in = numbers_input(t);

	t->answer->leakage = guard_leakage_new(t->prompts, on_unquoted, t);
	t->answer->link_check = guard_links_new(allowed_hosts(t), on_unlinked, t);
	t->answer->cites = cites_new(t);
	t->answer->numbers = guard_numbers_new(&in);
}

void check_begin(struct answer_turn *t)
{
	t->answer->checked.on = true;
}

void check_text(struct answer_turn *t, const char *text, size_t len)
{
	if (!t->answer->numbers)
		open_checks(t);
	guard_leakage_feed(t->answer->leakage, text, len);
}

void check_flush(struct answer_turn *t)
{
	if (!t->answer->numbers)
		return;
	guard_leakage_end(t->answer->leakage);
	guard_links_end(t->answer->link_check);
	if (t->answer->cites)
		cites_end(t->answer->cites);
	if (stream_text(t->core->log).n > 0 || guard_numbers_waiting(t->answer->numbers))
		guard_numbers_end(t->answer->numbers);
}

void check_end(struct answer_turn *t)
{
	guard_leakage_free(&t->answer->leakage);
	guard_links_free(&t->answer->link_check);
	cites_close(t->answer->cites);
	guard_numbers_free(&t->answer->numbers);
}

/* ---- checking a complete text ---- */

static void add(void *owner, const char *text, size_t len)
{
	buf_add(owner, text, len);
}

const char *check_plain(struct answer_turn *t, const char *text)
{
	struct guard_leakage *leakage;
	struct buf out;
	const char *plain;

	buf_init(&out, strlen(text) + 64);
	leakage = guard_leakage_new(t->prompts, add, &out);
	guard_leakage_feed(leakage, text, strlen(text));
	guard_leakage_end(leakage);
	guard_leakage_free(&leakage);
	plain = guard_links_plain(allowed_hosts(t), buf_text(&out), out.n, t->core->arena);
	buf_deinit(&out);
	return plain;
}

bool check_template(struct answer_turn *t, const struct view_answer *made)
{
	const struct guard_input in = numbers_input(t);
	const char *plain = check_plain(t, made->markdown);
	const struct guard_generated_text all = {.text = plain,
						 .len = strlen(plain),
						 .parts = made->parts,
						 .part_count = made->part_count,
						 .arena = t->core->arena};

	for (size_t i = 0; i < t->work->result_count; i++)
		if (t->work->results[i]->passages.count > 0)
			return false; /* citations are marks in the stream */
	/* If a check removed text, the offsets of the parts no longer match. */
	return strcmp(plain, made->markdown) == 0 && guard_generated_pass(&in, &all);
}

/* ---- prompts ---- */

struct guard_secret *check_prompts(const struct catalog *c)
{
	static const struct prompt_slot slots[] = {{"domains", ""}};
	struct arena *a = arena_new(1 << 20);
	const char *texts[] = {prompt_fill(c, "synthesizer", NULL, 0, a),
			       prompt_fill(c, "rewrite", NULL, 0, a),
			       prompt_fill(c, "compress", NULL, 0, a),
			       prompt_fill(c, "agent", NULL, 0, a),
			       prompt_fill(c, "supervisor", slots, 1, a),
			       prompt_fill(c, "guardrail", slots, 1, a),
			       prompt_fill(c, "planner", NULL, 0, a),
			       prompt_fill(c, "citations", NULL, 0, a),
			       NULL};
	struct guard_secret *secret = guard_secret_new(texts);

	arena_free(&a);
	return secret;
}
