/*
 * Checks WebSocket frames (RFC 6455, section 5) byte by byte, in chunks of any size. It stores and
 * unmasks nothing: it returns how many bytes may be passed on, and the close code for a violation
 * in the byte after them. Pure.
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
	WS_CLOSE_UNSUPPORTED_DATA = 1003,
	WS_CLOSE_INVALID_UTF8 = 1007,
	WS_CLOSE_POLICY = 1008,
	WS_CLOSE_TOO_LONG = 1009,
	WS_CLOSE_SERVICE_RESTART = 1012,
	WS_CLOSE_TRY_AGAIN_LATER = 1013,
	WS_CLOSE_UNAUTHORIZED = 4401,
	WS_CLOSE_DENIED = 4403,
	WS_CLOSE_UNKNOWN_SESSION = 4404,
	WS_CLOSE_AUTH_TIMEOUT = 4408,
};

#define WS_HEAD_BYTES_MAX 14 /* two bytes, an eight-byte length and a mask */

/* UTF-8 that arrives in chunks. */
struct ws_text {
	uint8_t missing;   /* bytes still missing of the current character */
	uint8_t low, high; /* bounds of its next byte */
};

/* The sender of the frames. */
enum ws_sender {
	WS_CLIENT, /* any client: every rule is checked */
	WS_SERVER, /* libwebsockets and Vesper: only frame boundaries are tracked */
};

struct ws_reader {
	enum ws_sender sender;
	uint32_t message_bytes_max;
	uint8_t head[WS_HEAD_BYTES_MAX];
	uint8_t head_len; /* of the current frame */
	bool in_payload;  /* the head is complete */
	bool closed;      /* a close frame was read; nothing is read after it */
	uint8_t message;  /* opcode of the current message; 0: none */
	uint16_t code;    /* of a close frame, collected as its bytes arrive */
	uint32_t message_bytes;
	uint64_t at, len; /* position in the frame's payload, and its length */
	struct ws_text text;
	struct ws_text reason;
};

/* `message_bytes_max` limits one message over all its frames. */
void ws_reader_init(struct ws_reader *r, enum ws_sender sender, size_t message_bytes_max);
/*
 * Reads up to the end of one frame and returns the number of valid bytes, which all belong to that
 * frame. *code: 0, or the close code for a violation in the byte after them. Must not be called
 * after a violation or when `closed`. The last byte of an invalid frame is never valid.
 */
size_t ws_reader_check(struct ws_reader *r, const uint8_t *bytes, size_t len, int *code);
/* Returns true between two frames. */
bool ws_reader_is_between_frames(const struct ws_reader *r);
/* Returns true when the frame of the last valid bytes is a ping. */
bool ws_reader_is_ping(const struct ws_reader *r);
#define WS_CONTROL_HEAD_BYTES 6 /* of a client's control frame; the last four are its mask */
#define WS_CONTROL_BYTES_MAX  125

#define WS_CLOSE_REASON_BYTES 64
#define WS_CLOSE_FRAME_BYTES  (4 + WS_CLOSE_REASON_BYTES)
/* Writes an unmasked close frame; `reason` is shorter than WS_CLOSE_REASON_BYTES. Returns its
 * length. */
size_t ws_close_frame(unsigned char frame[WS_CLOSE_FRAME_BYTES], int code, const char *reason);

#endif
