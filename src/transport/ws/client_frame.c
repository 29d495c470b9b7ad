/*
 * Parsing is strict about known members and ignores others, so that a newer client can talk to an
 * older server.
 */
#include "client_frame.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/utf8.h"
#include "vesper/uuid.h"

static bool is_scalar(const json_t *value)
{
	return json_is_string(value) || json_is_number(value) || json_is_boolean(value);
}

static bool are_scalars(const json_t *array, size_t max_count)
{
	size_t i;
	const json_t *item;

	if (json_array_size(array) > max_count)
		return false;
	json_array_foreach(array, i, item)
		if (!is_scalar(item))
			return false;
	return true;
}

/* null removes a filter; a list sets several values. */
static bool filters_check(json_t *filters, struct err *e)
{
	const char *name;
	json_t *value;

	if (json_object_size(filters) > FILTERS_MAX)
		return err_set(e, ERR_INPUT, "filters: must have at most %d filters", FILTERS_MAX);
	json_object_foreach(filters, name, value)
		if (!is_scalar(value) && !json_is_null(value) &&
		    !(json_is_array(value) && are_scalars(value, LIST_ARG_MAX)))
			return err_set(e, ERR_INPUT,
				       "filters: each must be a value, a list of values, or null");
	return true;
}

static bool is_blank(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '\0';
}

static bool opt_uuid(const json_t *root, const char *name, const char **out, struct err *e)
{
	if (!json_opt_str(root, name, out, e))
		return false;
	if (*out && !uuid_valid(*out))
		return err_set(e, ERR_INPUT, "%s: must be a UUID", name);
	return true;
}

static bool opt_client_msg_id(const json_t *root, const char **out, struct err *e)
{
	if (!json_opt_str(root, "client_msg_id", out, e))
		return false;
	if (*out && (!**out || strlen(*out) > CLIENT_MSG_ID_BYTES_MAX))
		return err_set(e, ERR_INPUT, "client_msg_id: must have 1 to %d bytes",
			       CLIENT_MSG_ID_BYTES_MAX);
	if (*out && !utf8_is_identifier(*out, strlen(*out)))
		return err_set(e, ERR_INPUT,
			       "client_msg_id: must have no control or invisible characters and no "
			       "leading or trailing blanks");
	return true;
}

bool wire_parse_message(const json_t *root, struct client_frame *out, struct err *e)
{
	struct client_frame f = *out;
	json_t *filters = NULL;

	f.type = FRAME_MESSAGE;
	if (!json_get_str(root, "content", &f.content, e))
		return false;
	if (is_blank(f.content))
		return err_set(e, ERR_INPUT, "content: must not be empty");
	if (strlen(f.content) > MESSAGE_BYTES_MAX)
		return err_set(e, ERR_LIMIT, "content: must have at most %d bytes",
			       MESSAGE_BYTES_MAX);
	if (!opt_client_msg_id(root, &f.client_msg_id, e) ||
	    !opt_uuid(root, "session_id", &f.session_id, e) ||
	    !json_opt_object(root, "filters", &filters, e))
		return false;
	if (filters && !filters_check(filters, e))
		return false;
	f.filters = filters;
	*out = f;
	return true;
}

static bool parse_cancel(const json_t *root, struct client_frame *f, struct err *e)
{
	return opt_uuid(root, "turn_id", &f->turn_id, e);
}

static bool parse_select(const json_t *root, struct client_frame *f, struct err *e)
{
	json_t *values = NULL;

	if (!json_get_str(root, "ask_id", &f->ask_id, e))
		return false;
	if (!uuid_valid(f->ask_id))
		return err_set(e, ERR_INPUT, "ask_id: must be a UUID");
	if (!json_opt_array(root, "values", &values, e))
		return false;
	if (json_array_size(values) == 0 || !are_scalars(values, LIST_ARG_MAX))
		return err_set(e, ERR_INPUT, "values: must be a list of 1 to %d values",
			       LIST_ARG_MAX);
	f->values = values;
	return true;
}

static bool parse_auth(const json_t *root, struct client_frame *f, struct err *e)
{
	return json_get_str(root, "token", &f->token, e);
}

