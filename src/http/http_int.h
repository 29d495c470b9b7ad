/* State that the client and its transfers share. No handle may be removed inside a curl callback;
 * `callback_depth` counts nested callbacks, and transfers cancelled there are queued in `dropped`.
 */
#ifndef VESPER_HTTP_INT_H
#define VESPER_HTTP_INT_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>

#include "vesper/http.h"
#include "vesper/list.h"
#include "vesper/loop.h"

struct http {
	struct loop *loop;
	CURLM *multi;
	char *ca_file;       /* NULL: the system's */
	struct timer *timer; /* curl's next deadline */
	struct list running;
	struct list dropped;
	int64_t count;
	int callback_depth;
};

/* ---- limits.c: time limits of a transfer. Pure: times are those of the loop's clock. ---- */

struct limits {
	int64_t first_byte_ms, idle_ms, total_ms; /* each 0: no limit */
	uint64_t started_ms;
	uint64_t last_ms; /* of the last byte */
	bool got_byte;
	bool is_suspended; /* the caller has paused the transfer, so the idle limit does not apply
			    */
};

/* The name and time of the limit that expires next; NULL when none is running. */
const char *limits_next(const struct limits *l, uint64_t *due_ms, int64_t *limit_ms);

#define HTTP_FIELD_BYTES 128

struct transfer {
	struct op op; /* first member: the caller's handle */
	struct list node;
	struct http *http;
	CURL *easy;
	struct curl_slist *headers;
	char *body;
	struct http_handler handler;
	void *owner;

	struct http_response head;
	char content_type[HTTP_FIELD_BYTES];
	char request_id[HTTP_FIELD_BYTES];
	bool has_retry_ms; /* retry-after-ms takes precedence over retry-after in any order */
	bool is_head_delivered;
	bool is_event_stream; /* an event stream: its owner limits the length */
	int64_t received;

	struct timer *timer; /* set to the nearest of the limits below */
	int64_t connect_ms;  /* enforced by curl */
	struct limits limits;

	struct deferred resume;
	bool paused; /* the owner accepts no data */

	bool dropped;
	struct err end_err; /* why the transfer was ended here; ERR_NONE: curl's result applies */
	char curl_text[CURL_ERROR_SIZE];
};

/* Runs curl for one descriptor (or CURL_SOCKET_TIMEOUT), then ends transfers that have finished. */
void http_process(struct http *h, curl_socket_t fd, int mask);
/* Ends transfers that finished or were dropped during a curl call. */
void http_settle(struct http *h);

/* Removes the transfer from curl and frees it, without calling its owner. */
void transfer_free(struct transfer *t);
/* As transfer_free, then calls the owner. */
void transfer_end(struct transfer *t, const struct err *e);
/* Interprets curl's result: true when the response is complete. */
bool transfer_result(const struct transfer *t, CURLcode code, struct err *e);

#endif
