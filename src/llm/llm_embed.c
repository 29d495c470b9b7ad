/*
 * Embeddings of texts, in sequential requests, each with a budget reservation. Replies are checked:
 * as many vectors as texts, all of one length, all numbers finite.
 */
#include "vesper/embed.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "llm_int.h"
#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/utf8.h"

#define PURPOSE "embed"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the wire's floats are little-endian");

struct embedding {
	struct op op; /* must be the first member */
	struct llm *llm;
	struct arena *arena;
	const char *const *texts;
	size_t count, done, batch; /* batch: size of the current request */
	struct budget_owner budget_owner;
	bool is_charged;
	struct budget_reservation reservation;
	int64_t deadline_ms;
	float *values;
	size_t dims;
	int attempt;
	bool probe;
	struct op *http;
	struct timer *wait;
	struct deferred unsent; /* reports that the request could not be sent */
	struct buf body;
	int status, should_retry;
	int64_t retry_after_ms;
	struct err err;
	embed_cb cb;
	void *owner;
};

const char *embed_model(const struct llm *llm)
{
	return llm && llm->embed.driver ? llm->embed.roles[0].model : NULL;
}

static const struct wire *wire_of(const struct embedding *m)
{
	return m->llm->embed.self;
}

static struct money_call money_of(const struct embedding *m)
{
	return (struct money_call){.budget_owner = m->is_charged ? &m->budget_owner : NULL,
				   .provider = m->llm->embed.name,
				   .model = embed_model(m->llm),
				   .purpose = PURPOSE};
}

static void settle(struct embedding *m, int64_t tokens)
{
	const struct money_call call = money_of(m);
	struct llm_usage used = {.input_tokens = tokens};

	money_settle_call(&m->llm->money, &call, &m->reservation, &used);
	provider_count_usage(&m->llm->embed, &used);
	m->reservation = (struct budget_reservation){0};
}

static void embedding_free(struct embedding *m)
{
	op_cancel(&m->http);
	timer_free(&m->wait);
	deferred_cancel(&m->unsent);
	buf_deinit(&m->body);
	m->llm->running--;
	llm_free(&m->llm);
	mem_free(m);
}

static int64_t batch_tokens(const struct embedding *m)
{
	int64_t tokens = 0;

	for (size_t i = 0; i < m->batch; i++)
		tokens += (int64_t)tokens_estimate(
			m->texts[m->done + i], strnlen(m->texts[m->done + i], EMBED_TEXT_BYTES));
	return tokens;
}

static void on_cancel(struct op *op)
{
	struct embedding *m = (struct embedding *)op;

	if (m->http) {
		breaker_undecided(&m->llm->embed.breaker, m->probe);
		settle(m, batch_tokens(m));
	}
	embedding_free(m);
}

static void finish(struct embedding *m, const struct err *e)
{
	struct err err = e ? *e : (struct err){0};
	const float *values = m->values;
	size_t dims = m->dims;
	embed_cb cb = m->cb;
	void *owner = m->owner;

	embedding_free(m);
	if (err.code != ERR_NONE)
		cb(owner, NULL, 0, &err);
	else
		cb(owner, values, dims, NULL);
}

/* ---- request ---- */

static void write_text(struct buf *out, const char *text, struct arena *a)
{
	size_t n = strnlen(text, EMBED_TEXT_BYTES + 1);

	/* Some services reject texts without a visible character, so all of them get the same
	 * placeholder. */
	if (body_is_blank(text))
		body_str(out, "-");
	else if (n > EMBED_TEXT_BYTES)
		body_str(out, arena_strndup(a, text, utf8_cut(text, n, EMBED_TEXT_BYTES)));
	else
		body_str(out, text);
}

static void write_request(const struct embedding *m, struct buf *out)
{
	buf_str(out, "{\"model\":");
	body_str(out, embed_model(m->llm));
	if (m->llm->embed_dims > 0)
		buf_printf(out, ",\"dimensions\":%lld", (long long)m->llm->embed_dims);
	buf_str(out, ",\"encoding_format\":\"base64\",\"input\":[");
	for (size_t i = 0; i < m->batch; i++) {
		if (i > 0)
			buf_char(out, ',');
		write_text(out, m->texts[m->done + i], m->arena);
	}
	buf_str(out, "]}");
}

/* ---- reply ---- */

static bool invalid_response(struct err *e, const char *what)
{
	return err_set(e, ERR_UPSTREAM, "invalid vectors: %s", what);
}

