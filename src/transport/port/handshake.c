/*
 * Vesper parses handshakes itself. libwebsockets 4.1 copies the offered subprotocols into 128 bytes
 * (too short for a bearer token), cannot wait for the database during a handshake, and closes bad
 * handshakes without an answer. It gets a rewritten request that is always valid and contains no
 * token.
 */
#include "handshake.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "http_text.h"
#include "vesper/mem.h"

#define KEY_CHARS 24 /* base64 of 16 bytes */

bool handshake_is_complete(const char *bytes, size_t len, size_t *head_len)
{
	const char *end = memmem(bytes, len, "\r\n\r\n", 4);

	if (!end)
		return false;
	*head_len = (size_t)(end - bytes) + 4;
	return true;
}

/* Rejects a repeated parameter or header, since it would be unclear which value counts. */
static bool set_once(const char **slot, const char *value)
{
	if (*slot)
		return false;
	*slot = value;
	return true;
}

static bool parse_parameter(struct handshake *h, char *pair)
{
	char *value = strchr(pair, '=');

	if (value)
		*value++ = '\0';
	if (!value || !percent_decode(value))
		return !*pair && !value; /* an empty pair, as in "a=1&&b=2", is accepted */
	if (strcmp(pair, "session_id") == 0)
		return set_once(&h->session_id, value);
	if (strcmp(pair, "ticket") == 0)
		return set_once(&h->ticket, value);
	if (strcmp(pair, "token") == 0)
		return set_once(&h->token, value);
	return true;
}

static bool parse_query(struct handshake *h, char *query)
{
	char *pair;

	while ((pair = strsep(&query, "&")))
		if (!parse_parameter(h, pair))
			return false;
	return true;
}

static bool parse_request_line(struct handshake *h, char *line)
{
	char *target = line + 4;
	char *version;
	char *query;

	if (strncmp(line, "GET ", 4) != 0 || !(version = strchr(target, ' ')))
		return false;
	*version++ = '\0';
	if (strcmp(version, "HTTP/1.1") != 0 || *target != '/')
		return false;
	h->path = target;
	query = strchr(target, '?');
	if (query)
		*query++ = '\0';
	return !query || parse_query(h, query);
}

/* Removes the next element from a comma-separated list; NULL at its end. */
static char *list_next(char **rest)
{
	char *item;
	char *end;

	if (!*rest)
		return NULL;
	item = strsep(rest, ",");
	item += strspn(item, " \t");
	end = item + strlen(item);
	while (end > item && (end[-1] == ' ' || end[-1] == '\t'))
		*--end = '\0';
	return item;
}

static bool list_has(char *list, const char *word)
{
	char *item;

	while ((item = list_next(&list)))
		if (strcasecmp(item, word) == 0)
			return true;
	return false;
}

static bool parse_protocols(struct handshake *h, char *list)
{
	char *item;

	h->has_protocols = true;
	while ((item = list_next(&list))) {
		if (strcmp(item, "vesper.v1") == 0)
			h->offers_vesper = true;
		else if (strncmp(item, "bearer.", 7) == 0 && !set_once(&h->bearer, item + 7))
			return false;
	}
	return true;
}

/* Which of the two upgrade headers were seen. */
struct upgrade_seen {
	bool connection;
	bool websocket;
};

static bool parse_header(struct handshake *h, struct upgrade_seen *seen, const char *name,
			 char *value)
{
	if (strcasecmp(name, "Host") == 0)
		return set_once(&h->host, value);
	if (strcasecmp(name, "Origin") == 0)
		return set_once(&h->origin, value);
	if (strcasecmp(name, "Authorization") == 0)
		return set_once(&h->authorization, value);
	if (strcasecmp(name, "Sec-WebSocket-Key") == 0)
		return set_once(&h->key, value);
	if (strcasecmp(name, "Sec-WebSocket-Version") == 0)
		return set_once(&h->version, value);
	if (strcasecmp(name, "Sec-WebSocket-Protocol") == 0)
		return parse_protocols(h, value);
	/* The bytes after the head are frames, never a body. */
	if (strcasecmp(name, "Content-Length") == 0)
		return strcmp(value, "0") == 0;
	if (strcasecmp(name, "Transfer-Encoding") == 0)
		return false;
	if (strcasecmp(name, "X-Forwarded-For") == 0)
		h->forwarded_for = value;
	else if (strcasecmp(name, "Forwarded") == 0)
		h->forwarded = value;
	else if (strcasecmp(name, "Connection") == 0)
		seen->connection |= list_has(value, "upgrade");
	else if (strcasecmp(name, "Upgrade") == 0)
		seen->websocket |= list_has(value, "websocket");
	return true;
}

/* A line that begins with a blank (obsolete line folding) is rejected: today it serves only request
 * smuggling. */
static bool parse_header_line(struct handshake *h, struct upgrade_seen *seen, char *line)
{
	char *value = strchr(line, ':');
	size_t len;

	if (!value)
		return false;
	*value++ = '\0';
	if (!http_is_token(line))
		return false;
	value += strspn(value, " \t");
	len = strlen(value);
	while (len > 0 && (value[len - 1] == ' ' || value[len - 1] == '\t'))
		value[--len] = '\0';
	return parse_header(h, seen, line, value);
}

/* Ends the line at CR LF and returns it. NULL: a control character, a lone CR or LF, or no complete
 * line. */
static char *take_line(char **rest)
{
	char *line = *rest;
	char *c = line;

	for (; *c != '\r'; c++)
		if (((unsigned char)*c < ' ' && *c != '\t') || *c == 0x7f)
			return NULL;
	if (c[1] != '\n')
		return NULL;
	*c = '\0';
	*rest = c + 2;
	return line;
}

static bool parse_head(struct handshake *h)
{
	struct upgrade_seen seen = {0};
	char *rest = h->text;
	char *line = take_line(&rest);

	if (!line || !parse_request_line(h, line))
		return false;
	while ((line = take_line(&rest)) && *line)
		if (!parse_header_line(h, &seen, line))
			return false;
	h->asks_upgrade = seen.connection && seen.websocket;
	return line && h->host;
}

static bool key_is_valid(const char *key)
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	return key && strlen(key) == KEY_CHARS && strspn(key, alphabet) == KEY_CHARS - 2 &&
	       strcmp(key + KEY_CHARS - 2, "==") == 0;
}

static bool handshake_check(const struct handshake *h, enum code *problem)
{
	/* libwebsockets answers 101 to every version. */
	if (!h->asks_upgrade || !h->version || strcmp(h->version, "13") != 0)
		*problem = CODE_UPGRADE;
	else if (!key_is_valid(h->key) || (h->has_protocols && !h->offers_vesper))
		*problem = CODE_BAD_FRAME;
	else
		return true;
	return false;
}

bool handshake_parse(const char *head, size_t len, struct handshake *out, enum code *problem)
{
	struct handshake h = {.text = mem_strndup(head, len)};

	*problem = CODE_BAD_FRAME;
	if (parse_head(&h) && handshake_check(&h, problem)) {
		*out = h;
		return true;
	}
	handshake_deinit(&h);
	return false;
}

void handshake_deinit(struct handshake *h)
{
	mem_free(h->text);
	h->text = NULL;
}

void handshake_rewrite(const struct handshake *h, struct buf *out)
{
	buf_printf(
		out,
		"GET /ws HTTP/1.1\r\nHost: vesper\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n%s\r\n",
		h->key, h->offers_vesper ? "Sec-WebSocket-Protocol: vesper.v1\r\n" : "");
}
