/*
 * Token budget of all data in a prompt. In the common case everything fits: it is rendered once and
 * counted. Only otherwise are items reduced one by one.
 */
#include "vesper/prompt_budget.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/tokens.h"
#include "view_int.h"

#define WORK_ARENA_BYTES  (8 * 1024 * 1024)
#define PART_BYTES_MAX    (512 * 1024)
#define SAMPLE_TOKENS_MIN 300 /* tokens that a sample keeps while other parts can be omitted */
#define FIT_ROUNDS_MAX    8 /* sizes are assigned by estimates, then the rendered text is counted */
#define SIZE_UNLIMITED    SIZE_MAX

struct item {
	const char *name; /* of an optional note */
	const char *note; /* either note or result is set */
	const struct result *result;
	bool is_dropped;
	enum tokens_part part;
	struct prompt_options options;
	size_t *sizes, *requested_sizes;
	const char *text; /* set by prompt_budget_fit */
	size_t tokens;
};

struct prompt_budget {
	struct arena *arena;
	struct arena *work; /* used while fitting, since text is rendered several times */
	size_t budget, reserved;
	struct item *items;
	size_t count, cap;
	size_t result_count;
	const char **omitted;
	size_t omitted_count, omitted_cap;
	const char *text;
	size_t tokens;
};

struct prompt_budget *prompt_budget_new(struct arena *a, size_t budget_tokens)
{
	struct prompt_budget *s = arena_alloc(a, sizeof(*s));

	*s = (struct prompt_budget){.arena = a, .budget = budget_tokens, .text = ""};
	return s;
}

static struct item *add_item(struct prompt_budget *s)
{
	s->items = arena_grow(s->arena, s->items, s->count, &s->cap, sizeof(*s->items));
	s->items[s->count] = (struct item){.text = "", .part = TOKENS_QUESTION};
	return &s->items[s->count++];
}

void prompt_budget_note(struct prompt_budget *s, const char *text)
{
	add_item(s)->note = text;
}

void prompt_budget_set_category(struct prompt_budget *s, enum tokens_part part)
{
	assert(s->count > 0);
	s->items[s->count - 1].part = part;
}

void prompt_budget_note_optional(struct prompt_budget *s, const char *name, const char *text)
{
	struct item *item = add_item(s);

	item->name = name;
	item->note = text;
	item->part = TOKENS_HISTORY;
}

void prompt_budget_reserve(struct prompt_budget *s, size_t tokens)
{
	s->reserved += tokens;
}

void prompt_budget_gap(struct prompt_budget *s, const char *what)
{
	struct item *item = add_item(s);

	item->note = arena_printf(s->arena, "Not found: %s\n", what);
}

void prompt_budget_result(struct prompt_budget *s, const struct result *r,
			  enum prompt_budget_detail detail, size_t rows)
{
	struct item *item = add_item(s);
	size_t tables = prompt_tables(r);

	s->result_count++;
	item->result = r;
	item->part = TOKENS_RESULTS;
	item->sizes = arena_alloc(s->arena, sizeof(size_t) * (tables + 1));
	item->requested_sizes = arena_alloc(s->arena, sizeof(size_t) * (tables + 1));
	item->options = (struct prompt_options){
		.numbers = detail == PROMPT_BUDGET_NUMBERS, .rows = rows, .sizes = item->sizes};
}

/* ---- rendering ---- */

static size_t tables_of(const struct item *item)
{
	return item->result ? prompt_tables(item->result) : 0;
}

static const char *result_text(struct prompt_budget *s, struct item *item, bool *is_truncated)
{
	const char *text;
	struct buf b;

	item->options.task = s->result_count > 1 && !item->options.numbers;
	buf_init(&b, PART_BYTES_MAX);
	prompt_result(&b, item->result, &item->options);
	text = arena_strndup(s->work, buf_text(&b), b.n);
	*is_truncated = buf_over(&b);
	buf_deinit(&b);
	return text;
}

