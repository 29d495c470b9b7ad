/*
 * A cursor is the id of the last row, sealed for one list and one caller: clients can neither
 * depend on its content nor probe ids with it.
 */
#include "page.h"

#include <stdlib.h>
#include <string.h>

#include "vesper/hash.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/uuid.h"

#define SEAL_BYTES   16
#define CURSOR_BYTES (UUID_BYTES - 1 + SEAL_BYTES)

static const char *const filters[] = {"q", "archived", "rating", "dialect", "kind"};
#define FILTER_COUNT (sizeof(filters) / sizeof(filters[0]))

/* A list is identified by its path, its caller and its filters. */
static void seal(const struct request *r, const char *id, uint8_t out[HASH_SHA256_BYTES])
{
	struct buf text;

	buf_init(&text, SIZE_MAX / 2); /* limited by the size of a head */
	buf_printf(&text, "%s\x1f%s\x1f%s", r->path, r->who->tenant, r->who->user);
	for (size_t i = 0; i < FILTER_COUNT; i++) {
		const char *value = request_query(r, filters[i]);

		buf_printf(&text, "\x1f%s", value ? value : "");
	}
	buf_printf(&text, "\x1f%s", id);
	hash_hmac_sha256(r->transport->cursor_key, sizeof(r->transport->cursor_key),
			 buf_text(&text), text.n, out);
	buf_deinit(&text);
}

static const char *cursor_open(const struct request *r, const char *cursor)
{
	const char *id = NULL;
	uint8_t expected[HASH_SHA256_BYTES];
	struct buf text;

	buf_init(&text, CURSOR_BYTES);
	if (hash_base64url_decode(&text, cursor, strlen(cursor)) && text.n == CURSOR_BYTES) {
		id = arena_strndup(r->arena, text.p, UUID_BYTES - 1);
		seal(r, id, expected);
		if (!uuid_valid(id) || !hash_equal(expected, text.p + UUID_BYTES - 1, SEAL_BYTES))
			id = NULL;
	}
	buf_deinit(&text);
	return id;
}

static const char *cursor_make(const struct request *r, const char *last_id)
{
	uint8_t sum[HASH_SHA256_BYTES];
	const char *cursor;
	struct buf text, sealed;

	seal(r, last_id, sum);
	buf_init(&sealed, CURSOR_BYTES);
	buf_add(&sealed, last_id, strlen(last_id));
	buf_add(&sealed, sum, SEAL_BYTES);
	buf_init(&text, 2 * CURSOR_BYTES);
	hash_base64url(&text, sealed.p, sealed.n);
	cursor = arena_strdup(r->arena, buf_text(&text));
	buf_deinit(&text);
	buf_deinit(&sealed);
	return cursor;
}

bool page_parse_limits(const struct request *r, size_t default_limit, size_t max_limit,
		       struct page *out, struct err *e)
{
	const char *limit = request_query(r, "limit");
	const char *cursor = request_query(r, "cursor");
	struct page page = {.limit = default_limit};

	if (limit) {
		page.limit = strlen(limit) <= 4 && strspn(limit, "0123456789") == strlen(limit)
				     ? strtoul(limit, NULL, 10)
				     : 0;
		if (page.limit < 1 || page.limit > max_limit)
			return err_set(e, ERR_INPUT, "limit: must be 1 to %zu", max_limit);
	}
	if (cursor) {
		page.after = cursor_open(r, cursor);
		if (!page.after)
			return err_set(e, ERR_INPUT,
				       "cursor: does not belong to this list. Start again without "
				       "a cursor");
	}
	*out = page;
	return true;
}

bool page_parse(const struct request *r, struct page *out, struct err *e)
{
	return page_parse_limits(r, PAGE_DEFAULT, PAGE_MAX, out, e);
}

static void add_query(struct buf *out, const char *name, const char *value)
{
	if (!value)
		return;
	buf_printf(out, "&%s=", name);
	for (const char *c = value; *c; c++)
		if ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
		    (*c >= '0' && *c <= '9') || strchr("-._~", *c))
			buf_char(out, *c);
		else
			buf_printf(out, "%%%02X", (unsigned char)*c);
}

static void add_link(struct request *r, const char *cursor)
{
	struct buf link;

	buf_init(&link, HEADER_BYTES_MAX);
	buf_printf(&link, "<%s?cursor=%s", r->path, cursor);
	add_query(&link, "limit", request_query(r, "limit"));
	for (size_t i = 0; i < FILTER_COUNT; i++)
		add_query(&link, filters[i], request_query(r, filters[i]));
	buf_str(&link, ">; rel=\"next\"");
	if (!buf_over(&link))
		reply_header(r, "Link", buf_text(&link));
	buf_deinit(&link);
}

void page_reply_rows(struct request *r, const struct buf *rows, bool has_more, const char *last_id)
{
	struct buf body;

	buf_init(&body, rows->n + HEADER_BYTES_MAX);
	buf_str(&body, "{\"data\":[");
	buf_add(&body, buf_text(rows), rows->n);
	buf_printf(&body, "],\"has_more\":%s", has_more ? "true" : "false");
	if (has_more && last_id) {
		const char *cursor = cursor_make(r, last_id);

		buf_printf(&body, ",\"next_cursor\":\"%s\"", cursor);
		add_link(r, cursor);
	}
	buf_char(&body, '}');
	reply_bytes(r, 200, "application/json", buf_text(&body), body.n);
	buf_deinit(&body);
}

void page_add_members(struct request *r, json_t *body, bool has_more, const char *last_id)
{
	json_set_bool(body, "has_more", has_more);
	if (has_more && last_id) {
		const char *cursor = cursor_make(r, last_id);

		json_set_str(body, "next_cursor", cursor);
		add_link(r, cursor);
	}
}

void page_reply(struct request *r, json_t *data, bool has_more, const char *last_id)
{
	json_t *body = json_object();

	json_set_take(body, "data", data);
	page_add_members(r, body, has_more, last_id);
	reply_json(r, 200, body);
}
