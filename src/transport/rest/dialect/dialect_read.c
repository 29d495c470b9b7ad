#include "dialect_read.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/str.h"
#include "vesper/utf8.h"

/* From the prompts of Open WebUI. */
#define TASK_PREFIX  "### Task:"
#define TASK_FORMAT  "JSON format:"
#define TASK_HISTORY "<chat_history>"

/* ---- Members ---- */

/* In these formats a null member counts as absent. */
static json_t *member(const json_t *object, const char *name)
{
	json_t *value = json_object_get(object, name);

	return json_is_null(value) ? NULL : value;
}

static bool opt_str(const json_t *object, const char *name, const char **out, struct err *e)
{
	*out = NULL;
	return !member(object, name) || json_opt_str(object, name, out, e);
}

/* ---- Texts ---- */

/* A text, or the text parts of a list, joined by line breaks. *out NULL: no text. */
static bool read_text(const json_t *content, const char *where, struct arena *a, const char **out,
		      struct err *e)
{
	const json_t *part;
	struct buf text;
	size_t i;

	*out = json_string_value(content);
	if (*out || !content || json_is_null(content))
		return true;
	if (!json_is_array(content))
		return err_set(e, ERR_INPUT, "%s: must be a text or a list of parts", where);
	buf_init(&text, CLIENT_HISTORY_BYTES_MAX);
	json_array_foreach((json_t *)(uintptr_t)content, i, part) {
		const char *type = json_string_value(json_object_get(part, "type"));
		const char *piece = json_string_value(json_object_get(part, "text"));

		if (type && (strstr(type, "image") || strstr(type, "audio"))) {
			buf_deinit(&text);
			return err_set(e, ERR_INPUT, "%s[%zu]: only text is supported", where, i);
		}
		if (!type || strcmp(type, "text") != 0 || !piece)
			continue;
		if (text.n > 0)
			buf_char(&text, '\n');
		buf_str(&text, piece);
	}
	*out = text.n > 0 ? arena_strndup(a, buf_text(&text), text.n) : NULL;
	buf_deinit(&text);
	return true;
}

static bool check_question(const char *text, struct dialect_request *out, struct err *e)
{
	if (!text || utf8_leading_blanks(text) == strlen(text))
		return err_set(e, ERR_INPUT, "messages: the last one must contain a question");
	if (strlen(text) > MESSAGE_BYTES_MAX)
		return err_set(e, ERR_INPUT, "messages: a question may have at most %d bytes",
			       MESSAGE_BYTES_MAX);
	out->content = text;
	return true;
}

bool dialect_check_id(const char *id, const char *name, size_t bytes_max, struct err *e)
{
	for (const char *c = id; *c; c++)
		if (*c <= ' ' || *c > '~')
			return err_set(e, ERR_INPUT, "%s: must have only visible ASCII characters",
				       name);
	return (*id && strlen(id) <= bytes_max) ||
	       err_set(e, ERR_INPUT, "%s: must have 1 to %zu characters", name, bytes_max);
}

/* An id chosen by the client; *out NULL when absent. */
static bool read_id(const json_t *body, const char *name, size_t bytes_max, const char **out,
		    struct err *e)
{
	return opt_str(body, name, out, e) && (!*out || dialect_check_id(*out, name, bytes_max, e));
}

/* The newest message of the required list. */
static bool last_message(const json_t *body, const json_t **out, struct err *e)
{
	const json_t *messages = json_object_get(body, "messages");
	size_t n = json_array_size(messages);

	if (!json_is_array(messages) || n == 0)
		return err_set(e, ERR_INPUT, "messages: must be a list of at least one message");
	if (n > CLIENT_HISTORY_MESSAGES_MAX)
		return err_set(e, ERR_LIMIT, "messages: must have at most %d messages",
			       CLIENT_HISTORY_MESSAGES_MAX);
	*out = json_array_get(messages, n - 1);
	if (!json_is_object(*out))
		return err_set(e, ERR_INPUT, "messages[%zu]: must be an object", n - 1);
	return true;
}

static bool has_role(const json_t *message, const char *role)
{
	const char *actual = json_string_value(json_object_get(message, "role"));

	return actual && strcmp(actual, role) == 0;
}

/* ---- Answers to a clarifying question ---- */

