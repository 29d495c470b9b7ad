#include "fixture.h"

#include "port/handshake.h"
#include "vesper/limits.h"

#define LINE "GET /ws/v1/chat HTTP/1.1\r\n"
#define HOST "Host: vesper.example:8080\r\n"
#define UPGRADE                                                                                    \
	"Connection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Version: 13\r\n"   \
	"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
#define END "\r\n"

static struct handshake h;

static enum code refusal(const char *head)
{
	enum code p = CODE_COUNT;

	if (handshake_parse(head, strlen(head), &h, &p)) {
		handshake_deinit(&h);
		return CODE_COUNT;
	}
	return p;
}

static void read_head(const char *head)
{
	enum code p;

	if (!handshake_parse(head, strlen(head), &h, &p))
		fail_msg("refused: %s", head);
}

static void head_ends_at_empty_line(void **state)
{
	size_t len = 0;

	(void)state;
	assert_false(handshake_is_complete("GET / HTTP/1.1\r\n\r", 17, &len));
	assert_true(handshake_is_complete("GET / HTTP/1.1\r\n\r\nmore", 22, &len));
	assert_int_equal(len, 18);
}

static void reads_all_kinds_of_credentials(void **state)
{
	(void)state;
	read_head(
		"GET /ws/v1/chat?session_id=abc&ticket=t%2B1&token=j.w.t&other=1 HTTP/1.1\r\n" HOST
			UPGRADE
		"authorization:  Bearer x \r\nOrigin: https://Vesper.Example:8080\r\n"
		"Sec-WebSocket-Protocol: bearer.a.b.c, vesper.v1\r\n" END);
	assert_string_equal(h.path, "/ws/v1/chat");
	assert_string_equal(h.session_id, "abc");
	assert_string_equal(h.ticket, "t+1");
	assert_string_equal(h.token, "j.w.t");
	assert_string_equal(h.authorization, "Bearer x");
	assert_string_equal(h.bearer, "a.b.c");
	assert_true(h.offers_vesper);
	handshake_deinit(&h);
	read_head(LINE HOST UPGRADE END);
	assert_true(!h.session_id && !h.ticket && !h.token && !h.authorization && !h.bearer &&
		    !h.origin);
	handshake_deinit(&h);
}

static void only_version_13_is_upgraded(void **state)
{
	(void)state;
	assert_int_equal(refusal(LINE HOST END), CODE_UPGRADE);
	assert_int_equal(
		refusal(LINE HOST
			"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\n"
			"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" END),
		CODE_UPGRADE);
	assert_int_equal(
		refusal(LINE HOST
			"Connection: Upgrade\r\nUpgrade: h2c\r\nSec-WebSocket-Version: 13\r\n" END),
		CODE_UPGRADE);
}

static void refuses_malformed_handshakes(void **state)
{
	static const char *const heads[] = {
		"GET /ws/v1/chat HTTP/1.0\r\n" HOST UPGRADE END,
		"GET http://x/ws/v1/chat HTTP/1.1\r\n" HOST UPGRADE END,
		"GET  /ws/v1/chat HTTP/1.1\r\n" HOST UPGRADE END,
		"POST /ws/v1/chat HTTP/1.1\r\n" HOST UPGRADE END,
		LINE UPGRADE END,
		LINE HOST HOST UPGRADE END,
		LINE HOST UPGRADE "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n" END,
		LINE HOST UPGRADE " folded: line\r\n" END,
		LINE HOST UPGRADE "no colon\r\n" END,
		LINE HOST UPGRADE "Bad Name: x\r\n" END,
		LINE HOST UPGRADE "X: a\nY: b\r\n" END,
		LINE HOST UPGRADE "X: a\x01\r\n" END,
		LINE HOST UPGRADE "Sec-WebSocket-Protocol: graphql-ws\r\n" END,
		LINE HOST UPGRADE "Sec-WebSocket-Protocol: vesper.v1, bearer.a, bearer.b\r\n" END,
		LINE HOST "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: "
			  "13\r\nSec-WebSocket-Key: short\r\n" END,
		LINE HOST
		"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" END,
		"GET /ws/v1/chat?session_id=a&session_id=b HTTP/1.1\r\n" HOST UPGRADE END,
		"GET /ws/v1/chat?ticket=%zz HTTP/1.1\r\n" HOST UPGRADE END,
		"GET /ws/v1/chat?ticket=%00 HTTP/1.1\r\n" HOST UPGRADE END,
		"GET /ws/v1/chat?ticket=%4 HTTP/1.1\r\n" HOST UPGRADE END,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (refusal(heads[i]) != CODE_BAD_FRAME)
			fail_msg("not refused as malformed: %s", heads[i]);
}

static void credentials_are_not_passed_on(void **state)
{
	struct buf out;

	(void)state;
	read_head("GET /ws/v1/chat?token=SECRET HTTP/1.1\r\n" HOST UPGRADE
		  "Authorization: Bearer SECRET\r\nSec-WebSocket-Protocol: vesper.v1, "
		  "bearer.SECRET\r\n" END);
	buf_init(&out, HEADER_BYTES_MAX);
	handshake_rewrite(&h, &out);
	assert_null(strstr(buf_text(&out), "SECRET"));
	assert_non_null(strstr(buf_text(&out), "Sec-WebSocket-Protocol: vesper.v1\r\n"));
	assert_non_null(strstr(buf_text(&out), "dGhlIHNhbXBsZSBub25jZQ=="));
	handshake_deinit(&h);
	buf_reset(&out);
	read_head(LINE HOST UPGRADE END);
	handshake_rewrite(&h, &out);
	assert_null(strstr(buf_text(&out), "Protocol"));
	handshake_deinit(&h);
	buf_deinit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(head_ends_at_empty_line),
		cmocka_unit_test(reads_all_kinds_of_credentials),
		cmocka_unit_test(only_version_13_is_upgraded),
		cmocka_unit_test(refuses_malformed_handshakes),
		cmocka_unit_test(credentials_are_not_passed_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
