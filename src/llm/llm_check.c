/*
 * Checks at start which models a service has. A wrong key or model name is logged before the first
 * turn. The check runs in the background, and a service without a model list is still used.
 */
#include <string.h>

#include "llm_int.h"
#include "vesper/json.h"
#include "vesper/log.h"
#include "vesper/mem.h"

struct wire_check {
	struct wire *wire;
	struct op *http;
	struct buf body;
	int status;
};

void wire_check_free(struct wire_check **check)
{
	struct wire_check *c = *check;

	*check = NULL;
	if (!c)
		return;
	op_cancel(&c->http);
	buf_deinit(&c->body);
	mem_free(c);
}

static bool supports(const json_t *capabilities, const char *name)
{
	return json_is_true(json_object_get(json_object_get(capabilities, name), "supported"));
}

static void traits_read(struct model_traits *t, const json_t *capabilities)
{
	const json_t *types = json_object_get(json_object_get(capabilities, "thinking"), "types");

	t->effort = supports(capabilities, "effort");
	t->adaptive = supports(types, "adaptive");
	t->between = supports(types, "between_tools");
	t->off = supports(types, "disabled");
}

/* A dated name in the list matches the plain name. */
static const json_t *model_find(const json_t *list, const char *model)
{
	const json_t *item;
	size_t i, n = strlen(model);

	json_array_foreach(list, i, item) {
		const char *id = stream_member(item, "id").p;

		if (strncmp(id, "models/", 7) == 0) /* prefix of one service */
			id += 7;
		if (strcmp(id, model) == 0 || (strncmp(id, model, n) == 0 && id[n] == '-' &&
					       strspn(id + n + 1, "0123456789") == 8))
			return item;
	}
	return NULL;
}

static void list_read(struct wire *w, const json_t *list)
{
	for (size_t i = 0; i < (w->is_embed ? 1 : LLM_ROLE_COUNT); i++) {
		struct wire_role *role = &w->roles[i];
		const json_t *model = model_find(list, role->model);
		const json_t *capabilities = json_object_get(model, "capabilities");

		if (!model)
			log_warn("llm.check", "%s has no model \"%.*s\" (role %s)", w->name,
				 STR_CUT(role->model, 60),
				 w->is_embed ? "embed" : llm_role_name((enum llm_role)i));
		else if (json_is_object(capabilities))
			traits_read(&role->traits, capabilities);
	}
}

static void on_head(void *owner, const struct http_response *r)
{
	struct wire_check *c = owner;

	c->status = r->status;
}

static bool on_data(void *owner, const char *data, size_t len)
{
	struct wire_check *c = owner;

	buf_add(&c->body, data, len);
	return !buf_over(&c->body);
}

static void on_end(void *owner, const struct err *e)
{
	struct wire_check *c = owner;
	struct wire *w = c->wire;
	json_t *root = NULL;

	c->http = NULL;
	if (e)
		log_warn("llm.check", "%s is unavailable: %s", w->name, e->text);
	else if (c->status == 401 || c->status == 403)
		log_warn("llm.check", "%s rejects the key (status %d)", w->name, c->status);
	else if (c->status != 200 ||
		 !json_parse(buf_text(&c->body), c->body.n, LLM_MODELS_BYTES_MAX, &root, NULL))
		log_info("llm.check", "%s returned no list of models (status %d)", w->name,
			 c->status);
	else if (json_array_size(json_object_get(root, "data")) > 0)
		list_read(w, json_object_get(root, "data"));
	json_decref(root);
	wire_check_free(&w->check);
}

void wire_check_start(struct wire *w)
{
	static const struct http_handler handler = {on_head, on_data, on_end};
	const char *headers[5];
	const struct http_request r = {
		.method = "GET",
		.url = w->models_url,
		.headers = headers,
		.connect_ms = w->connect_ms,
		.first_byte_ms = w->first_byte_ms,
		.idle_ms = w->idle_ms,
		.total_ms = LLM_CHECK_MS,
	};
	struct wire_check *c = mem_alloc(sizeof(*c));

	wire_headers(w, headers);
	c->wire = w;
	buf_init(&c->body, LLM_MODELS_BYTES_MAX);
	w->check = c;
	c->http = http_start(w->http, &r, &handler, c);
}