static json_t *one_value(struct arena *a, json_t *value)
{
	json_t *list = json_array();

	json_array_append(list, value);
	return json_own(a, list);
}

/* {values: […]}, {skip: true}, or a plain text. `skip`: the value that means skipping. */
static bool read_values(const json_t *answer, json_t *skip, struct arena *a,
			struct dialect_request *out, struct err *e)
{
	json_t *values = json_object_get(answer, "values");

	if (json_is_string(answer))
		out->values = one_value(a, (json_t *)(uintptr_t)answer);
	else if (json_is_array(values))
		out->values = values;
	else if (json_is_true(json_object_get(answer, "skip")) && skip)
		out->values = one_value(a, skip);
	else
		return err_set(e, ERR_INPUT,
			       "the answer to a clarifying question must be {\"values\": […]}, or "
			       "{\"skip\": true} if the question may be skipped");
	return true;
}

/* ---- AI SDK ---- */

static bool is_selection(const json_t *part)
{
	const char *tool = json_string_value(json_object_get(part, "toolName"));
	const char *type = json_string_value(json_object_get(part, "type"));
	const char *state = json_string_value(json_object_get(part, "state"));

	return state && strcmp(state, "output-available") == 0 &&
	       ((tool && strcmp(tool, "request_user_selection") == 0) ||
		(type && strcmp(type, "tool-request_user_selection") == 0));
}

static bool read_selection(const json_t *message, struct arena *a, struct dialect_request *out,
			   struct err *e)
{
	const json_t *parts = json_object_get(message, "parts");

	for (size_t i = json_array_size(parts); i-- > 0;) {
		const json_t *part = json_array_get(parts, i);
		json_t *skip = json_object_get(json_object_get(part, "input"), "skip");

		if (!is_selection(part))
			continue;
		return json_get_str(part, "toolCallId", &out->ask_id, e) &&
		       read_values(json_object_get(part, "output"), json_object_get(skip, "value"),
				   a, out, e);
	}
	return err_set(e, ERR_INPUT,
		       "messages: the last one must be from the user, or answer a clarifying "
		       "question");
}

static bool read_metadata(const json_t *metadata, struct dialect_request *out, struct err *e)
{
	out->values = member(metadata, "values");
	if (!opt_str(metadata, "ask_id", &out->ask_id, e))
		return false;
	if (!out->ask_id != !json_is_array(out->values))
		return err_set(e, ERR_INPUT,
			       "metadata: must have both ask_id and the list values, or neither");
	return true;
}

/* Reads why the AI SDK sends a message; older clients send no trigger. */
static bool read_trigger(const json_t *body, bool *is_regeneration, struct err *e)
{
	const char *trigger;

	if (!opt_str(body, "trigger", &trigger, e))
		return false;
	*is_regeneration = trigger && strcmp(trigger, "regenerate-message") == 0;
	return !trigger || *is_regeneration || strcmp(trigger, "submit-message") == 0 ||
	       err_set(e, ERR_INPUT, "trigger: must be submit-message or regenerate-message");
}

/* The user's newest message; NULL: none. */
static const json_t *newest_user_message(const json_t *body)
{
	const json_t *messages = json_object_get(body, "messages");

	for (size_t i = json_array_size(messages); i-- > 0;)
		if (has_role(json_array_get(messages, i), "user"))
			return json_array_get(messages, i);
	return NULL;
}

bool ai_read(const json_t *body, struct arena *a, struct dialect_request *out, struct err *e)
{
	const json_t *message, *metadata;
	const char *text, *id;
	bool is_regeneration;

	*out = (struct dialect_request){.wants_stream = true};
	if (!read_id(body, "id", EXTERNAL_ID_BYTES_MAX, &out->external_id, e) ||
	    !read_trigger(body, &is_regeneration, e) || !last_message(body, &message, e))
		return false;
	if (is_regeneration)
		message = newest_user_message(body);
	else if (has_role(message, "assistant"))
		return read_selection(message, a, out, e);
	if (!message || !has_role(message, "user"))
		return err_set(e, ERR_INPUT, "messages: must contain a message from the user");
	metadata = json_object_get(message, "metadata");
	if (json_is_object(metadata) && !read_metadata(metadata, out, e))
		return false;
	if (out->ask_id)
		return true;
	if (!read_text(json_object_get(message, "parts"), "parts", a, &text, e) ||
	    !check_question(text, out, e))
		return false;
	if (!opt_str(message, "id", &id, e))
		return false;
	/* A regenerated answer is a new turn. */
	if (id && strlen(id) <= CLIENT_MSG_ID_BYTES_MAX && !is_regeneration)
		out->client_msg_id = id;
	return true;
}