/* The numbers of one vector, as base64 floats or a list. False: it is neither. */
static bool read_numbers(const json_t *from, struct buf *out)
{
	const json_t *number;
	size_t i;

	if (json_is_string(from))
		return hash_base64_decode(out, json_string_value(from), json_string_length(from)) &&
		       out->n % sizeof(float) == 0;
	if (!json_is_array(from))
		return false;
	json_array_foreach(from, i, number) {
		float value = (float)json_number_value(number);

		if (!json_is_number(number))
			return false;
		buf_add(out, &value, sizeof(value));
	}
	return true;
}

/* Scales the vector to length 1. False: a number is not finite. */
static bool make_unit(float *v, size_t dims)
{
	double sum = 0;

	for (size_t i = 0; i < dims; i++)
		sum += (double)v[i] * v[i];
	if (!isfinite(sum))
		return false;
	for (size_t i = 0; i < dims && sum > 0; i++)
		v[i] = (float)(v[i] / sqrt(sum));
	return true;
}

static bool set_dims(struct embedding *m, size_t dims, struct err *e)
{
	if (m->dims == 0 && dims > 0 && dims <= EMBED_DIMS_MAX &&
	    (m->llm->embed_dims == 0 || dims == (size_t)m->llm->embed_dims)) {
		m->dims = dims;
		m->values = arena_alloc(m->arena, m->count * dims * sizeof(*m->values));
	}
	return (dims > 0 && m->dims == dims) ||
	       invalid_response(e, "their length is not the requested one");
}

static bool read_vector(struct embedding *m, const json_t *item, bool *seen, struct err *e)
{
	const json_t *index = json_object_get(item, "index");
	json_int_t at = json_integer_value(index);
	struct buf numbers;
	float *to;
	bool ok;

	if (!json_is_integer(index) || at < 0 || (size_t)at >= m->batch || seen[at])
		return invalid_response(e, "an index is missing, duplicate or out of range");
	seen[at] = true;
	buf_init(&numbers, EMBED_DIMS_MAX * sizeof(float) + 4);
	ok = (read_numbers(json_object_get(item, "embedding"), &numbers) && !buf_over(&numbers)) ||
	     invalid_response(e, "an embedding is not a list of numbers, or is too long");
	ok = ok && set_dims(m, numbers.n / sizeof(float), e);
	if (ok) {
		to = m->values + (m->done + (size_t)at) * m->dims;
		memcpy(to, numbers.p, numbers.n);
		ok = make_unit(to, m->dims) || invalid_response(e, "a number is not finite");
	}
	buf_deinit(&numbers);
	return ok;
}

static bool read_vectors(struct embedding *m, const json_t *root, struct err *e)
{
	const json_t *data = json_object_get(root, "data"), *item;
	bool seen[EMBED_BATCH] = {false};
	size_t i;

	if (!json_is_array(data) || json_array_size(data) != m->batch)
		return invalid_response(e, "their count differs from the count of the texts");
	json_array_foreach(data, i, item)
		if (!read_vector(m, item, seen, e))
			return false;
	return true;
}

/* ---- sending ---- */

static void start_batch(struct embedding *m);

static void on_wait(void *owner)
{
	start_batch(owner);
}

static void retry_or_finish(struct embedding *m, const struct err *e)
{
	struct llm *llm = m->llm;
	int64_t wait_ms = retry_wait_ms(e, m->attempt, llm->retry_base_ms,
					retry_spread_next(&llm->spread[m->attempt]));

	log_warn("llm.embed", "attempt %d, %s", m->attempt + 1, e->text);
	if (wait_ms < 0 || (m->deadline_ms && clock_mono_ms() + wait_ms >= m->deadline_ms)) {
		finish(m, e);
		return;
	}
	m->attempt++;
	if (!m->wait)
		m->wait = timer_new(llm->loop, on_wait, m);
	timer_start(m->wait, (uint64_t)wait_ms);
}

static bool check_response(struct embedding *m, const json_t *root, struct err *e)
{
	struct provider *p = &m->llm->embed;
	bool ok = false;

	if (e->code == ERR_NONE && (m->status != 200 || llm_error_is(root)))
		llm_error_set(e, m->status == 200 ? 0 : m->status, root, m->should_retry,
			      m->retry_after_ms);
	else if (e->code == ERR_NONE)
		ok = read_vectors(m, root, e);
	if (ok || e->code == ERR_INPUT)
		provider_ok(p);
	else if (m->deadline_ms && clock_mono_ms() + LLM_DEADLINE_LAG_MS >= m->deadline_ms)
		breaker_undecided(&p->breaker, m->probe);
	else
		provider_failed(p, m->probe, e);
	m->probe = false;
	if (!ok)
		err_prefix(e, "%s", p->name);
	return ok;
}

