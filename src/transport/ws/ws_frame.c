/*
 * A frame's head is checked at each byte, so that a violation ends the connection before the rest
 * of the frame arrives. Payloads are checked only where the protocol constrains them: text and the
 * bodies of close frames.
 */
#include "ws_frame.h"

#include <assert.h>
#include <string.h>

#define FINAL        0x80
#define RESERVED     0x70
#define OPCODE       0x0f
#define MASKED       0x80
#define SHORT_LENGTH 0x7f
#define LENGTH_16    126
#define LENGTH_64    127
#define MASK_BYTES   4

enum { CONTINUATION = 0, TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10 };

/* ---- UTF-8 (RFC 3629) ---- */

static bool text_begin(struct ws_text *t, uint8_t byte)
{
	t->low = 0x80;
	t->high = 0xbf;
	if (byte < 0x80)
		t->missing = 0;
	else if (byte >= 0xc2 && byte <= 0xdf)
		t->missing = 1;
	else if (byte >= 0xe0 && byte <= 0xef)
		t->missing = 2;
	else if (byte >= 0xf0 && byte <= 0xf4)
		t->missing = 3;
	else
		return false;
	if (byte == 0xe0)
		t->low = 0xa0; /* overlong forms */
	else if (byte == 0xed)
		t->high = 0x9f; /* surrogates */
	else if (byte == 0xf0)
		t->low = 0x90;
	else if (byte == 0xf4)
		t->high = 0x8f; /* beyond Unicode */
	return true;
}

static bool text_add(struct ws_text *t, uint8_t byte)
{
	if (t->missing == 0)
		return text_begin(t, byte);
	if (byte < t->low || byte > t->high)
		return false;
	t->missing--;
	t->low = 0x80;
	t->high = 0xbf;
	return true;
}

/* ---- heads ---- */

static int opcode_of(const struct ws_reader *r)
{
	return r->head[0] & OPCODE;
}

static bool is_control(const struct ws_reader *r)
{
	return opcode_of(r) >= CLOSE;
}

static int check_first_byte(const struct ws_reader *r)
{
	int opcode = opcode_of(r);

	if ((r->head[0] & RESERVED) || opcode > PONG || (opcode > BINARY && opcode < CLOSE))
		return WS_CLOSE_PROTOCOL;
	if (is_control(r))
		return r->head[0] & FINAL ? 0 : WS_CLOSE_PROTOCOL;
	/* A started message is continued by continuation frames only, which occur nowhere else. */
	return (opcode == CONTINUATION) == (r->message != 0) ? 0 : WS_CLOSE_PROTOCOL;
}

static int check_second_byte(const struct ws_reader *r)
{
	int length = r->head[1] & SHORT_LENGTH;

	if (!(r->head[1] & MASKED) || (is_control(r) && length > WS_CONTROL_BYTES_MAX) ||
	    (opcode_of(r) == CLOSE && length == 1))
		return WS_CLOSE_PROTOCOL;
	return 0;
}

static size_t length_bytes(const struct ws_reader *r)
{
	int length = r->head[1] & SHORT_LENGTH;

	return length == LENGTH_16 ? 2 : length == LENGTH_64 ? 8 : 0;
}

static void read_length(struct ws_reader *r, size_t n)
{
	r->len = n == 0 ? r->head[1] & SHORT_LENGTH : 0;
	for (size_t i = 0; i < n; i++)
		r->len = r->len << 8 | r->head[2 + i];
}

/* The length must be encoded in the fewest bytes, and the message must not exceed its limit. */
static int check_length(const struct ws_reader *r, size_t n)
{
	if ((n == 2 && r->len < LENGTH_16) || (n == 8 && (r->len >> 16 == 0 || r->len >> 63)))
		return WS_CLOSE_PROTOCOL;
	if (!is_control(r) && r->len > r->message_bytes_max - r->message_bytes)
		return WS_CLOSE_TOO_LONG;
	return 0;
}

static void payload_begin(struct ws_reader *r)
{
	r->in_payload = true;
	r->at = 0;
	r->code = 0;
	r->reason = (struct ws_text){0};
	if (is_control(r) || r->sender == WS_SERVER)
		return;
	if (r->message == 0)
		r->message = (uint8_t)opcode_of(r);
	r->message_bytes += (uint32_t)r->len;
}

/* Called at the last byte of a frame: that of its payload, or that of a head without one. */
static int frame_end(struct ws_reader *r)
{
	bool is_last = (r->head[0] & FINAL) && !is_control(r);

	if (opcode_of(r) == CLOSE) {
		if (r->reason.missing > 0)
			return WS_CLOSE_INVALID_UTF8;
		r->closed = true;
	}
	if (is_last && r->sender == WS_CLIENT) {
		if (r->message == TEXT && r->text.missing > 0)
			return WS_CLOSE_INVALID_UTF8;
		r->message = 0;
		r->message_bytes = 0;
	}
	r->in_payload = false;
	r->head_len = 0;
	return 0;
}

static int check_head(struct ws_reader *r, size_t with_length)
{
	int code = 0;

	if (r->head_len == 1)
		return check_first_byte(r);
	if (r->head_len == 2)
		code = check_second_byte(r);
	if (!code && r->head_len == with_length)
		code = check_length(r, with_length - 2);
	return code;
}

