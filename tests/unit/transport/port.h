/*
 * Runs the port in a separate thread, with scripted replacements for everything that it calls;
 * the test is the client.
 * Tests see only what a client sees, and change the port's state only with loop_post.
 */
#ifndef TRANSPORT_PORT_H
#define TRANSPORT_PORT_H

#include "client.h"
#include "port_stub.h"

#include <pthread.h>
#include <semaphore.h>

static struct stub stub;
static char *address;
static char *ann;
static char *unprivileged_token;
static char *expired_token;
static pthread_t thread;
static sem_t opened;

static inline void on_drained(void *owner)
{
	(void)owner;
	loop_stop(stub.loop);
}

static inline void on_stop(void *owner)
{
	(void)owner;
	loop_stop(stub.loop);
}

static inline void on_drain(void *owner)
{
	(void)owner;
	transport_drain(stub.transport, on_drained, NULL);
}

static inline void *serve(void *unused)
{
	struct err e;

	(void)unused;
	if (!stub_open(&stub, "127.0.0.1:0", &e))
		abort();
	address = mem_strdup(transport_address(stub.transport));
	sem_post(&opened);
	loop_run(stub.loop);
	stub_close(&stub);
	return NULL;
}

static inline int setup(void **state)
{
	static const char *const permissions[] = {"chat:use"};

	(void)state;
	ann = stub_token("ann", permissions, 1, 3600);
	unprivileged_token = stub_token("nobody", permissions, 0, 3600);
	expired_token = stub_token("ann", permissions, 1, -10);
	sem_init(&opened, 0, 0);
	pthread_create(&thread, NULL, serve, NULL);
	sem_wait(&opened);
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	if (stub.loop)
		loop_post(stub.loop, on_stop, NULL);
	pthread_join(thread, NULL);
	sem_destroy(&opened);
	mem_free(address);
	mem_free(ann);
	mem_free(unprivileged_token);
	mem_free(expired_token);
	return 0;
}

/* ---- Helpers ---- */

static inline int ws_try(const char *query, const char *headers, char **head)
{
	int fd = client_open(address);
	char *request =
		mem_printf("GET /ws/v1/chat%s HTTP/1.1\r\nHost: 127.0.0.1\r\n" WS_KEY "%s\r\n",
			   query, headers);

	client_send_text(fd, request);
	mem_free(request);
	*head = client_read_head(fd);
	return fd;
}

static inline char *bearer(const char *token)
{
	return mem_printf("Authorization: Bearer %s\r\n", token);
}

/* An open socket of ann that has received session.ready. */
static inline int ws_open(void)
{
	char *auth = bearer(ann);
	char *head;
	int fd = ws_try("", auth, &head);
	json_t *ready;

	assert_int_equal(status_of(head), 101);
	ready = ws_read_json(fd);
	assert_string_equal(member(ready, "type"), "session.ready");
	json_decref(ready);
	mem_free(head);
	mem_free(auth);
	return fd;
}

static inline void assert_next(int fd, const char *type, const char *code)
{
	json_t *frame = ws_read_json(fd);

	assert_string_equal(member(frame, "type"), type);
	if (code) {
		assert_string_equal(member(frame, "code"), code);
		assert_null(json_object_get(frame, "seq"));
	}
	json_decref(frame);
}

/* Starts a turn, reads its frames up to the first token, and returns its id. */
static inline void begin(int fd, const char *content, char turn_id[UUID_BYTES])
{
	char *message = mem_printf("{\"type\":\"chat.message\",\"content\":\"%s\"}", content);
	json_t *frame;

	ws_send_text(fd, message);
	mem_free(message);
	frame = ws_read_json(fd);
	assert_string_equal(member(frame, "type"), "chat.thinking");
	snprintf(turn_id, UUID_BYTES, "%s", member(frame, "turn_id"));
	json_decref(frame);
	assert_next(fd, "chat.token", NULL);
}

static char *api(const char *method, const char *path, const char *body)
{
	char *head =
		mem_printf("%s %s HTTP/1.1\r\nAuthorization: Bearer %s\r\n", method, path, ann);
	char *answer = client_request(address, head, body);

	mem_free(head);
	return answer;
}

static inline void assert_api(const char *method, const char *path, const char *body, int status,
			      const char *expected)
{
	char *answer = api(method, path, body);

	if (status_of(answer) != status || (expected && !strstr(answer, expected)))
		fail_msg("%s %s %s: %s", method, path, body ? body : "", answer);
	mem_free(answer);
}
static inline void assert_refused(const char *query, const char *headers, int status)
{
	char *head;
	int fd = ws_try(query, headers, &head);

	if (status_of(head) != status)
		fail_msg("%s %s: %s", query, headers, head);
	assert_true(strstr(head, "application/problem+json"));
	mem_free(head);
	close(fd);
}

static inline int open_without_token(void)
{
	char *head;
	int fd = ws_try("", "Origin: http://127.0.0.1\r\n", &head);

	assert_int_equal(status_of(head), 101);
	mem_free(head);
	return fd;
}

static inline void send_token(int fd, const char *token)
{
	char *frame = mem_printf("{\"type\":\"auth\",\"token\":\"%s\"}", token);

	ws_send_text(fd, frame);
	mem_free(frame);
}

/* A frozen clock that tests advance; the port checks it once per second. */

static inline void on_freeze(void *owner)
{
	(void)owner;
	clock_freeze_ms(clock_now_ms());
}

static inline void on_advance(void *owner)
{
	clock_advance_ms((intptr_t)owner);
}

static inline void freeze(void)
{
	loop_post(stub.loop, on_freeze, NULL);
	usleep(50000);
}

static inline void advance(int64_t ms)
{
	loop_post(stub.loop, on_advance, (void *)(intptr_t)ms);
	usleep(1200000);
}

static inline int teardown_clock(void **state)
{
	int rc = teardown(state);

	clock_release();
	return rc;
}

#define LIVE(test)  cmocka_unit_test_setup_teardown(test, setup, teardown)
#define TIMED(test) cmocka_unit_test_setup_teardown(test, setup, teardown_clock)

#endif
