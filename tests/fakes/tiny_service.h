/* A service that answers with JSON, with a loop and a client for it: one of each per test. */
#ifndef VESPER_TINY_SERVICE_H
#define VESPER_TINY_SERVICE_H

#include "tiny_server.h"
#include "vesper/clock.h"
#include "vesper/http.h"
#include "vesper/loop.h"
#include "vesper/mem.h"

static struct loop *loop;
static struct http *http;
static struct tiny_server server;
static char *answers[TINY_MAX];
static size_t answer_count;

static inline void service_open(int64_t now_ms)
{
	clock_freeze_ms(now_ms);
	assert_true(loop_new(&loop, NULL));
	assert_true(http_new(loop, &http, NULL));
	tiny_server_open(&server, loop);
}

static inline void service_close(void)
{
	tiny_server_close(&server);
	http_free(&http);
	loop_free(&loop);
	while (answer_count > 0)
		mem_free(answers[--answer_count]);
	clock_release();
}

/* Sets the next answer. `status`: the status line after the version, and optionally headers. */
static inline void will_answer(const char *status, const char *body)
{
	char *text = mem_printf("HTTP/1.1 %s\r\nContent-Type: application/json\r\n"
				"Content-Length: %zu\r\nConnection: close\r\n\r\n%s",
				status, strlen(body), body);

	answers[answer_count++] = text;
	tiny_server_add(&server, (struct tiny_reply){.text = text});
}

#endif
