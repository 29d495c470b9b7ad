/*
 * Checks of a request's head that apply to all routes. A head is refused if a proxy in front may
 * have parsed it differently, if it has an unknown query parameter, or if its body cannot be read.
 */
#include <microhttpd.h>

#include "request.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "head_layout.h"
#include "port/http_text.h"
#include "vesper/limits.h"
#include "vesper/utf8.h"

/* ---- Reading the request ---- */

const char *request_header(const struct request *r, const char *name)
{
	return MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, name);
}

const char *request_cookie(const struct request *r, const char *name)
{
	return MHD_lookup_connection_value(r->connection, MHD_COOKIE_KIND, name);
}

const char *request_conversation(const struct request *r, const char **id)
{
	static const char *const names[] = {"X-Vesper-Session-Id", "X-OpenWebUI-Chat-Id"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		*id = request_header(r, names[i]);
		if (*id)
			return names[i];
	}
	return NULL;
}

bool request_matches_etag(const struct request *r, const char *header, const char *etag)
{
	struct str rest = str_of(request_header(r, header)), one;

	while (str_split(&rest, ',', &one)) {
		one = str_trim(one);
		if (str_starts(one, STR("W/")))
			one = (struct str){one.p + 2, one.n - 2};
		if (str_eq(one, STR("*")) || str_eq(one, str_of(etag)))
			return true;
	}
	return false;
}

/* The decoded text; NULL when it cannot be decoded. */
static const char *decoded(const struct request *r, const char *text)
{
	char *copy = arena_strdup(r->arena, text);

	return percent_decode(copy) && utf8_valid(copy, strlen(copy)) ? copy : NULL;
}

const char *request_query(const struct request *r, const char *name)
{
	const char *value = MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, name);

	return value ? decoded(r, value) : NULL;
}

/* ---- The query ---- */

struct name_list {
	const struct request *request;
	const char *names[32];
	size_t count;
	bool has_duplicate;
	bool has_undecodable;
};

static enum MHD_Result on_query_name(void *owner, enum MHD_ValueKind kind, const char *name,
				     const char *value)
{
	struct name_list *list = owner;

	(void)kind;
	name = decoded(list->request, name);
	if (!name || (value && !decoded(list->request, value)))
		list->has_undecodable = true;
	for (size_t i = 0; name && i < list->count; i++)
		list->has_duplicate |= strcmp(list->names[i], name) == 0;
	if (list->count == sizeof(list->names) / sizeof(list->names[0]))
		list->has_duplicate = true; /* no route has that many */
	else if (name)
		list->names[list->count++] = name;
	return MHD_YES;
}

static bool is_known_parameter(const struct http_route *route, const char *name)
{
	struct str rest = str_of(route->query);
	struct str one;

	while (route->query && str_split(&rest, ' ', &one))
		if (str_eq(one, str_of(name)))
			return true;
	return false;
}

static const char *unknown_parameter(const struct request *r, const char *name)
{
	return arena_printf(r->arena, "%.*s%s: unknown query parameter. %s%s", STR_CUT(name, 60),
			    strlen(name) > 60 ? "\xE2\x80\xA6" : "",
			    r->route->query ? "Allowed: " : "This address has no query parameters.",
			    r->route->query ? r->route->query : "");
}

/* An ignored misspelled parameter would give the wrong list. */
void request_check_query(struct request *r)
{
	struct name_list list = {.request = r};

	MHD_get_connection_values(r->connection, MHD_GET_ARGUMENT_KIND, on_query_name, &list);
	if (list.has_undecodable)
		reply_problem(r, CODE_BAD_FRAME, "A query parameter cannot be decoded.");
	else if (list.has_duplicate)
		reply_problem(r, CODE_BAD_FRAME, "A query parameter is given twice.");
	for (size_t i = 0; !r->reply.response && r->route->permission && i < list.count; i++)
		if (!is_known_parameter(r->route, list.names[i]))
			reply_problem(r, CODE_BAD_FRAME, unknown_parameter(r, list.names[i]));
}

/* ---- Headers ---- */

struct header_count {
	const char *name;
	size_t count;
};

static enum MHD_Result on_header_name(void *owner, enum MHD_ValueKind kind, const char *name,
				      const char *value)
{
	struct header_count *c = owner;

	(void)kind;
	(void)value;
	c->count += strcasecmp(name, c->name) == 0;
	return MHD_YES;
}

static enum MHD_Result on_any_header(void *owner, enum MHD_ValueKind kind, const char *name,
				     const char *value)
{
	bool *has_invalid_name = owner;

	(void)kind;
	(void)value;
	*has_invalid_name |= !http_is_token(name);
	return MHD_YES;
}