/* ---- AG-UI ---- */

static bool read_resume(const json_t *resume, struct arena *a, struct dialect_request *out,
			struct err *e)
{
	const json_t *entry = json_array_get(resume, json_array_size(resume) - 1);
	const char *status;

	if (!json_get_str(entry, "interruptId", &out->ask_id, e) ||
	    !json_get_str(entry, "status", &status, e))
		return false;
	if (strcmp(status, "resolved") == 0)
		return read_values(json_object_get(entry, "payload"), NULL, a, out, e);
	if (strcmp(status, "cancelled") != 0)
		return err_set(e, ERR_INPUT, "resume: status must be resolved or cancelled");
	return true;
}

static bool is_newest_from_user(const json_t *body)
{
	const json_t *messages = json_object_get(body, "messages");

	return has_role(json_array_get(messages, json_array_size(messages) - 1), "user");
}

bool agui_read(const json_t *body, struct arena *a, struct dialect_request *out, struct err *e)
{
	const json_t *message;
	const char *text;
	json_t *resume = member(body, "resume");

	*out = (struct dialect_request){.wants_stream = true};
	if (!read_id(body, "threadId", EXTERNAL_ID_BYTES_MAX, &out->external_id, e) ||
	    !read_id(body, "runId", CLIENT_MSG_ID_BYTES_MAX, &out->client_msg_id, e))
		return false;
	if (resume && !json_is_array(resume))
		return err_set(e, ERR_INPUT, "resume: must be a list");
	if (!out->external_id || !out->client_msg_id)
		return err_set(e, ERR_INPUT, "%s: is missing",
			       out->external_id ? "runId" : "threadId");
	if (json_array_size(resume) > 0 && !read_resume(resume, a, out, e))
		return false;
	/* A question that the user asks while cancelling a clarifying question replaces it. */
	if (out->ask_id && (out->values || !is_newest_from_user(body)))
		return true;
	out->ask_id = NULL;
	if (!last_message(body, &message, e))
		return false;
	if (!has_role(message, "user"))
		return err_set(e, ERR_INPUT, "messages: the last one must be from the user");
	return read_text(json_object_get(message, "content"), "content", a, &text, e) &&
	       check_question(text, out, e);
}

/* ---- Chat Completions ---- */

static bool read_role(const json_t *message, size_t i, enum client_role *out, bool *known,
		      struct err *e)
{
	static const struct {
		const char *name;
		enum client_role role;
	} roles[] = {{"system", CLIENT_ROLE_SYSTEM},
		     {"developer", CLIENT_ROLE_SYSTEM},
		     {"user", CLIENT_ROLE_USER},
		     {"assistant", CLIENT_ROLE_ASSISTANT}};

	*known = false;
	for (size_t r = 0; r < sizeof(roles) / sizeof(roles[0]); r++)
		if (has_role(message, roles[r].name)) {
			*out = roles[r].role;
			*known = true;
		}
	if (*known || has_role(message, "tool") || has_role(message, "function"))
		return true;
	return err_set(e, ERR_INPUT, "messages[%zu].role: must be one of system, user, assistant",
		       i);
}

static bool read_history(const json_t *messages, struct arena *a, struct dialect_request *out,
			 struct err *e)
{
	size_t n = json_array_size(messages) - 1;
	struct client_message *list = arena_alloc(a, (n + 1) * sizeof(*list));
	enum client_role role = CLIENT_ROLE_USER;
	const char *text;
	bool known;

	for (size_t i = 0; i < n; i++) {
		const json_t *message = json_array_get(messages, i);

		if (!read_role(message, i, &role, &known, e) ||
		    !read_text(json_object_get(message, "content"), "content", a, &text, e))
			return false;
		if (known && text)
			list[out->history_count++] = (struct client_message){role, str_of(text)};
	}
	out->history = list;
	return true;
}

static bool check_type(const json_t *value, bool is_valid, const char *what, struct err *e)
{
	return !value || is_valid || err_set(e, ERR_INPUT, "%s", what);
}

