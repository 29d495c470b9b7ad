/*
 * A frame's head is judged byte by byte as it comes, so that nobody waits for the rest of what
 * can't be; then its payload is passed on as it arrives.
 */
#include "ws_frame.h"

#include <assert.h>
#include <string.h>

#define FINAL        0x80
#define RESERVED     0x70
#define OPCODE       0x0f
#define MASKED       0x80
#define SHORT_LENGTH 0x7f
#define MASK_BYTES   4
#define LENGTH_16    126
#define LENGTH_64    127

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
		t->low = 0xa0; /* shorter forms exist */
	else if (byte == 0xed)
		t->high = 0x9f; /* surrogates */
	else if (byte == 0xf0)
		t->low = 0x90;
	else if (byte == 0xf4)
		t->high = 0x8f; /* beyond Unicode */
	return true;
}

static bool text_add(struct ws_text *t, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (t->missing == 0) {
			if (!text_begin(t, bytes[i]))
				return false;
		} else if (bytes[i] < t->low || bytes[i] > t->high) {
			return false;
		} else {
			t->missing--;
			t->low = 0x80;
			t->high = 0xbf;
		}
	}
	return true;
}

/* ---- heads ---- */

static bool is_control(int opcode)
{
	return opcode >= WS_CLOSE;
}

static int check_first_byte(const struct ws_reader *r)
{
	int opcode = r->head[0] & OPCODE;
	bool known = opcode <= WS_BINARY || (opcode >= WS_CLOSE && opcode <= WS_PONG);

	if ((r->head[0] & RESERVED) || !known)
		return WS_CLOSE_PROTOCOL;
	if (is_control(opcode))
		return r->head[0] & FINAL ? 0 : WS_CLOSE_PROTOCOL;
	/* A message goes on with continuations, and only with them. */
	return (opcode == WS_CONTINUATION) == (r->message != 0) ? 0 : WS_CLOSE_PROTOCOL;
}

static int check_second_byte(const struct ws_reader *r)
{
	bool too_long = is_control(r->head[0] & OPCODE) &&
			(r->head[1] & SHORT_LENGTH) > WS_CONTROL_BYTES_MAX;

	return !(r->head[1] & MASKED) || too_long ? WS_CLOSE_PROTOCOL : 0;
}

static size_t length_bytes(const struct ws_reader *r)
{
	switch (r->head[1] & SHORT_LENGTH) {
	case LENGTH_16:
		return 2;
	case LENGTH_64:
		return 8;
	default:
		return 0;
	}
}

/* The length in the fewest bytes, and not more than a message may have. */
static int check_length(struct ws_reader *r)
{
	size_t n = length_bytes(r);
	uint64_t length = 0;

	for (size_t i = 0; i < n; i++)
		length = length << 8 | r->head[2 + i];
	if (n == 0)
		length = r->head[1] & SHORT_LENGTH;
	if ((n == 2 && length < LENGTH_16) || (n == 8 && (length >> 16 == 0 || length >> 63)))
		return WS_CLOSE_PROTOCOL;
	if (!is_control(r->head[0] & OPCODE) && length > r->message_bytes_max - r->message_bytes)
		return WS_CLOSE_TOO_LONG;
	r->left = length;
	return 0;
}

static void payload_begin(struct ws_reader *r)
{
	r->in_payload = true;
	r->at = 0;
	r->opcode = r->head[0] & OPCODE;
	r->final = r->head[0] & FINAL;
	if (is_control(r->opcode))
		return;
	if (r->message == 0)
		r->message = r->opcode;
	r->message_bytes += r->left;
}

/* Adds one byte; the code that the connection fails with, or 0. */
static int head_add(struct ws_reader *r, uint8_t byte)
{
	size_t with_length;
	int code;

	r->head[r->head_len++] = byte;
	if (r->head_len == 1)
		return check_first_byte(r);
	if (r->head_len == 2 && (code = check_second_byte(r)))
		return code;
	with_length = 2 + length_bytes(r);
	if (r->head_len == with_length && (code = check_length(r)))
		return code;
	if (r->head_len == with_length + MASK_BYTES)
		payload_begin(r);
	return 0;
}

