/*
 * Frames of a WebSocket (RFC 6455, section 5), checked byte by byte however they are cut. Nothing
 * is stored or unmasked: the reader says how many bytes may be passed on, and with which code the
 * connection fails at the next one. Pure.
 */
#ifndef VESPER_WS_FRAME_H
#define VESPER_WS_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#define WS_HEAD_BYTES_MAX 14 /* two bytes, a length of eight and a mask */

/* UTF-8 that comes in pieces. */
struct ws_text {
	uint8_t missing;   /* bytes of the character that has begun */
	uint8_t low, high; /* bounds of its next byte */
};

/* Who sends the frames. */
enum ws_sender {
	WS_CLIENT, /* any: every rule is checked */
	WS_SERVER, /* libwebsockets and Vesper: only where frames begin and end */
};

struct ws_reader {
	enum ws_sender sender;
	uint32_t message_bytes_max;
	uint8_t head[WS_HEAD_BYTES_MAX];
	uint8_t head_len; /* of the frame that is coming */
	bool in_payload;  /* its head is complete */
	bool closed;      /* a close frame was read; nothing is read after it */
	uint8_t message;  /* opcode of the message that is under way; 0: none */
	uint16_t code;    /* of a close frame, as its bytes come */
	uint32_t message_bytes;
	uint64_t at, len; /* of the frame's payload */
	struct ws_text text;
	struct ws_text reason;
};

/* `message_bytes_max`: of one message in all its frames. */
void ws_reader_init(struct ws_reader *r, enum ws_sender sender, size_t message_bytes_max);
/*
 * Reads up to the end of a frame and returns how many bytes are good; they are all of that frame.
 * *code: 0, or the close code of the violation in the byte after them. No further call after a
 * violation or when `closed`. The last byte of a frame is never good when the frame is not.
 */
size_t ws_reader_check(struct ws_reader *r, const uint8_t *bytes, size_t len, int *code);
/* Between two frames. */
bool ws_reader_between(const struct ws_reader *r);
/* Whether the frame of the last good bytes is a ping. */
bool ws_reader_ping(const struct ws_reader *r);
#define WS_CONTROL_HEAD_BYTES 6 /* of a client's control frame; its mask are the last four */
#define WS_CONTROL_BYTES_MAX  125

#define WS_CLOSE_REASON_BYTES 64
#define WS_CLOSE_FRAME_BYTES  (4 + WS_CLOSE_REASON_BYTES)
/* A close frame of ours, not masked; `reason` shorter than WS_CLOSE_REASON_BYTES. Returns its
 * length. */
size_t ws_close_frame(unsigned char frame[WS_CLOSE_FRAME_BYTES], int code, const char *reason);

#endif