/* Rejects options that our answers cannot follow. */
static bool check_choices(const json_t *body, struct err *e)
{
	const json_t *choice = member(body, "tool_choice"), *n = member(body, "n");
	const char *name = json_string_value(choice);

	if (!check_type(n, json_is_integer(n), "n: must be an integer", e) ||
	    !check_type(choice, name || json_is_object(choice),
			"tool_choice: must be a text or an object", e))
		return false;
	if (n && json_integer_value(n) != 1)
		return err_set(e, ERR_INPUT,
			       "n: one answer is returned. Leave n out, or set it to 1");
	if (json_is_object(choice) || (name && strcmp(name, "required") == 0))
		return err_set(e, ERR_INPUT,
			       "tool_choice: the server chooses and runs the tools. Leave it out");
	return true;
}

static bool read_stream(const json_t *body, struct dialect_request *out, struct err *e)
{
	const json_t *stream = member(body, "stream"), *options = member(body, "stream_options");
	const json_t *usage = member(options, "include_usage");

	out->wants_stream = json_is_true(stream);
	out->include_usage = json_is_true(usage);
	return check_type(stream, json_is_boolean(stream), "stream: must be true or false", e) &&
	       check_type(options, json_is_object(options), "stream_options: must be an object",
			  e) &&
	       check_type(usage, json_is_boolean(usage),
			  "stream_options.include_usage: must be true or false", e);
}

bool openai_read(const json_t *body, struct arena *a, struct dialect_request *out, struct err *e)
{
	const json_t *message;
	const char *text;

	*out = (struct dialect_request){0};
	if (!json_get_str(body, "model", &out->model, e) || !check_choices(body, e) ||
	    !read_stream(body, out, e) ||
	    !read_id(body, "client_msg_id", CLIENT_MSG_ID_BYTES_MAX, &out->client_msg_id, e) ||
	    !last_message(body, &message, e))
		return false;
	if (!has_role(message, "user"))
		return err_set(e, ERR_INPUT, "messages: the last one must be from the user");
	return read_text(json_object_get(message, "content"), "content", a, &text, e) &&
	       check_question(text, out, e) &&
	       read_history(json_object_get(body, "messages"), a, out, e);
}

/* ---- Tasks of a chat page ---- */

/* The user's first message, as Open WebUI repeats it. */
static struct str first_user_message(const char *history)
{
	const char *message = strstr(history, "USER: ");
	size_t n;

	if (!message)
		return STR("");
	message += strlen("USER: ");
	n = strcspn(message, "\r\n");
	return (struct str){message, utf8_cut(message, n, TASK_TITLE_BYTES_MAX)};
}

/* The JSON member that a prompt of Open WebUI asks for. Its templates name it after "JSON format:",
 * and the conversation follows in a separate block. */
static struct str requested_member(const char *content, const char *history)
{
	const char *format = strstr(content, TASK_FORMAT);

	if (strncmp(content, TASK_PREFIX, strlen(TASK_PREFIX)) != 0 || !history || !format ||
	    format > history)
		return (struct str){0};
	format += strlen(TASK_FORMAT);
	format += strspn(format, " \t\r\n{");
	return *format == '"' ? (struct str){format + 1, strcspn(format + 1, "\"")}
			      : (struct str){0};
}

const char *openai_task_answer(const char *content, const struct task_answers *answers,
			       struct arena *a)
{
	const char *history = strstr(content, TASK_HISTORY);
	struct str member = requested_member(content, history);
	json_t *value;
	json_t *answer;
	char *text;

	if (str_eq(member, STR("title")))
		value = json_strn(first_user_message(history).p, first_user_message(history).n);
	else if (str_eq(member, STR("follow_ups")))
		value = json_texts(answers->examples);
	else if (str_eq(member, STR("tags")))
		value = json_texts(answers->tags);
	else if (str_eq(member, STR("queries")))
		value = json_array();
	else if (str_eq(member, STR("text")) || str_eq(member, STR("prompt")))
		value = json_str("");
	else
		return NULL;
	answer = json_object();
	json_set_take(answer, arena_strndup(a, member.p, member.n), value);
	text = json_text(answer);
	content = arena_strdup(a, text);
	mem_free(text);
	json_decref(answer);
	return content;
}
