/* Builds error bodies. The operator's error text is only logged; `detail` is set for errors of the
 * caller only.
 */
#include "problem.h"

#include <string.h>

#include "vesper/json.h"

json_t *problem_json(enum code p, const char *detail, const char *instance, const char *request_id)
{
	const struct code_row *row = code_row(p);
	json_t *body = json_object();

	json_set_str(body, "type", "about:blank");
	json_set_str(body, "title", row->title);
	json_set_int(body, "status", row->status);
	json_set_str(body, "detail", detail ? detail : row->sentence);
	json_set_str(body, "instance", instance);
	json_set_str(body, "code", row->wire);
	json_set_str(body, "request_id", request_id);
	return body;
}

void problem_frame(struct buf *out, enum code p, const char *message, int retry_after_ms)
{
	const struct code_row *row = code_row(p);

	if (!message)
		message = row->sentence;
	buf_printf(out, "{\"type\":\"chat.error\",\"code\":\"%s\",\"message\":", row->wire);
	buf_json_str(out, message, strlen(message));
	buf_printf(out, ",\"retryable\":%s", row->retryable ? "true" : "false");
	if (retry_after_ms > 0)
		buf_printf(out, ",\"retry_after_ms\":%d", retry_after_ms);
	buf_str(out, ",\"suggestions\":[]}");
}