static void render_item(struct prompt_budget *s, struct item *item)
{
	bool is_truncated = false;

	if (item->is_dropped)
		item->text =
			arena_printf(s->work, "(%s is omitted for lack of space.)\n", item->name);
	else
		item->text = item->result ? result_text(s, item, &is_truncated) : item->note;
	item->tokens =
		is_truncated ? PART_BYTES_MAX : tokens_estimate(item->text, strlen(item->text));
}

static size_t total_tokens(const struct prompt_budget *s)
{
	size_t tokens = s->reserved;

	for (size_t i = 0; i < s->count; i++)
		tokens += s->items[i].tokens;
	return tokens;
}

static bool is_over_budget(const struct prompt_budget *s)
{
	return total_tokens(s) > s->budget;
}

/* ---- omitting ---- */

static void set_sizes(struct item *item, size_t size)
{
	for (size_t k = 0; k < tables_of(item); k++)
		item->sizes[k] = size;
}

static size_t requested_size(struct prompt_budget *s, const struct table *t, size_t rows)
{
	/* The size is large enough that nothing is omitted. */
	const struct view_limits limits = {.rows = rows,
					   .size = SIZE_UNLIMITED - 1,
					   .measure = prompt_cell_tokens,
					   .extremes = true};
	struct view_fit fit;

	view_fit_table(t, &limits, s->work, &fit);
	return fit.size;
}

/* The largest size for which the sum of min(requested size, size) over all samples is within
 * `available`. */
static size_t fair_share(const struct prompt_budget *s, size_t available)
{
	size_t low = 0, high = available;

	while (low < high) {
		size_t size = low + (high - low + 1) / 2, sum = 0;

		for (size_t i = 0; i < s->count; i++)
			for (size_t k = 0; k < tables_of(&s->items[i]); k++)
				sum += s->items[i].requested_sizes[k] < size
					       ? s->items[i].requested_sizes[k]
					       : size;
		if (sum <= available)
			low = size;
		else
			high = size - 1;
	}
	return low;
}

static void resize_samples(struct prompt_budget *s, size_t size)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->items[i].result) {
			set_sizes(&s->items[i], size);
			render_item(s, &s->items[i]);
		}
}

/* Omits rows of the longest samples, but leaves each at least `tokens_min` tokens. False: it is
 * still too long. */
static bool shrink_samples(struct prompt_budget *s, size_t tokens_min)
{
	size_t fixed_tokens, available, size;

	resize_samples(s, 0);
	fixed_tokens = total_tokens(s);
	available = s->budget > fixed_tokens ? s->budget - fixed_tokens : 0;
	for (int round = 0; round < FIT_ROUNDS_MAX; round++) {
		size = fair_share(s, available);
		size = size > tokens_min ? size : tokens_min;
		resize_samples(s, size);
		if (!is_over_budget(s) || size == tokens_min)
			break;
		available -= available / 8 + 1;
	}
	return !is_over_budget(s);
}

static bool drop_notes(struct prompt_budget *s)
{
	for (size_t i = 0; i < s->count && is_over_budget(s); i++)
		if (s->items[i].name && !s->items[i].is_dropped) {
			s->items[i].is_dropped = true;
			render_item(s, &s->items[i]);
		}
	return !is_over_budget(s);
}

static bool reduce_results(struct prompt_budget *s, enum prompt_extent extent)
{
	for (size_t i = 0; i < s->count && is_over_budget(s); i++)
		if (s->items[i].result) {
			s->items[i].options.extent = extent;
			render_item(s, &s->items[i]);
		}
	return !is_over_budget(s);
}

static void shrink_to_budget(struct prompt_budget *s)
{
	for (size_t i = 0; i < s->count; i++)
		for (size_t k = 0; k < tables_of(&s->items[i]); k++)
			s->items[i].requested_sizes[k] = requested_size(
				s, s->items[i].result->tables[k], s->items[i].options.rows);
	if (shrink_samples(s, SAMPLE_TOKENS_MIN))
		return;
	if (drop_notes(s)) {
		shrink_samples(s,
			       SAMPLE_TOKENS_MIN); /* the notes may have freed more than needed */
		return;
	}
	if (shrink_samples(s, 0) || reduce_results(s, PROMPT_EXTENT_FACTS))
		return;
	reduce_results(s, PROMPT_EXTENT_OUTCOME);
}