/* ---- payloads ---- */

static void unmask(const struct ws_reader *r, uint8_t *bytes, size_t len)
{
	const uint8_t *mask = r->head + r->head_len - MASK_BYTES;

	for (size_t i = 0; i < len; i++)
		bytes[i] ^= mask[(r->at + i) % MASK_BYTES];
}

static void frame_end(struct ws_reader *r)
{
	r->head_len = 0;
	r->in_payload = false;
}

static void fail(struct ws_reader *r, int code, struct ws_event *out)
{
	r->failed = true;
	*out = (struct ws_event){.kind = WS_EVENT_FAIL, .code = code};
}

static void data_event(struct ws_reader *r, const uint8_t *bytes, size_t len, struct ws_event *out)
{
	bool last = r->left == 0 && r->final;

	*out = (struct ws_event){WS_EVENT_DATA, r->message, bytes, len, last, 0};
	if (r->message == WS_TEXT &&
	    (!text_add(&r->text, bytes, len) || (last && r->text.missing > 0))) {
		fail(r, WS_CLOSE_BAD_TEXT, out);
		return;
	}
	if (r->left == 0)
		frame_end(r);
	if (last) {
		r->message = 0;
		r->message_bytes = 0;
	}
}

/* Codes that a peer may send (7.4): those of the registry that are for the wire, and those that are
 * free. */
static bool code_is_sendable(int code)
{
	return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
	       (code >= 3000 && code <= 4999);
}

static void control_event(struct ws_reader *r, size_t len, struct ws_event *out)
{
	struct ws_text reason = {0};
	int code = 0;

	*out = (struct ws_event){WS_EVENT_CONTROL, r->opcode, r->control, len, true, 0};
	frame_end(r);
	if (r->opcode != WS_CLOSE || len == 0)
		return;
	if (len >= 2)
		code = r->control[0] << 8 | r->control[1];
	if (!code_is_sendable(code))
		fail(r, WS_CLOSE_PROTOCOL, out);
	else if (!text_add(&reason, r->control + 2, len - 2) || reason.missing > 0)
		fail(r, WS_CLOSE_BAD_TEXT, out);
	else
		out->code = code;
}

static size_t payload_next(struct ws_reader *r, uint8_t *bytes, size_t len, struct ws_event *out)
{
	size_t n = r->left < len ? (size_t)r->left : len;

	unmask(r, bytes, n);
	if (is_control(r->opcode))
		memcpy(r->control + r->at, bytes, n);
	r->left -= n;
	r->at += n;
	if (!is_control(r->opcode))
		data_event(r, bytes, n, out);
	else if (r->left == 0)
		control_event(r, (size_t)r->at, out);
	return n;
}

/* ---- the reader ---- */

void ws_reader_init(struct ws_reader *r, size_t message_bytes_max)
{
	*r = (struct ws_reader){.message_bytes_max = message_bytes_max};
}

size_t ws_reader_next(struct ws_reader *r, uint8_t *bytes, size_t len, struct ws_event *out)
{
	size_t used = 0;

	assert(!r->failed);
	*out = (struct ws_event){.kind = WS_EVENT_NONE};
	while (out->kind == WS_EVENT_NONE) {
		if (r->in_payload && (used < len || r->left == 0)) {
			used += payload_next(r, bytes + used, len - used, out);
		} else if (used < len) {
			int code = head_add(r, bytes[used++]);

			if (code)
				fail(r, code, out);
		} else {
			break;
		}
	}
	return used;
}

bool ws_reader_idle(const struct ws_reader *r)
{
	return r->head_len == 0 && r->message == 0;
}

size_t ws_frame_head(unsigned char head[WS_OUR_HEAD_BYTES_MAX], int opcode, size_t len)
{
	size_t more = len < LENGTH_16 ? 0 : len <= UINT16_MAX ? 2 : 8;

	head[0] = (unsigned char)(FINAL | opcode);
	head[1] = (unsigned char)(more == 0 ? len : more == 2 ? LENGTH_16 : LENGTH_64);
	for (size_t i = 0; i < more; i++)
		head[2 + i] = (unsigned char)(len >> 8 * (more - 1 - i));
	return 2 + more;
}
