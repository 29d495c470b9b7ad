/*
 * Reads a log as items of one wire format. An event is serialized when a socket is ready for it, so
 * slow readers use no memory.
 */
#include "projection.h"
#include "vesper/wire.h"

#include <assert.h>
#include <stddef.h>

#include "vesper/limits.h"
#include "vesper/mem.h"

struct wire_reader {
	const struct projection *projection;
	struct stream_watch *watch;
	uint64_t items;  /* number of items read */
	uint64_t frames; /* number of chat frames read */
	struct buf item;
	const struct wire_head *head;
	_Alignas(max_align_t) unsigned char state[WIRE_STATE_BYTES_MAX];
};

static uint64_t items_until(const struct stream_log *log, const struct projection *p, uint64_t last)
{
	uint64_t items = 0;

	for (uint64_t seq = 1; seq <= last; seq++)
		items += p->items[stream_kind(log, seq)];
	return items;
}

uint64_t wire_items(const struct stream_log *log, const struct projection *p)
{
	return items_until(log, p, stream_last_seq(log));
}

bool wire_can_resume(const struct stream_log *log, const struct projection *p, uint64_t after)
{
	uint64_t takeover_seq = stream_takeover_seq(log);

	return after <= items_until(log, p, takeover_seq ? takeover_seq - 1 : stream_last_seq(log));
}

bool wire_is_behind(const struct stream_log *log, const struct projection *p, uint64_t after)
{
	return !stream_takeover_seq(log) && after > wire_items(log, p);
}

/* The number of the event that completes this many items. */
static uint64_t event_after(const struct stream_log *log, const struct projection *p,
			    uint64_t items)
{
	uint64_t seq = 0;

	while (items > 0)
		items -= p->items[stream_kind(log, ++seq)];
	return seq;
}

struct wire_reader *wire_reader_new(struct stream_log *log, const struct projection *p,
				    uint64_t after, void (*wake)(void *owner), void *owner)
{
	struct wire_reader *r = mem_alloc(sizeof(*r));

	assert(p->state_bytes <= sizeof(r->state) && (p->state_bytes == 0 || after == 0));
	static const struct wire_head no_head;

	r->head = &no_head;
	r->projection = p;
	r->items = after;
	buf_init(&r->item, SIZE_MAX / 2); /* one event, limited by its log */
	r->frames = items_until(log, &wire_chat, event_after(log, p, after));
	r->watch = stream_watch_new(log, event_after(log, p, after), wake, owner);
	return r;
}

static bool is_plain_text(const struct stream_entry *entry)
{
	return entry && entry->event->kind == EVENT_TEXT_DELTA &&
	       !entry->event->u.text_delta.marked;
}

/* Merges adjacent chunks, which are contiguous in the log's text. A chunk with a mark stays
 * separate. */
static void merge(struct wire_reader *r, struct event *event)
{
	struct str *text = &event->u.text_delta.text;
	const struct stream_entry *entry = NULL;

	while (text->n < TOKEN_MERGE_BYTES_MAX && is_plain_text(entry = stream_read(r->watch))) {
		text->n += entry->event->u.text_delta.text.n;
		r->items++;
		r->frames++;
		entry = NULL;
	}
	if (entry)
		stream_unread(r->watch);
}

static const struct stream_entry *next_with_item(struct wire_reader *r)
{
	const struct stream_entry *entry;

	do {
		entry = stream_read(r->watch);
		r->frames += entry ? wire_chat.items[entry->event->kind] : 0;
	} while (entry && r->projection->items[entry->event->kind] == 0);
	return entry;
}

/* Serializes one item that covers those from `first` on. */
static struct str item_of(struct wire_reader *r, uint64_t first, const struct event *event)
{
	const struct stream_log *log = stream_watch_log(r->watch);
	const struct wire_at at = {
		.turn_id = stream_turn_id(log),
		.session_id = stream_session_id(log),
		.log = log,
		.head = r->head,
		.text = stream_text(log),
		.first = first,
		.seq = r->items,
		.frame = r->frames,
		.state = r->state,
	};

	buf_reset(&r->item);
	r->projection->event(&at, event, &r->item);
	return (struct str){buf_text(&r->item), r->item.n};
}

bool wire_next(struct wire_reader *r, bool merging, struct str *item)
{
	const struct stream_entry *entry = next_with_item(r);
	uint64_t first;
	struct event event;

	if (!entry)
		return false;
	event = *entry->event;
	first = ++r->items;
	if (merging && is_plain_text(entry))
		merge(r, &event);
	*item = item_of(r, first, &event);
	return true;
}

void wire_fail(struct wire_reader *r, const char *code, const char *message, struct str *item)
{
	const struct event event = {
		.kind = EVENT_ERROR,
		.u.error = {.code = code, .message = message},
	};

	*item = item_of(r, r->items, &event);
}

void wire_reader_set_head(struct wire_reader *r, const struct wire_head *head)
{
	assert(r->items == 0);
	r->head = head;
}

bool wire_is_at_end(const struct wire_reader *r)
{
	return stream_watch_is_at_end(r->watch);
}

struct stream_log *wire_log(const struct wire_reader *r)
{
	return stream_watch_log(r->watch);
}

void wire_reader_free(struct wire_reader **reader)
{
	struct wire_reader *r = *reader;

	if (!r)
		return;
	*reader = NULL;
	stream_watch_free(&r->watch);
	buf_deinit(&r->item);
	mem_free(r);
}