static int head_add(struct ws_reader *r, uint8_t byte)
{
	size_t with_length;
	int code;

	r->head[r->head_len++] = byte;
	with_length = r->head_len < 2 ? 2 : 2 + length_bytes(r);
	if (r->head_len == with_length)
		read_length(r, with_length - 2);
	if (r->sender == WS_CLIENT && (code = check_head(r, with_length)))
		return code;
	if (r->head_len < 2 || r->head_len < with_length + (r->head[1] & MASKED ? MASK_BYTES : 0))
		return 0;
	payload_begin(r);
	return r->len == 0 ? frame_end(r) : 0;
}

/* ---- payloads ---- */

/* Codes that a client may send (7.4): those that the RFC allows on the wire, and 3000 to 4999,
 * which are free for use. 1012 to 1014 were registered later and are for servers. */
static bool code_is_sendable(int code)
{
	return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1011) ||
	       (code >= 3000 && code <= 4999);
}

static int close_add(struct ws_reader *r, uint8_t byte)
{
	if (r->at >= 2)
		return text_add(&r->reason, byte) ? 0 : WS_CLOSE_INVALID_UTF8;
	r->code = (uint16_t)(r->code << 8 | byte);
	return r->at == 1 && !code_is_sendable(r->code) ? WS_CLOSE_PROTOCOL : 0;
}

static int payload_add(struct ws_reader *r, uint8_t byte)
{
	const uint8_t *mask = r->head + r->head_len - MASK_BYTES;
	int code = 0;

	byte ^= mask[r->at % MASK_BYTES];
	if (opcode_of(r) == CLOSE)
		code = close_add(r, byte);
	else if (!is_control(r) && r->message == TEXT && !text_add(&r->text, byte))
		code = WS_CLOSE_INVALID_UTF8;
	r->at++;
	if (code || r->at < r->len)
		return code;
	return frame_end(r);
}

/* Skips plain ASCII between two characters, the usual case, eight bytes at a time. Returns the
 * number of bytes skipped; never skips the last byte of the frame. */
static size_t ascii_skip(struct ws_reader *r, const uint8_t *bytes, size_t len)
{
	const uint8_t *mask = r->head + r->head_len - MASK_BYTES;
	uint64_t left = r->len - r->at, masks, eight;
	uint8_t rotated[sizeof(masks)];
	size_t n = 0;

	if (opcode_of(r) == CLOSE || r->text.missing > 0)
		return 0;
	for (size_t i = 0; i < sizeof(rotated); i++)
		rotated[i] = mask[(r->at + i) % MASK_BYTES];
	memcpy(&masks, rotated, sizeof(masks));
	for (; n + sizeof(eight) <= len && n + sizeof(eight) < left; n += sizeof(eight)) {
		memcpy(&eight, bytes + n, sizeof(eight));
		if ((eight ^ masks) & 0x8080808080808080)
			break;
	}
	r->at += n;
	return n;
}

/* Skips payload that the protocol does not constrain. Returns the number of bytes skipped. */
static size_t payload_skip(struct ws_reader *r, size_t len)
{
	uint64_t left = r->len - r->at;
	size_t n = left < len ? (size_t)left : len;

	r->at += n;
	if (r->at == r->len) {
		int code = frame_end(r);

		assert(code == 0);
	}
	return n;
}

/* ---- the reader ---- */

void ws_reader_init(struct ws_reader *r, enum ws_sender sender, size_t message_bytes_max)
{
	*r = (struct ws_reader){.sender = sender, .message_bytes_max = (uint32_t)message_bytes_max};
}

static bool is_unchecked(const struct ws_reader *r)
{
	if (r->sender == WS_SERVER)
		return true;
	return is_control(r) ? opcode_of(r) != CLOSE : r->message != TEXT;
}

size_t ws_reader_check(struct ws_reader *r, const uint8_t *bytes, size_t len, int *code)
{
	size_t valid = 0;

	*code = 0;
	assert(!r->closed);
	while (valid < len) {
		if (r->in_payload && is_unchecked(r)) {
			valid += payload_skip(r, len - valid);
		} else {
			if (r->in_payload)
				valid += ascii_skip(r, bytes + valid, len - valid);
			if (valid == len)
				break;
			*code = r->in_payload ? payload_add(r, bytes[valid])
					      : head_add(r, bytes[valid]);
			if (*code)
				return valid;
			valid++;
		}
		if (ws_reader_is_between_frames(r))
			break;
	}
	return valid;
}

bool ws_reader_is_between_frames(const struct ws_reader *r)
{
	return r->head_len == 0;
}

bool ws_reader_is_ping(const struct ws_reader *r)
{
	return opcode_of(r) == PING;
}

size_t ws_close_frame(unsigned char frame[WS_CLOSE_FRAME_BYTES], int code, const char *reason)
{
	size_t len = strlen(reason);

	assert(len < WS_CLOSE_REASON_BYTES);
	frame[0] = FINAL | CLOSE;
	frame[1] = (unsigned char)(2 + len);
	frame[2] = (unsigned char)(code >> 8);
	frame[3] = (unsigned char)(code & 0xff);
	memcpy(frame + 4, reason, len);
	return 4 + len;
}