static bool parse_resume(const json_t *root, struct client_frame *f, struct err *e)
{
	if (!json_get_str(root, "turn_id", &f->turn_id, e) ||
	    !json_get_int(root, "last_seq", &f->last_seq, e))
		return false;
	if (!uuid_valid(f->turn_id))
		return err_set(e, ERR_INPUT, "turn_id: must be a UUID");
	if (f->last_seq < 0)
		return err_set(e, ERR_INPUT, "last_seq: must not be negative");
	return true;
}

static bool parse_ping(const json_t *root, struct client_frame *f, struct err *e)
{
	f->t = json_object_get(root, "t");
	if (f->t && !json_is_number(f->t) &&
	    !(json_is_string(f->t) && json_string_length(f->t) <= PING_TEXT_BYTES_MAX))
		return err_set(e, ERR_INPUT, "t: must be a number or a short text");
	return true;
}

static const struct frame_row {
	const char *name;
	enum client_frame_type type;
	bool (*parse)(const json_t *root, struct client_frame *f, struct err *e);
} frame_rows[] = {
	{"chat.message", FRAME_MESSAGE, wire_parse_message},
	{"chat.cancel", FRAME_CANCEL, parse_cancel},
	{"chat.select", FRAME_SELECT, parse_select},
	{"auth", FRAME_AUTH, parse_auth},
	{"resume", FRAME_RESUME, parse_resume},
	{"ping", FRAME_PING, parse_ping},
};

static bool parse_members(json_t *root, struct client_frame *f, struct err *e)
{
	const char *type;

	if (!json_is_object(root))
		return err_set(e, ERR_INPUT, "a frame must be a JSON object");
	if (!json_get_str(root, "type", &type, e))
		return false;
	for (size_t i = 0; i < sizeof(frame_rows) / sizeof(frame_rows[0]); i++) {
		if (strcmp(frame_rows[i].name, type) != 0)
			continue;
		f->type = frame_rows[i].type;
		return frame_rows[i].parse(root, f, e);
	}
	return true;
}

bool wire_parse(const char *text, size_t len, struct client_frame *out, struct err *e)
{
	struct client_frame f = {.type = FRAME_UNKNOWN};

	if (!json_parse(text, len, FRAME_BYTES_MAX, &f.root, e)) {
		if (e)
			e->code = ERR_INPUT; /* input that is nested too deeply is as invalid as
						input with a missing bracket */
		return false;
	}
	if (!parse_members(f.root, &f, e)) {
		json_decref(f.root);
		return false;
	}
	*out = f;
	return true;
}

void client_frame_deinit(struct client_frame *f)
{
	json_decref(f->root);
	f->root = NULL;
}

void wire_session_ready(struct buf *out, const char *session_id, const struct principal *who)
{
	buf_printf(out,
		   "{\"type\":\"session.ready\",\"session_id\":\"%s\",\"protocol\":1,\"heartbeat_"
		   "s\":%d,"
		   "\"max_message_bytes\":%d,\"user\":{\"id\":",
		   session_id, PING_EVERY_MS / 1000, MESSAGE_BYTES_MAX);
	buf_json_str(out, who->user, strlen(who->user));
	buf_str(out, ",\"tenant\":");
	buf_json_str(out, who->tenant, strlen(who->tenant));
	buf_str(out, ",\"permissions\":[");
	for (size_t i = 0; i < who->permission_count; i++) {
		if (i > 0)
			buf_char(out, ',');
		buf_json_str(out, who->permissions[i], strlen(who->permissions[i]));
	}
	buf_str(out, "]}}");
}

void wire_auth_expiring(struct buf *out, int64_t expires_ms)
{
	char at[CLOCK_RFC3339_BYTES];

	clock_rfc3339(expires_ms, at);
	buf_printf(out, "{\"type\":\"auth.expiring\",\"expires_at\":\"%s\"}", at);
}

void wire_pong(struct buf *out, const json_t *t)
{
	buf_str(out, "{\"type\":\"pong\"");
	if (t) {
		buf_str(out, ",\"t\":");
		buf_json(out, t);
	}
	buf_char(out, '}');
}
