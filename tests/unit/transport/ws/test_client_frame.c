#include "fixture.h"

#include "vesper/limits.h"
#include "vesper/mem.h"
#include "ws/client_frame.h"

static struct client_frame frame;
static struct err err;

static bool parse(const char *text)
{
	return wire_parse(text, strlen(text), &frame, &err);
}

static void assert_refused(const char *text, enum err_code code)
{
	frame.root = NULL;
	if (parse(text))
		fail_msg("accepted: %s", text);
	assert_int_equal(err.code, code);
	assert_null(frame.root);
}

static void reads_a_message(void **state)
{
	(void)state;
	assert_true(parse(
		"{\"type\":\"chat.message\",\"content\":\"Hi\",\"client_msg_id\":\"a1\",\"session_"
		"id\":\"" TURN
		"\",\"filters\":{\"year\":2025,\"market\":null,\"hours\":[1,2]},\"later\":true}"));
	assert_int_equal(frame.type, FRAME_MESSAGE);
	assert_string_equal(frame.content, "Hi");
	assert_string_equal(frame.client_msg_id, "a1");
	assert_string_equal(frame.session_id, TURN);
	assert_int_equal(json_object_size(frame.filters), 3);
	client_frame_deinit(&frame);
	assert_true(parse("{\"type\":\"chat.message\",\"content\":\"Hi\"}"));
	assert_null(frame.client_msg_id);
	assert_null(frame.session_id);
	assert_null(frame.filters);
	client_frame_deinit(&frame);
}

static void refuses_bad_messages(void **state)
{
	(void)state;
	assert_refused("{\"type\":\"chat.message\"}", ERR_INPUT);
	assert_refused("{\"type\":\"chat.message\",\"content\":null}", ERR_INPUT);
	assert_refused("{\"type\":\"chat.message\",\"content\":\"\"}", ERR_INPUT);
	assert_refused("{\"type\":\"chat.message\",\"content\":\" \\n\\t\"}", ERR_INPUT);
	assert_refused("{\"type\":\"chat.message\",\"content\":\"x\",\"session_id\":\"nope\"}",
		       ERR_INPUT);
	assert_refused("{\"type\":\"chat.message\",\"content\":\"x\",\"client_msg_id\":\"\"}",
		       ERR_INPUT);
	assert_refused("{\"type\":\"chat.message\",\"content\":\"x\",\"client_msg_id\":\"a \"}",
		       ERR_INPUT);
	assert_refused("{\"type\":\"chat.message\",\"content\":\"x\",\"client_msg_id\":"
		       "\"a\\u200bb\"}",
		       ERR_INPUT);
	assert_refused("{\"type\":\"chat.message\",\"content\":\"x\",\"filters\":[]}", ERR_INPUT);
	assert_refused("{\"type\":\"chat.message\",\"content\":\"x\",\"filters\":{\"a\":{}}}",
		       ERR_INPUT);
	assert_refused("{\"type\":\"chat.message\",\"content\":\"x\",\"filters\":{\"a\":[[1]]}}",
		       ERR_INPUT);
}

static void message_of(char *text, size_t content_len)
{
	size_t n = (size_t)sprintf(text, "{\"type\":\"chat.message\",\"content\":\"");

	memset(text + n, 'x', content_len);
	memcpy(text + n + content_len, "\"}", 3);
}

static void content_length_is_limited(void **state)
{
	char *text = test_malloc(MESSAGE_BYTES_MAX + 100);

	(void)state;
	message_of(text, MESSAGE_BYTES_MAX);
	assert_true(parse(text));
	client_frame_deinit(&frame);
	message_of(text, MESSAGE_BYTES_MAX + 1);
	assert_refused(text, ERR_LIMIT);
	test_free(text);
}

