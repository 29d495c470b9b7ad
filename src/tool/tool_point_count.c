/*
 * Counts the values of a frame's first column and sums the metric of each. A worker does it in a
 * separate arena: the rows of a frame are too many for the loop, and their texts for a turn. Only
 * the CLASSIFY_VALUES_MAX largest values are copied into the turn. The frame is moved into the job
 * and back. If the call is cancelled, it stays in the job.
 */
#include "tool_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/frame.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

struct value_count {
	const char *text; /* NULL: not seen yet */
	double weight;
	size_t place;
};

struct count_job {
	struct pool_job job;
	struct op op;
	struct tool_call *call; /* NULL: cancelled */
	count_values_cb then;
	struct frame *frame;
	size_t metric; /* its column */
	struct arena *scratch;
	struct value_count *all; /* the first `count` are returned */
	size_t count, distinct;
};

static int by_weight(const void *a, const void *b)
{
	const struct value_count *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->place > y->place) - (x->place < y->place);
}

/* Rows with the same text are one value, although a key may distinguish them. */
static void add_row(struct count_job *k, size_t row)
{
	const struct frame_column *texts = &k->frame->columns[0];
	const char *text = frame_text(texts, row);
	double weight = frame_number(&k->frame->columns[k->metric], row);
	struct value_count *c;

	if (!text || !*text)
		return;
	c = &k->all[texts->v.code[row]];
	if (!c->text)
		*c = (struct value_count){text, 0, k->distinct++};
	if (weight == weight) /* not NULL */
		c->weight += weight;
}

/* Any thread. */
static void run(struct pool_job *job)
{
	struct count_job *k = (struct count_job *)job;
	size_t words = k->frame->columns[0].word_count;

	k->all = arena_alloc(k->scratch, (words + 1) * sizeof(*k->all));
	for (size_t i = 0; i < k->frame->rows; i++)
		add_row(k, i);
	k->count = 0;
	for (size_t i = 0; i < words; i++)
		if (k->all[i].text)
			k->all[k->count++] = k->all[i];
	qsort(k->all, k->count, sizeof(*k->all), by_weight);
	if (k->count > CLASSIFY_VALUES_MAX)
		k->count = CLASSIFY_VALUES_MAX;
}

static void done(struct pool_job *job)
{
	struct count_job *k = (struct count_job *)job;
	struct tool_call *call = k->call;
	count_values_cb then = k->then;
	size_t count = k->count, distinct = k->distinct;
	const char **values = NULL;

	if (call) {
		values = arena_alloc(call->arena, (count + 1) * sizeof(*values));
		for (size_t i = 0; i < count; i++)
			values[i] = arena_strdup(call->arena, k->all[i].text);
		result_add_frame(call->result, call->arena, k->frame);
		call->query = NULL;
	} else {
		frame_free(&k->frame);
	}
	arena_free(&k->scratch);
	mem_free(k);
	if (call)
		then(call, values, count, distinct);
}

static void on_cancel(struct op *op)
{
	((struct count_job *)((char *)op - offsetof(struct count_job, op)))->call = NULL;
}

void tool_count_values(struct tool_call *call, size_t metric, count_values_cb then)
{
	struct count_job *k = mem_alloc(sizeof(*k));

	assert(call->result->frame_count == 1 && !call->query);
	*k = (struct count_job){.job = {.run = run, .done = done},
				.op = {.cancel = on_cancel},
				.call = call,
				.then = then,
				.frame = call->result->frames[0],
				.metric = metric,
				.scratch = arena_new(CLASSIFY_SCRATCH_BYTES)};
	call->result->frames = NULL;
	call->result->frame_count = 0;
	if (call->box->options.workers) {
		call->query = &k->op;
		pool_submit(call->box->options.workers, &k->job);
	} else {
		run(&k->job);
		done(&k->job);
	}
}
