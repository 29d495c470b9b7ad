/* Collects chunks of a body into blocks. A block that the sink does not take suspends the
 * connection. */
#include "body_sink.h"

#include "vesper/clock.h"
#include "vesper/limits.h"

static bool flush(struct request *r)
{
	if (r->upload.text.n == 0)
		return true;
	if (!r->stream.sink->take(r, r->upload.text.p, r->upload.text.n))
		return false;
	buf_reset(&r->upload.text);
	return true;
}

/* The library requires that each chunk is consumed completely or the connection is suspended. */
static bool suspend_until_taken(struct request *r)
{
	r->stream.waiting_since_ms = clock_mono_ms();
	request_suspend(r);
	return true;
}

static void note_activity(struct request *r)
{
	int64_t now = clock_mono_ms();

	if (r->stream.waiting_since_ms > 0)
		r->stream.waited_ms += now - r->stream.waiting_since_ms;
	r->stream.waiting_since_ms = 0;
	r->stream.last_ms = now;
}

static bool drop_rest(struct request *r, size_t *upload_len)
{
	r->stream.dropped += *upload_len;
	*upload_len = 0;
	return r->stream.dropped <= BODY_DROPPED_MAX;
}

bool body_sink_add(struct request *r, const char *upload, size_t *upload_len)
{
	size_t room;

	note_activity(r);
	if (r->reply.response || !r->stream.sink || r->stream.sink->failed(r))
		return drop_rest(r, upload_len);
	room = BODY_BLOCK_BYTES - r->upload.text.n;
	if (room == 0) {
		if (!flush(r))
			return r->stream.sink->failed(r) ? drop_rest(r, upload_len)
							 : suspend_until_taken(r);
		room = BODY_BLOCK_BYTES;
	}
	room = *upload_len < room ? *upload_len : room;
	buf_add(&r->upload.text, upload, room);
	r->upload.bytes += room;
	*upload_len -= room;
	return true;
}

bool body_sink_end(struct request *r)
{
	note_activity(r);
	if (!r->stream.sink->failed(r) && !flush(r) && !r->stream.sink->failed(r))
		return false;
	r->stream.sink->end(r);
	return true;
}

bool body_sink_is_late(const struct request *r, int64_t now_ms)
{
	int64_t last_ms = r->stream.last_ms, begun_ms = r->begun_us / 1000;
	int64_t elapsed_ms = now_ms - begun_ms - r->stream.waited_ms;

	if (r->suspended || r->read)
		return false;
	return now_ms - last_ms >= BODY_SILENT_MS ||
	       (elapsed_ms >= BODY_RATE_AFTER_MS &&
		(int64_t)r->upload.bytes * 1000 < elapsed_ms * BODY_RATE_BYTES_S);
}