static void client_msg_id_length_is_limited(void **state)
{
	char text[400];

	(void)state;
	snprintf(text, sizeof(text),
		 "{\"type\":\"chat.message\",\"content\":\"x\",\"client_msg_id\":\"%0*d\"}",
		 CLIENT_MSG_ID_BYTES_MAX, 0);
	assert_true(parse(text));
	client_frame_deinit(&frame);
	snprintf(text, sizeof(text),
		 "{\"type\":\"chat.message\",\"content\":\"x\",\"client_msg_id\":\"%0*d\"}",
		 CLIENT_MSG_ID_BYTES_MAX + 1, 0);
	assert_refused(text, ERR_INPUT);
}

static void filter_count_is_limited(void **state)
{
	(void)state;
	for (int extra = 0; extra < 2; extra++) {
		json_t *message =
			parsed("{\"type\":\"chat.message\",\"content\":\"x\",\"filters\":{}}");
		char name[20];
		char *text;

		for (int i = 0; i < FILTERS_MAX + extra; i++) {
			snprintf(name, sizeof(name), "f%d", i);
			json_set_int(json_object_get(message, "filters"), name, i);
		}
		text = json_text(message);
		if (extra)
			assert_refused(text, ERR_INPUT);
		else
			assert_true(parse(text));
		if (!extra)
			client_frame_deinit(&frame);
		mem_free(text);
		json_decref(message);
	}
}

static void reads_other_frames(void **state)
{
	(void)state;
	assert_true(parse("{\"type\":\"chat.cancel\"}"));
	assert_int_equal(frame.type, FRAME_CANCEL);
	assert_null(frame.turn_id);
	client_frame_deinit(&frame);
	assert_true(parse("{\"type\":\"resume\",\"turn_id\":\"" TURN "\",\"last_seq\":7}"));
	assert_int_equal(frame.type, FRAME_RESUME);
	assert_int_equal(frame.last_seq, 7);
	client_frame_deinit(&frame);
	assert_true(
		parse("{\"type\":\"chat.select\",\"ask_id\":\"" TURN "\",\"values\":[\"a\",2]}"));
	assert_int_equal(frame.type, FRAME_SELECT);
	assert_int_equal(json_array_size(frame.values), 2);
	client_frame_deinit(&frame);
	assert_true(parse("{\"type\":\"auth\",\"token\":\"t\"}"));
	assert_int_equal(frame.type, FRAME_AUTH);
	client_frame_deinit(&frame);
	assert_true(parse("{\"type\":\"ping\",\"t\":1.5}"));
	assert_int_equal(frame.type, FRAME_PING);
	client_frame_deinit(&frame);
}

static void refuses_bad_frames(void **state)
{
	(void)state;
	assert_refused("", ERR_INPUT);
	assert_refused("{", ERR_INPUT);
	assert_refused("[]", ERR_INPUT);
	assert_refused("\"ping\"", ERR_INPUT);
	assert_refused("{}", ERR_INPUT);
	assert_refused("{\"type\":5}", ERR_INPUT);
	assert_refused("{\"type\":\"ping\",\"type\":\"ping\"}", ERR_INPUT);
	assert_refused("{\"type\":\"ping\"} x", ERR_INPUT);
	assert_refused("{\"type\":\"ping\",\"t\":{}}", ERR_INPUT);
	assert_refused("{\"type\":\"resume\",\"turn_id\":\"" TURN "\",\"last_seq\":-1}", ERR_INPUT);
	assert_refused("{\"type\":\"resume\",\"turn_id\":\"" TURN "\",\"last_seq\":1.5}",
		       ERR_INPUT);
	assert_refused("{\"type\":\"resume\",\"last_seq\":1}", ERR_INPUT);
	assert_refused("{\"type\":\"chat.cancel\",\"turn_id\":\"x\"}", ERR_INPUT);
	assert_refused("{\"type\":\"chat.select\",\"ask_id\":\"" TURN "\",\"values\":[]}",
		       ERR_INPUT);
	assert_refused("{\"type\":\"chat.select\",\"ask_id\":\"" TURN "\",\"values\":[null]}",
		       ERR_INPUT);
	assert_refused("{\"type\":\"chat.select\",\"values\":[\"a\"]}", ERR_INPUT);
	assert_refused("{\"type\":\"auth\"}", ERR_INPUT);
}

