/* A plain blocking client for the tests of the port: bytes, requests, frames. */
#ifndef TRANSPORT_CLIENT_H
#define TRANSPORT_CLIENT_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "fixture.h"
#include "vesper/clock.h"
#include "vesper/mem.h"

#define CLIENT_WAIT_S 20
#define WS_KEY                                                                                     \
	"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"               \
	"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

static inline int client_socket(void)
{
	const struct timeval wait = {.tv_sec = CLIENT_WAIT_S};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	return fd;
}

static inline void client_connect(int fd, const char *address)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)atol(strrchr(address, ':') + 1))};

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
}

static inline int client_open(const char *address)
{
	int fd = client_socket();

	client_connect(fd, address);
	return fd;
}

static inline void client_send(int fd, const void *bytes, size_t len)
{
	assert_int_equal(send(fd, bytes, len, MSG_NOSIGNAL), (ssize_t)len);
}

static inline void client_send_text(int fd, const char *text)
{
	client_send(fd, text, strlen(text));
}

/* The connection has ended. A reset is an end too, because the server may not have read all data.
 */
static inline void assert_connection_ended(int fd)
{
	char c;
	ssize_t n = recv(fd, &c, 1, 0);

	assert_true(n == 0 || (n < 0 && errno == ECONNRESET));
}

/* Reads until the connection ends. Free with mem_free. */
static inline char *client_read_all(int fd)
{
	struct buf all;
	char part[4096];
	ssize_t n;

	buf_init(&all, 64 * 1024 * 1024);
	while ((n = recv(fd, part, sizeof(part), 0)) > 0)
		buf_add(&all, part, (size_t)n);
	return buf_take(&all);
}

static inline void client_read(int fd, void *out, size_t len)
{
	size_t have = 0;

	while (have < len) {
		ssize_t n = recv(fd, (char *)out + have, len - have, 0);

		if (n <= 0)
			fail_msg("connection ended after %zu of %zu bytes: %s", have, len,
				 strerror(errno));
		have += (size_t)n;
	}
}

/* Reads up to the empty line after the headers. Free with mem_free. */
static inline char *client_read_head(int fd)
{
	struct buf head;
	char c;

	buf_init(&head, 65536);
	while (head.n < 4 || memcmp(head.p + head.n - 4, "\r\n\r\n", 4) != 0) {
		client_read(fd, &c, 1);
		buf_char(&head, c);
	}
	return buf_take(&head);
}

/* One request, one answer, then the connection is closed. */
static inline char *client_request(const char *address, const char *head, const char *body)
{
	int fd = client_open(address);
	char *answer;
	char *text = body ? mem_printf("%sHost: localhost\r\nConnection: close\r\nContent-Type: "
				       "application/json\r\n"
				       "Content-Length: %zu\r\n\r\n%s",
				       head, strlen(body), body)
			  : mem_printf("%sHost: localhost\r\nConnection: close\r\n\r\n", head);

	client_send_text(fd, text);
	answer = client_read_all(fd);
	close(fd);
	mem_free(text);
	return answer;
}

static inline int status_of(const char *answer)
{
	return strncmp(answer, "HTTP/1.1 ", 9) == 0 ? atoi(answer + 9) : 0;
}

static inline const char *body_of(const char *answer)
{
	const char *body = strstr(answer, "\r\n\r\n");

	return body ? body + 4 : "";
}

/* ---- WebSocket ---- */

enum { OP_TEXT = 1, OP_BINARY = 2, OP_CLOSE = 8, OP_PING = 9, OP_PONG = 10 };

static inline void ws_send(int fd, int op, const void *payload, size_t len)
{
	unsigned char head[14] = {(unsigned char)(0x80 | op)};
	unsigned char *frame;
	size_t n = 2;

	if (len < 126) {
		head[1] = (unsigned char)(0x80 | len);
	} else if (len < 65536) {
		head[1] = 0x80 | 126;
		head[n++] = (unsigned char)(len >> 8);
		head[n++] = (unsigned char)(len & 0xff);
	} else {
		head[1] = 0x80 | 127;
		n += 4;
		for (int i = 3; i >= 0; i--)
			head[n++] = (unsigned char)(len >> (8 * i));
	}
	n += 4; /* a mask of zeros */
	frame = mem_alloc(n + len);
	memcpy(frame, head, n);
	memcpy(frame + n, payload, len);
	client_send(fd, frame, n + len);
	mem_free(frame);
}

static inline void ws_send_text(int fd, const char *json)
{
	ws_send(fd, OP_TEXT, json, strlen(json));
}

/* The next frame's payload (free with mem_free) and opcode. */
static inline char *ws_read(int fd, int *op, size_t *len)
{
	unsigned char head[2];
	unsigned char more[8];
	size_t n;
	char *payload;

	client_read(fd, head, 2);
	*op = head[0] & 0xf;
	n = head[1] & 0x7f;
	if (n == 126) {
		client_read(fd, more, 2);
		n = (size_t)(more[0] << 8 | more[1]);
	} else if (n == 127) {
		client_read(fd, more, 8);
		n = 0;
		for (int i = 0; i < 8; i++)
			n = n << 8 | more[i];
	}
	payload = mem_alloc(n + 1);
	client_read(fd, payload, n);
	*len = n;
	return payload;
}

/* The next text frame as JSON; pings are skipped. */
static inline json_t *ws_read_json(int fd)
{
	json_t *value;
	size_t len;
	char *text;
	int op;

	do {
		text = ws_read(fd, &op, &len);
		if (op == OP_CLOSE)
			fail_msg("closed with %d %s",
				 (unsigned char)text[0] << 8 | (unsigned char)text[1], text + 2);
		if (op != OP_TEXT)
			mem_free(text);
	} while (op != OP_TEXT);
	value = parsed(text);
	mem_free(text);
	return value;
}

/* The code of the close frame; everything before it is skipped. 0: closed without one. */
static inline int ws_close_code(int fd)
{
	unsigned char first;
	size_t len;
	char *payload;
	int code = 0;
	int op = 0;

	while (op != OP_CLOSE && recv(fd, &first, 1, MSG_PEEK) == 1) {
		payload = ws_read(fd, &op, &len);
		if (op == OP_CLOSE && len >= 2)
			code = (unsigned char)payload[0] << 8 | (unsigned char)payload[1];
		mem_free(payload);
	}
	close(fd);
	return code;
}

static inline const char *member(const json_t *frame, const char *name)
{
	const char *text = json_string_value(json_object_get(frame, name));

	return text ? text : "";
}

static inline int64_t seq_of(const json_t *frame)
{
	return json_integer_value(json_object_get(frame, "seq"));
}

#endif
