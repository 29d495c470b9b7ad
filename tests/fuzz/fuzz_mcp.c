/* Any JSON as a message to the MCP server, with the headers of either era: read, or refused with a
 * code and a reason. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../../src/transport/rest/dialect/mcp_read.h"
#include "vesper/json.h"
#include "vesper/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_arguments(const json_t *args)
{
	struct dialect_request d;
	struct err e = {0};

	json_decref(mcp_form_values(args));
	if (!json_is_object(args))
		return;
	if (!mcp_ask_read(args, &d, &e))
		assert(*e.text);
	else
		assert(d.content ? *d.content && strlen(d.content) <= MESSAGE_BYTES_MAX
				 : d.ask_id && d.values && d.external_id);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const versions[] = {NULL, MCP_LEGACY_VERSION, MCP_MODERN_VERSION, "x"};
	json_t *body = NULL;

	if (!json_parse((const char *)data, size, OUTSIDE_BYTES_MAX, &body, NULL))
		body = NULL;
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		struct arena *a = arena_new(1 << 12);
		const char *method = json_string_value(json_object_get(body, "method"));
		const json_t *params = json_object_get(body, "params");
		const struct mcp_headers headers = {
			versions[i], method, json_string_value(json_object_get(params, "name"))};
		struct mcp_fault fault = {0};
		struct mcp_call call;

		if (!mcp_read(body, &headers, a, &call, &fault)) {
			assert(fault.code < 0 && fault.status == 400 && *fault.message);
			assert(!fault.version == (fault.code != MCP_UNSUPPORTED_VERSION));
		} else {
			assert(call.kind != MCP_REQUEST || (call.id && call.method));
			assert(!call.params || json_is_object(call.params));
			assert(!call.takes_forms || call.modern);
			read_arguments(json_object_get(call.params, "arguments"));
		}
		arena_free(&a);
	}
	json_decref(body);
	return 0;
}