static void nesting_depth_is_bounded(void **state)
{
	char text[2 * JSON_DEPTH_MAX + 100] = "{\"type\":\"ping\",\"deep\":";
	size_t n = strlen(text);

	(void)state;
	memset(text + n, '[', JSON_DEPTH_MAX);
	memset(text + n + JSON_DEPTH_MAX, ']', JSON_DEPTH_MAX);
	strncat(text, "}", 2);
	assert_refused(text, ERR_INPUT);
}

static void unknown_type_is_not_an_error(void **state)
{
	(void)state;
	assert_true(parse("{\"type\":\"chat.dance\",\"content\":5}"));
	assert_int_equal(frame.type, FRAME_UNKNOWN);
	client_frame_deinit(&frame);
}

static void errors_never_repeat_the_input(void **state)
{
	(void)state;
	assert_refused("{\"type\":\"auth\",\"token\":5,\"s\":\"hunter2\"}", ERR_INPUT);
	assert_null(strstr(err.text, "hunter2"));
	assert_refused("{\"type\":\"auth\",\"token\":hunter2}", ERR_INPUT);
	assert_null(strstr(err.text, "hunter2"));
}

/* Parses the written JSON, and frees the buffer. */
static json_t *written(struct buf *b)
{
	json_t *value = parsed(buf_text(b));

	buf_deinit(b);
	return value;
}

static void writes_frames_outside_a_turn(void **state)
{
	const char *const permissions[] = {"chat:use", "chat:\"odd\""};
	const struct principal who = {.user = "o'\"brien",
				      .tenant = "vesper",
				      .permissions = permissions,
				      .permission_count = 2};
	json_t *number = json_integer(7);
	json_t *value;
	struct buf b;

	(void)state;
	buf_init(&b, 1000);
	wire_session_ready(&b, TURN, &who);
	value = written(&b);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(value, "user"), "id")),
		"o'\"brien");
	assert_int_equal(
		json_array_size(json_object_get(json_object_get(value, "user"), "permissions")), 2);
	assert_int_equal(json_integer_value(json_object_get(value, "max_message_bytes")), 16384);
	assert_int_equal(json_integer_value(json_object_get(value, "heartbeat_s")), 25);
	assert_int_equal(json_integer_value(json_object_get(value, "protocol")), 1);
	assert_null(json_object_get(value, "seq"));
	json_decref(value);

	buf_init(&b, 1000);
	wire_pong(&b, number);
	assert_string_equal(buf_text(&b), "{\"type\":\"pong\",\"t\":7}");
	buf_reset(&b);
	wire_pong(&b, NULL);
	assert_string_equal(buf_text(&b), "{\"type\":\"pong\"}");
	buf_reset(&b);
	wire_auth_expiring(&b, 0);
	assert_string_equal(
		buf_text(&b),
		"{\"type\":\"auth.expiring\",\"expires_at\":\"1970-01-01T00:00:00.000Z\"}");
	buf_deinit(&b);
	json_decref(number);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_message),
		cmocka_unit_test(refuses_bad_messages),
		cmocka_unit_test(content_length_is_limited),
		cmocka_unit_test(client_msg_id_length_is_limited),
		cmocka_unit_test(filter_count_is_limited),
		cmocka_unit_test(reads_other_frames),
		cmocka_unit_test(refuses_bad_frames),
		cmocka_unit_test(nesting_depth_is_bounded),
		cmocka_unit_test(unknown_type_is_not_an_error),
		cmocka_unit_test(errors_never_repeat_the_input),
		cmocka_unit_test(writes_frames_outside_a_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