static int64_t reported_tokens(const json_t *root, int64_t estimate)
{
	int64_t reported = 0;

	stream_count(&reported, json_object_get(json_object_get(root, "usage"), "prompt_tokens"));
	return reported > 0 ? reported : estimate;
}

static void on_end(void *owner, const struct err *failure)
{
	struct embedding *m = owner;
	struct err e = failure ? *failure : (struct err){0};
	json_t *root = NULL;
	int64_t tokens = batch_tokens(m);
	bool ok;

	m->http = NULL;
	if (!failure &&
	    !json_parse(buf_text(&m->body), m->body.n, EMBED_RESPONSE_BYTES, &root, NULL))
		root = NULL;
	if (failure && e.code == ERR_NONE)
		e.code = ERR_UPSTREAM;
	ok = check_response(m, root, &e);
	settle(m, ok ? reported_tokens(root, tokens) : 0);
	json_decref(root);
	if (!ok) {
		retry_or_finish(m, &e);
		return;
	}
	m->done += m->batch;
	m->attempt = 0;
	if (m->done == m->count)
		finish(m, NULL);
	else
		start_batch(m);
}

static void on_head(void *owner, const struct http_response *r)
{
	struct embedding *m = owner;

	m->status = r->status;
	m->should_retry = r->should_retry;
	m->retry_after_ms = r->retry_after_ms;
}

/* A longer body is truncated and then fails to parse. */
static bool on_data(void *owner, const char *data, size_t len)
{
	struct embedding *m = owner;

	buf_add(&m->body, data, len);
	return true;
}

static void send_batch(struct embedding *m)
{
	static const struct http_handler handler = {on_head, on_data, on_end};
	const struct wire *w = wire_of(m);
	const char *headers[5];
	struct buf body;
	int64_t left_ms = m->deadline_ms ? m->deadline_ms - clock_mono_ms() : 0;

	buf_init(&body, LLM_REQUEST_BYTES_MAX);
	write_request(m, &body);
	wire_headers(w, headers);
	buf_reset(&m->body);
	m->status = 0;
	m->http = http_start(
		w->http,
		&(struct http_request){.method = "POST",
				       .url = w->embed_url,
				       .headers = headers,
				       .body = body.p,
				       .body_len = body.n,
				       .connect_ms = w->connect_ms,
				       .first_byte_ms = w->first_byte_ms,
				       .idle_ms = w->idle_ms,
				       .total_ms = m->deadline_ms && left_ms < 1 ? 1 : left_ms},
		&handler, m);
	buf_deinit(&body);
}

static void on_unsent(void *owner)
{
	struct embedding *m = owner;

	finish(m, &m->err);
}

static void start_batch(struct embedding *m)
{
	struct provider *p = &m->llm->embed;
	const struct money_call call = money_of(m);
	size_t left = m->count - m->done;

	m->batch = left < EMBED_BATCH ? left : EMBED_BATCH;
	m->err = (struct err){0};
	if (!breaker_allows(&p->breaker, clock_mono_ms()))
		err_set_retry(&m->err, ERR_UPSTREAM,
			      "%s is unavailable: its circuit breaker is open", p->name);
	else if (money_reserve_call(&m->llm->money, &call,
				    &(struct budget_usage){.input = batch_tokens(m)},
				    &m->reservation, &m->err)) {
		m->probe = breaker_begin(&p->breaker);
		send_batch(m);
		return;
	}
	loop_defer(m->llm->loop, &m->unsent, on_unsent, m);
}

struct op *embed_start(struct llm *llm, const struct embed_call *call, struct arena *a, embed_cb cb,
		       void *owner)
{
	struct embedding *m = mem_alloc(sizeof(*m));

	assert(embed_model(llm) && call->count > 0);
	*m = (struct embedding){.op = {.cancel = on_cancel},
				.llm = llm_ref(llm),
				.arena = a,
				.texts = call->texts,
				.count = call->count,
				.deadline_ms = call->deadline_ms,
				.is_charged = call->budget_owner != NULL,
				.cb = cb,
				.owner = owner};
	if (call->budget_owner)
		m->budget_owner = (struct budget_owner){arena_strdup(a, call->budget_owner->tenant),
							arena_strdup(a, call->budget_owner->user),
							arena_strdup(a, call->budget_owner->role)};
	buf_init(&m->body, EMBED_RESPONSE_BYTES);
	llm->running++;
	start_batch(m);
	return &m->op;
}
