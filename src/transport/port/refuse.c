/* Answers a handshake with a refusal directly on the socket, without a library. */
#include "refuse.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

void socket_discard(int fd, size_t len)
{
	char drop[4096];

	while (len > 0) {
		ssize_t n = recv(fd, drop, len < sizeof(drop) ? len : sizeof(drop), MSG_DONTWAIT);

		if (n <= 0)
			return;
		len -= (size_t)n;
	}
}

static void send_problem(int fd, enum code p, const char *path, const char *request_id)
{
	const struct code_row *row = code_row(p);
	json_t *body = problem_json(p, NULL, path, request_id);
	char *text = json_text(body);
	struct buf answer;

	buf_init(&answer, HEADER_BYTES_MAX);
	buf_printf(&answer,
		   "HTTP/1.1 %d %s\r\nContent-Type: application/problem+json\r\nContent-Length: "
		   "%zu\r\n"
		   "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: "
		   "close\r\n",
		   row->status, row->title, strlen(text));
	if (request_id)
		buf_printf(&answer, "X-Request-Id: %s\r\n", request_id);
	if (p == CODE_UNAUTHORIZED)
		buf_str(&answer, "WWW-Authenticate: Bearer realm=\"vesper\"\r\n");
	if (p == CODE_UPGRADE)
		buf_str(&answer, "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n");
	buf_printf(&answer, "\r\n%s", text);
	/* The empty send buffer of a fresh socket holds the whole answer, so one send suffices. A
	 * failure means that the client has disconnected. */
	if (send(fd, buf_text(&answer), answer.n, MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
		shutdown(fd, SHUT_WR);
	buf_deinit(&answer);
	mem_free(text);
	json_decref(body);
}

void refuse_and_shut_down(int fd, enum code p, const char *path, const char *request_id)
{
	send_problem(fd, p, path, request_id);
	shutdown(fd, SHUT_RDWR);
}

void refuse_and_close(int fd, size_t head_len, enum code p)
{
	socket_discard(fd, head_len); /* closing a socket with unread bytes sends a reset, which may
					 overtake the answer */
	send_problem(fd, p, NULL, NULL);
	close(fd);
}
