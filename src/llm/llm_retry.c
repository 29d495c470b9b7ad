/*
 * Retry rules, as in the vendor's own clients, with two changes: a maximum wait, because a user is
 * waiting, and more jitter, because one daemon sends the requests of many users.
 */
#include <assert.h>
#include <string.h>

#include "llm_int.h"
#include "vesper/json.h"
#include "vesper/log.h"
#include "vesper/utf8.h"
#include "vesper/strlist.h"

int64_t retry_wait_ms(const struct err *e, int attempt, int64_t base_ms, unsigned spread)
{
	assert(spread <= 65535);
	if (!e->may_retry || attempt + 1 >= LLM_ATTEMPTS_MAX)
		return -1;
	if (e->retry_after_ms > LLM_RETRY_WAIT_MAX_MS)
		return -1;
	/* Never earlier than requested; jitter keeps clients with the same deadline from retrying
	 * at once. */
	if (e->retry_after_ms > 0)
		return e->retry_after_ms + (int64_t)e->retry_after_ms * spread / (2 * 65536);
	int64_t wait = base_ms << attempt;

	wait = wait < LLM_RETRY_BACKOFF_MAX_MS ? wait : LLM_RETRY_BACKOFF_MAX_MS;
	return wait * 3 / 4 + wait * 3 / 4 * spread / 65536;
}

unsigned retry_spread_next(unsigned *spread)
{
	/* 65536 times the fractional part of the golden ratio. */
	*spread = (*spread + 40503) & 65535;
	return *spread;
}

/* Finds the error in the forms that services use: {"error": {…}}, a list of one such, {"error":
 * "text"}, or the error's members next to "object": "error". NULL: no error. */
static const json_t *error_of(const json_t *body)
{
	const json_t *first = json_is_array(body) ? json_array_get(body, 0) : body;
	const json_t *error = json_object_get(first, "error");

	if (json_is_object(error) || json_string_length(error) > 0)
		return error;
	return strcmp(json_text_at(first, "object"), "error") == 0 ? first : NULL;
}

bool llm_error_is(const json_t *body)
{
	return error_of(body) != NULL;
}

/* The code is next to the type, or in `details`, depending on the API. */
static const char *code_of(const json_t *error)
{
	const char *code = json_text_at(json_object_get(error, "details"), "error_code");

	return *code ? code : json_text_at(error, "code");
}

/* Without a status, a numeric code is used, else the type. Unknown types count as server errors. */
static int status_of(const json_t *error)
{
	const char *type = json_text_at(error, "type");
	json_int_t code = json_integer_value(json_object_get(error, "code"));
	static const struct {
		const char *type;
		int status;
	} known[] = {
		{"invalid_request_error", 400}, {"authentication_error", 401},
		{"billing_error", 402},         {"permission_error", 403},
		{"not_found_error", 404},       {"conflict_error", 409},
		{"request_too_large", 413},     {"rate_limit_error", 429},
		{"timeout_error", 504},         {"overloaded_error", 529},
		{"insufficient_quota", 429},    {"rate_limit_exceeded", 429},
	};

	if (code >= 400 && code < 600)
		return (int)code;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(type, known[i].type) == 0)
			return known[i].status;
	return 500;
}

/* The service's message helps an operator if the request was rejected or no type is known. For key
 * errors a fixed text is used, since the message may contain part of the key. */
static void message_of(const json_t *error, int status, char out[100])
{
	const char *message =
		json_is_string(error) ? json_string_value(error) : json_text_at(error, "message");
	size_t n;

	if (status == 401 || status == 403)
		message = status == 401 ? "the key was rejected" : "the key lacks the permission";
	else if (status > 401 && status != 404 && status != 413 && *json_text_at(error, "type"))
		message = "";
	n = utf8_cut(message, strlen(message), 99);

	memcpy(out, message, n);
	out[n] = '\0';
	log_mask(out);
}

bool llm_error_set(struct err *e, int status, const json_t *body, int should_retry,
		   int64_t retry_after_ms)
{
	static const char *const out_of_funds_codes[] = {
		"enforced_spend_limit_reached", "contract_spend_limit_reached",
		"insufficient_quota",           "billing_hard_limit_reached",
		"billing_not_active",           NULL};
	const json_t *error = error_of(body);
	const char *type = json_text_at(error, "type");
	const char *code = code_of(error);
	const char *id = json_text_at(body, "request_id");
	bool is_out_of_funds =
		strlist_has(out_of_funds_codes, code) || strlist_has(out_of_funds_codes, type);
	char message[100];

	if (status == 0)
		status = status_of(error);
	bool is_request_error = (status == 400 || status == 413 || status == 422) &&
				!is_out_of_funds && should_retry != 1;

	message_of(error, status, message);
	err_set(e, is_request_error ? ERR_INPUT : ERR_UPSTREAM, "%d%s%.*s%s%.*s%s%s%s%s%.*s%s",
		status, *type ? " " : "", STR_CUT(type, 40), *code ? " (" : "", STR_CUT(code, 60),
		*code ? ")" : "", *message ? ": " : "", message, *id ? " [" : "", STR_CUT(id, 40),
		*id ? "]" : "");
	e->may_retry = status == 408 || status == 409 || status == 429 || status >= 500;
	if (should_retry >= 0)
		e->may_retry = should_retry == 1;
	if (is_out_of_funds)
		e->may_retry = false;
	e->retry_after_ms = retry_after_ms > 0 ? (int)retry_after_ms : 0;
	return false;
}
