/* Any JSON object as the request of each dialect: read or refused with a reason. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../../src/transport/rest/dialect/dialect_read.h"
#include "vesper/json.h"
#include "vesper/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool (*const reads[])(const json_t *, struct arena *, struct dialect_request *,
			      struct err *) = {ai_read, agui_read, openai_read};
	json_t *body;

	if (!json_parse((const char *)data, size, CLIENT_HISTORY_BYTES_MAX, &body, NULL))
		return 0;
	for (size_t i = 0; i < 3 && json_is_object(body); i++) {
		struct arena *a = arena_new(1 << 12);
		struct dialect_request d;
		struct err e = {0};

		if (!reads[i](body, a, &d, &e))
			assert(*e.text);
		else
			assert(d.content ? *d.content && strlen(d.content) <= MESSAGE_BYTES_MAX
					 : d.ask_id && (d.values || reads[i] == agui_read));
		if (d.content)
			openai_task_answer(d.content,
					   &(struct task_answers){(const char *const[]){"q", NULL},
								  (const char *const[]){"t", NULL}},
					   a);
		arena_free(&a);
	}
	json_decref(body);
	return 0;
}
