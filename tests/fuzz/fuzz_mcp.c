/* Any JSON as a message to the MCP server, with the headers of either era: read, or refused with a
 * code and a reason. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../../src/transport/rest/dialect/mcp_read.h"
#include "../../src/transport/rest/dialect/mcp_state.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

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

/* A page lies within its list and leads on; no cursor leads out of it. */
static void read_cursor(const json_t *cursor, size_t count)
{
	size_t from, to;

	if (!mcp_page(cursor, count, &from, &to))
		return;
	assert(from <= to && to <= count && to - from <= MCP_LIST_MAX);
	assert(from < to || count == 0);
}

/* What a client brings back opens only what was sealed for its user, to the last bit. */
static void open_state(const char *text, size_t size)
{
	static const uint8_t secret[SEAL_KEY_BYTES] = {1}, salt[MCP_SALT_BYTES] = {2};
	const struct mcp_state state = {"t", "u", "session", "ask", NULL, 1000};
	struct arena *a = arena_new(1 << 16);
	struct mcp_state out;
	struct buf sealed;

	assert(!mcp_state_open(text, secret, "t", "u", 0, a, &out));
	buf_init(&sealed, CLIENT_HISTORY_BYTES_MAX);
	mcp_state_seal(&sealed, secret, salt, &state);
	assert(mcp_state_open(buf_text(&sealed), secret, "t", "u", 999, a, &out));
	assert(strcmp(out.session, "session") == 0 && strcmp(out.ask_id, "ask") == 0 && !out.skip);
	assert(!mcp_state_open(buf_text(&sealed), secret, "t", "u", 1000, a, &out));
	if (size >= 2 && text[1] != 0) { /* any other character, anywhere */
		char *at = sealed.p + (uint8_t)text[0] * sealed.n / 256;

		*at = (char)(*at ^ text[1]);
		assert(!mcp_state_open(buf_text(&sealed), secret, "t", "u", 0, a, &out));
	}
	buf_deinit(&sealed);
	arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const versions[] = {NULL, MCP_LEGACY_VERSION, MCP_MODERN_VERSION, "x"};
	json_t *body = NULL;
	char *text = mem_alloc(size + 1);

	memcpy(text, data, size);
	open_state(text, size);
	mem_free(text);
	if (!json_parse((const char *)data, size, CLIENT_HISTORY_BYTES_MAX, &body, NULL))
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
			assert(!call.supports_forms || call.modern);
			read_arguments(json_object_get(call.params, "arguments"));
			read_cursor(json_object_get(call.params, "cursor"), size);
			read_cursor(call.id, 3 * MCP_LIST_MAX);
		}
		arena_free(&a);
	}
	json_decref(body);
	return 0;
}