/* ---- recording omissions ---- */

static void add_omission(struct prompt_budget *s, const char *text)
{
	s->omitted = arena_grow(s->arena, s->omitted, s->omitted_count, &s->omitted_cap,
				sizeof(*s->omitted));
	s->omitted[s->omitted_count++] = text;
}

static void list_sample_omissions(struct prompt_budget *s, const struct item *item, size_t k)
{
	const struct table *t = item->result->tables[k];
	const struct view_limits limits = {.rows = item->options.rows,
					   .size = item->sizes[k],
					   .measure = prompt_cell_tokens,
					   .extremes = true};
	size_t available_rows = t->row_count < limits.rows ? t->row_count : limits.rows;
	struct view_fit fit;

	view_fit_table(t, &limits, s->work, &fit);
	for (size_t c = 0; c < t->column_count; c++)
		if (fit.dropped[c] != VIEW_SHOWN)
			add_omission(s, arena_printf(s->arena, "%s: column %s, %s",
						     item->result->call, t->columns[c].name,
						     fit.dropped[c] == VIEW_DROPPED_SPARSE
							     ? "mostly empty"
							     : "by priority"));
	if (fit.row_count < available_rows)
		add_omission(s, arena_printf(s->arena, "%s: %zu of %zu rows", item->result->call,
					     available_rows - fit.row_count, available_rows));
}

static void list_omissions(struct prompt_budget *s)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct item *item = &s->items[i];

		if (item->is_dropped)
			add_omission(s, item->name);
		else if (item->result && item->options.extent > PROMPT_EXTENT_FULL)
			add_omission(s, arena_printf(s->arena, "%s: %s", item->result->call,
						     item->options.extent == PROMPT_EXTENT_FACTS
							     ? "statistics"
							     : "all but its outcome"));
		for (size_t k = 0;
		     item->options.extent < PROMPT_EXTENT_OUTCOME && k < tables_of(item); k++)
			list_sample_omissions(s, item, k);
	}
}

/* Copies the texts, since the work arena is freed. */
static void copy_texts(struct prompt_budget *s)
{
	struct buf b;

	buf_init(&b, SIZE_MAX / 2);
	for (size_t i = 0; i < s->count; i++) {
		s->items[i].text = arena_strdup(s->arena, s->items[i].text);
		buf_str(&b, s->items[i].text);
	}
	s->text = arena_strndup(s->arena, buf_text(&b), b.n);
	s->tokens = total_tokens(s);
	buf_deinit(&b);
}

void prompt_budget_fit(struct prompt_budget *s)
{
	s->work = arena_new(WORK_ARENA_BYTES);
	s->omitted_count = 0;
	for (size_t i = 0; i < s->count; i++) {
		s->items[i].is_dropped = false;
		s->items[i].options.extent = PROMPT_EXTENT_FULL;
		set_sizes(&s->items[i], SIZE_UNLIMITED);
		render_item(s, &s->items[i]);
	}
	if (is_over_budget(s)) {
		shrink_to_budget(s);
		list_omissions(s);
	}
	copy_texts(s);
	arena_free(&s->work);
}

const char *prompt_budget_text(const struct prompt_budget *s)
{
	return s->text;
}

const char *prompt_budget_result_text(const struct prompt_budget *s, const struct result *r)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->items[i].result == r)
			return s->items[i].text;
	assert(false); /* callers pass results they have added */
	return "";
}

size_t prompt_budget_tokens(const struct prompt_budget *s)
{
	return s->tokens;
}

size_t prompt_budget_omitted_count(const struct prompt_budget *s)
{
	return s->omitted_count;
}

const char *prompt_budget_omitted(const struct prompt_budget *s, size_t i)
{
	assert(i < s->omitted_count);
	return s->omitted[i];
}

void prompt_budget_tokens_by(const struct prompt_budget *s, struct tokens_by *by)
{
	for (size_t i = 0; i < s->count; i++)
		by->of[s->items[i].part] += s->items[i].tokens;
}
