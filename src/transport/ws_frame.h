/*
 * The frames of a client (RFC 6455, section 5), read from bytes however they are cut, and the heads
 * of ours. What a client may not send is told as the code that the connection fails with. Pure.
 */
#ifndef VESPER_WS_FRAME_H
#define VESPER_WS_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WS_CONTINUATION = 0,
	WS_TEXT = 1,
	WS_BINARY = 2,
	WS_CLOSE = 8,
	WS_PING = 9,
	WS_PONG = 10,
};

enum {
	WS_CLOSE_NORMAL = 1000,
	WS_CLOSE_GOING_AWAY = 1001,
	WS_CLOSE_PROTOCOL = 1002,
	WS_CLOSE_NOT_TEXT = 1003,
	WS_CLOSE_BAD_TEXT = 1007,
	WS_CLOSE_POLICY = 1008,
	WS_CLOSE_TOO_LONG = 1009,
	WS_CLOSE_RESTART = 1012,
	WS_CLOSE_LATER = 1013,
	WS_CLOSE_UNAUTHORIZED = 4401,
	WS_CLOSE_DENIED = 4403,
	WS_CLOSE_UNKNOWN_SESSION = 4404,
	WS_CLOSE_SILENT = 4408,
};

#define WS_CONTROL_BYTES_MAX 125
#define WS_HEAD_BYTES_MAX    14 /* a client's, with its mask */

/* UTF-8 that comes in pieces. */
struct ws_text {
	uint8_t missing;   /* bytes of the character that has begun */
	uint8_t low, high; /* bounds of its next byte */
};

struct ws_reader {
	size_t message_bytes_max;
	uint8_t head[WS_HEAD_BYTES_MAX];
	size_t head_len; /* of the frame that is coming */
	bool in_payload; /* its head is whole */
	uint64_t left;   /* bytes of its payload that are missing */
	uint64_t at;     /* and that were here */
	int opcode;      /* of that frame */
	bool final;
	int message; /* WS_TEXT or WS_BINARY; 0: no message is under way */
	uint64_t message_bytes;
	struct ws_text text;
	uint8_t control[WS_CONTROL_BYTES_MAX];
	bool failed;
};

enum ws_event_kind {
	WS_EVENT_NONE,    /* all bytes are used up */
	WS_EVENT_DATA,    /* a piece of a message; `last` with its end */
	WS_EVENT_CONTROL, /* a whole close, ping or pong */
	WS_EVENT_FAIL,    /* `code`; nothing may be read after it */
};

struct ws_event {
	enum ws_event_kind kind;
	int opcode;           /* of the message, or of the control frame */
	const uint8_t *bytes; /* valid until the next call */
	size_t len;
	bool last;
	int code; /* WS_EVENT_FAIL; of a close frame what it says, 0: nothing */
};

void ws_reader_init(struct ws_reader *r, size_t message_bytes_max);
/* Reads up to the next event and unmasks what it reads, in place. Returns how many bytes it used.
 */
size_t ws_reader_next(struct ws_reader *r, uint8_t *bytes, size_t len, struct ws_event *out);
/* Nothing has begun: neither a frame nor a message. */
bool ws_reader_idle(const struct ws_reader *r);

/* The head of a whole frame of ours, which is not masked; returns its length. */
#define WS_OUR_HEAD_BYTES_MAX 10
size_t ws_frame_head(unsigned char head[WS_OUR_HEAD_BYTES_MAX], int opcode, size_t len);

#endif