bool request_header_is_repeated(const struct request *r, const char *header)
{
	struct header_count c = {.name = header};

	MHD_get_connection_values(r->connection, MHD_HEADER_KIND, on_header_name, &c);
	return c.count > 1;
}

/* Rejects a request whose body a proxy in front may delimit differently. */
void request_check_framing(struct request *r, const char *method, const char *version)
{
	static const char *const single_headers[] = {
		"Host",          "Origin",           "Content-Length",
		"Content-Type",  "Content-Encoding", "Transfer-Encoding",
		"Expect",        "Idempotency-Key",  "If-Match",
		"If-None-Match", "Last-Event-ID"};
	const char *coding = request_header(r, "Transfer-Encoding");
	const union MHD_ConnectionInfo *head =
		MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
	const char *expect = request_header(r, "Expect");
	const char *wrong = NULL;
	bool has_invalid_name = false;

	MHD_get_connection_values(r->connection, MHD_HEADER_KIND, on_any_header, &has_invalid_name);
	if (!head_is_plain(r->connection, method, version, head->header_size))
		wrong = "A header is folded, has a control character, or ends without CR LF.";
	else if (has_invalid_name)
		wrong = "A header has an invalid name.";
	for (size_t i = 0; !wrong && i < sizeof(single_headers) / sizeof(single_headers[0]); i++)
		if (request_header_is_repeated(r, single_headers[i]))
			wrong = arena_printf(r->arena, "%s: sent more than once",
					     single_headers[i]);
	if (coding && strcmp(version, "HTTP/1.1") != 0)
		wrong = "Transfer-Encoding: not supported in HTTP/1.0";
	else if (coding && strcasecmp(coding, "chunked") != 0)
		wrong = "Transfer-Encoding: only chunked is supported";
	else if (coding && request_header(r, "Content-Length"))
		wrong = "Transfer-Encoding and Content-Length: send only one of them";
	if (!wrong && (!expect || strcasecmp(expect, "100-continue") == 0))
		return;
	reply_header(r, "Connection", "close");
	reply_problem(r, wrong ? CODE_BAD_FRAME : CODE_EXPECT, wrong);
}

struct last_header {
	const char *name;
	struct str value;
};

static enum MHD_Result on_last_candidate(void *owner, enum MHD_ValueKind kind, const char *name,
					 const char *value)
{
	struct last_header *h = owner;

	(void)kind;
	if (strcasecmp(name, h->name) == 0)
		h->value = str_of(value);
	return MHD_YES;
}

/* A proxy appends its own header, so the last of several counts. */
static struct str last_header(const struct request *r, const char *name)
{
	struct last_header h = {.name = name};

	MHD_get_connection_values(r->connection, MHD_HEADER_KIND, on_last_candidate, &h);
	return h.value;
}

void request_note_client(struct request *r)
{
	if (seat_is_proxied(r->seat))
		seat_forwarded(r->seat, last_header(r, "X-Forwarded-For"),
			       last_header(r, "Forwarded"));
}

/* Returns true when the parameters of the type are absent or set the charset UTF-8. */
static bool is_utf8_charset(struct str parameters)
{
	struct str one, name;

	while (str_split(&parameters, ';', &one)) {
		one = str_trim(one);
		str_split(&one, '=', &name);
		if (!str_eq_nocase(str_trim(name), STR("charset")))
			continue;
		one = str_trim(one);
		if (!str_eq_nocase(one, STR("utf-8")) && !str_eq_nocase(one, STR("\"utf-8\"")))
			return false;
	}
	return true;
}

static bool is_json_type(const char *type)
{
	struct str rest = str_of(type), name;

	return str_split(&rest, ';', &name) &&
	       str_eq_nocase(str_trim(name), STR("application/json")) && is_utf8_charset(rest);
}

static bool is_plain_coding(const char *coding)
{
	return !coding || strcasecmp(coding, "identity") == 0;
}

void request_check_body_head(struct request *r)
{
	const char *length = request_header(r, "Content-Length");

	if (length && strtoull(length, NULL, 10) > request_body_max(r))
		reply_problem(r, CODE_TOO_LONG, "The body is too long.");
	else if ((r->route->flags & ROUTE_BODY) &&
		 (!is_json_type(request_header(r, "Content-Type")) ||
		  !is_plain_coding(request_header(r, "Content-Encoding"))))
		reply_problem(r, CODE_MEDIA_TYPE, NULL);
}
