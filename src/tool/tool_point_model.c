/*
 * Classifies values with a model. It gets those with the largest measure as numbered lines, in
 * calls without tools, and answers with numbers only. An answer is invalid if an entry is not a
 * number, is not the number of a line, or occurs twice. The model is then asked once more, and
 * after that the lines are dropped.
 *
 * A result is cached under a hash of the values, the words, the model's name and the prompt, so
 * that the same question gets the same result.
 */
#include "tool_point_int.h"

#include <string.h>

#include "vesper/cache.h"
#include "vesper/hash.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/metric.h"
#include "vesper/prompt.h"
#include "vesper/utf8.h"

#define YES   "yes"
#define MAYBE "maybe"

static const struct metric answers = {
	.name = "vesper_point_answers_total",
	.help = "Model answers that classify values, by outcome.",
	.labels = {"outcome"},
};

/* ---- reading an answer ---- */

static const char *member_name(const struct classification *p, size_t i)
{
	static const char *const classes[CLASSIFY_CLASSES_MAX] = {"1", "2", "3", "4",  "5",  "6",
								  "7", "8", "9", "10", "11", "12"};

	if (p->is_list)
		return classes[i];
	return i == 0 ? YES : MAYBE;
}

static size_t member_count(const struct classification *p)
{
	return p->is_list ? p->result.class_count : 2;
}

static unsigned char class_of(const struct classification *p, size_t member)
{
	return !p->is_list && member == 1 ? CLASS_MAYBE : (unsigned char)(member + 1);
}

/* Stores the lines of one list. NULL: the list is valid. Otherwise the reason, which never contains
 * the model's text. */
static const char *read_lines(const struct classification *p, const json_t *list,
			      unsigned char class, unsigned char *value_class)
{
	const json_t *line;
	size_t i;

	if (!json_is_array(list))
		return "a list is missing";
	json_array_foreach((json_t *)list, i, line) {
		json_int_t n = json_integer_value(line);

		if (!json_is_integer(line))
			return "a list entry is not a line number";
		if (n < 1 || (size_t)n > p->count)
			return "a number is not the number of a line";
		if (value_class[n - 1] != CLASS_NONE)
			return "a line number occurs twice";
		value_class[n - 1] = class;
	}
	return NULL;
}

static const char *read_answer(const struct classification *p, const json_t *root,
			       unsigned char *value_class)
{
	const char *invalid = NULL;

	if (!json_is_object(root))
		return "the answer is not an object";
	if (json_object_size(root) != member_count(p))
		return "the lists are not the requested ones";
	for (size_t i = 0; i < member_count(p) && !invalid; i++)
		invalid = read_lines(p, json_object_get(root, member_name(p, i)), class_of(p, i),
				     value_class);
	return invalid;
}

/* ---- asking the model ---- */

static const char *prompt_of(const struct tool_call *call)
{
	return prompt_fill(call->box->options.catalog, "points", NULL, 0, call->arena);
}

static const json_t *format_of(struct classification *p)
{
	json_t *members = json_object(), *names = json_array();

	for (size_t i = 0; i < member_count(p); i++) {
		const char *member = member_name(p, i);

		json_push_take(names, json_str(member));
		json_object_set_new(members, member,
				    json_make({"type", json_str("array")},
					      {"items", json_make({"type", json_str("integer")})}));
	}
	return json_own(p->call->arena,
			json_make({"type", json_str("object")}, {"properties", members},
				  {"required", names}, {"additionalProperties", json_false()}));
}

/* Quotes a text so that it cannot close the element around it. */
static void write_quoted(struct buf *b, const char *text)
{
	struct buf quoted;

	buf_init(&quoted, 8 * CLASSIFY_VALUE_BYTES + 8 * TEXT_ARG_BYTES_MAX);
	buf_json_str(&quoted, text, utf8_cut(text, strlen(text), CLASSIFY_VALUE_BYTES));
	for (const char *c = buf_text(&quoted); *c; c++)
		if (*c == '<')
			buf_str(b, "\\u003c");
		else
			buf_char(b, *c);
	buf_deinit(&quoted);
}

static const char *message_of(const struct classification *p)
{
	const char *text;
	struct buf b;

	buf_init(&b, LLM_REQUEST_BYTES_MAX);
	if (p->is_list) {
		buf_str(&b, "Classes:\n");
		for (size_t i = 0; i < p->result.class_count; i++) {
			buf_printf(&b, "%zu: ", i + 1);
			write_quoted(&b, p->classes[i]);
			buf_char(&b, '\n');
		}
	} else {
		buf_str(&b, "Description: ");
		write_quoted(&b, p->classes[0]);
		buf_char(&b, '\n');
	}
	buf_str(&b, "<data>\n");
	for (size_t i = 0; i < p->count; i++) {
		buf_printf(&b, "%zu: ", i + 1);
		write_quoted(&b, p->values[p->from + i]);
		buf_char(&b, '\n');
	}
	buf_str(&b, "</data>");
	if (p->invalid)
		buf_printf(&b, "\nAgain: %s", p->invalid);
	text = arena_strdup(p->call->arena, buf_text(&b));
	buf_deinit(&b);
	return text;
}

static void ask_batch(struct classification *p);

static void cache_classes(const struct classification *p)
{
	const struct tool_call *call = p->call;

	for (size_t i = 0; i < p->result.count; i++)
		if (p->value_class[i] == CLASS_DROPPED)
			return; /* the next call may get more */
	if (call->box->options.cache)
		cache_set(call->box->options.cache, (struct cache_key){call->who->tenant, p->key},
			  p->value_class, p->result.count, CLASSIFY_CACHE_MS);
}

/* Continues with the next batch, or with the totals. */
static void next_batch(struct classification *p)
{
	p->from += p->count;
	p->corrected = false;
	p->invalid = NULL;
	if (p->from < p->result.count) {
		ask_batch(p);
		return;
	}
	cache_classes(p);
	classify_measure_classes(p);
}

static void count_answer(const char *outcome)
{
	metric_add(&answers, &outcome, 1);
}

static void on_answer(void *owner, const struct llm_answer *answer, bool shown, const struct err *e)
{
	struct classification *p = owner;
	struct tool_call *call = p->call;
	const char *text;
	json_t *root = NULL;

	(void)shown;
	call->query = NULL;
	if (call->model.used)
		call->model.used(call->model.owner, &answer->usage);
	if (e) {
		log_warn("tool.points", "%s: %s", call->tool->name, e->text);
		count_answer("failed");
		p->result.failed = true;
		classify_by_words(p);
		return;
	}
	text = llm_answer_text(answer, call->arena);
	memset(p->value_class + p->from, CLASS_NONE, p->count);
	if (!json_parse(text, strlen(text), LLM_TOOL_INPUT_BYTES_MAX, &root, NULL))
		root = NULL;
	p->invalid = read_answer(p, root, p->value_class + p->from);
	json_decref(root);
	count_answer(!p->invalid ? "used" : p->corrected ? "dropped" : "corrected");
	if (p->invalid)
		log_warn("tool.points", "%s: %s", call->tool->name, p->invalid);
	if (p->invalid && !p->corrected) {
		p->corrected = true;
		ask_batch(p);
		return;
	}
	if (p->invalid)
		memset(p->value_class + p->from, CLASS_DROPPED, p->count);
	next_batch(p);
}

static void ask_batch(struct classification *p)
{
	static const struct llm_handler handler = {.on_end = on_answer};
	struct tool_call *call = p->call;
	size_t left = p->result.count - p->from;
	struct llm_block *system = arena_alloc(call->arena, sizeof(*system));
	struct llm_block *user = arena_alloc(call->arena, sizeof(*user));
	struct llm_message *message = arena_alloc(call->arena, sizeof(*message));

	p->count = left < CLASSIFY_BATCH_LINES ? left : CLASSIFY_BATCH_LINES;
	*system = (struct llm_block){.kind = LLM_TEXT, .text = prompt_of(call), .cache = true};
	*user = (struct llm_block){.kind = LLM_TEXT, .text = message_of(p)};
	*message = (struct llm_message){.speaker = LLM_USER, .blocks = user, .count = 1};
	call->query = llm_start(call->model.llm,
				&(struct llm_call){.role = LLM_ROUTE,
						   .system = system,
						   .system_count = 1,
						   .messages = message,
						   .message_count = 1,
						   .format = format_of(p),
						   .max_tokens = CLASSIFY_TOKENS_MAX,
						   .deadline_ms = call->model.deadline_ms,
						   .budget_owner = call->model.budget_owner,
						   .turn_id = call->turn_id,
						   .trail = call->model.trail},
				call->arena, &handler, p);
}

static bool may_ask(const struct tool_call *call)
{
	const struct tool_model *m = &call->model;

	return llm_is_usable(m->llm) &&
	       (!m->budget_owner || llm_is_affordable(m->llm, m->budget_owner, LLM_ROUTE));
}

/* ---- the cache ---- */

static const char *key_of(const struct classification *p)
{
	char hash[HASH_HEX_BYTES];
	const struct tool_call *call = p->call;
	const char *prompt = prompt_of(call), *model = llm_model(call->model.llm, LLM_ROUTE);
	struct buf b;

	buf_init(&b, SIZE_MAX);
	buf_printf(&b, "%s\n%s\n%zu:%s", p->is_list ? "classes" : "description", model ? model : "",
		   strlen(prompt), prompt);
	for (size_t i = 0; i < p->result.class_count; i++)
		buf_printf(&b, "\n%zu:%s", strlen(p->classes[i]), p->classes[i]);
	for (size_t i = 0; i < p->result.count; i++)
		buf_printf(&b, "\n%zu=%s", strlen(p->values[i]), p->values[i]);
	hash_sha256_hex(b.p, b.n, hash);
	buf_deinit(&b);
	return arena_printf(call->arena, "points:%s", hash);
}

static bool is_valid_entry(const struct classification *p, struct str found)
{
	if (!found.p || found.n != p->result.count)
		return false;
	for (size_t i = 0; i < found.n; i++) {
		unsigned char class = (unsigned char)found.p[i];

		if (class > p->result.class_count && !(class == CLASS_MAYBE && !p->is_list))
			return false;
	}
	return true;
}

static void on_found(void *owner, struct str found)
{
	struct classification *p = owner;

	p->call->query = NULL;
	if (is_valid_entry(p, found)) {
		memcpy(p->value_class, found.p, found.n);
		p->result.by_model = true;
		classify_measure_classes(p);
	} else if (may_ask(p->call)) {
		p->result.by_model = true;
		ask_batch(p);
	} else {
		p->result.failed = llm_can_answer(p->call->model.llm);
		classify_by_words(p);
	}
}

void classify_by_model(struct classification *p)
{
	struct cache *cache = p->call->box->options.cache;

	p->key = key_of(p);
	if (cache)
		p->call->query = cache_get(cache, (struct cache_key){p->call->who->tenant, p->key},
					   on_found, p);
	else
		on_found(p, (struct str){0});
}
