/* Reads providers and roles from the configuration. */
#include "llm_int.h"
#include "vesper/choice.h"
#include "vesper/config.h"
#include "vesper/json.h"

static const struct choice thinking_words[] = {
	{"", LLM_THINKING_DEFAULT},
	{"adaptive", LLM_THINKING_ADAPTIVE},
	{"off", LLM_THINKING_OFF},
	{NULL, 0},
};

static const char *text_or_null(const struct config *c, const char *key)
{
	const char *text = config_text(c, key);

	return *text ? text : NULL;
}

static bool read_provider(const json_t *p, struct llm_provider_options *out, struct err *e)
{
	const char *model = NULL;
	json_t *models = NULL;

	if (!json_get_str(p, "name", &out->name, e) || !json_get_str(p, "kind", &out->kind, e) ||
	    !json_opt_str(p, "base_url", &out->base_url, e) ||
	    !json_opt_str(p, "key", &out->key, e) ||
	    !json_opt_str(p, "version", &out->version, e) || !json_opt_str(p, "model", &model, e) ||
	    !json_opt_object(p, "models", &models, e))
		return false;
	for (size_t i = 0; i < LLM_ROLE_COUNT; i++) {
		out->models[i] = model;
		if (models &&
		    !json_opt_str(models, llm_role_name((enum llm_role)i), &out->models[i], e))
			return false;
	}
	return true;
}

static bool read_providers(const json_t *list, struct arena *a, struct llm_options *o,
			   struct err *e)
{
	size_t n = json_array_size(list);
	struct llm_provider_options *out = arena_alloc(a, sizeof(*out) * (n + 1));

	for (size_t i = 0; i < n; i++)
		if (!read_provider(json_array_get(list, i), &out[i], e))
			return err_prefix(e, "llm.providers[%zu]", i);
	o->providers = out;
	o->provider_count = n;
	return true;
}

static void read_role(const struct config *c, struct arena *a, enum llm_role role,
		      struct llm_role_options *out)
{
	const char *prefix = arena_printf(a, "llm.roles.%s", llm_role_name(role));
	const char *thinking = config_text(c, arena_printf(a, "%s.thinking", prefix));

	*out = (struct llm_role_options){
		.providers = text_or_null(c, arena_printf(a, "%s.provider", prefix)),
		.model = text_or_null(c, arena_printf(a, "%s.model", prefix)),
		.max_tokens = config_int(c, arena_printf(a, "%s.max_tokens", prefix)),
		.effort = text_or_null(c, arena_printf(a, "%s.effort", prefix)),
		.thinking = (enum llm_thinking)choice_of(thinking_words, thinking),
	};
}

bool llm_settings_read(const struct config *c, struct arena *take, struct llm_settings **out,
		       struct err *e)
{
	struct llm_settings *s = settings_new(take, sizeof(*s));
	struct llm_options *o = &s->options;

	config_retain(c, take);
	o->connect_ms = config_int(c, "llm.timeouts_ms.connect");
	o->first_byte_ms = config_int(c, "llm.timeouts_ms.first_byte");
	o->idle_ms = config_int(c, "llm.timeouts_ms.idle");
	o->breaker_failures = config_int(c, "llm.breaker.failures");
	o->breaker_open_ms = config_int(c, "llm.breaker.probe_s") * 1000;
	if (!read_providers(config_json(c, "llm.providers"), take, o, e)) {
		settings_release(s);
		return false;
	}
	for (size_t i = 0; i < LLM_ROLE_COUNT; i++)
		read_role(c, take, (enum llm_role)i, &o->roles[i]);
	o->embed = (struct llm_embed_options){
		.provider = text_or_null(c, "llm.roles.embed.provider"),
		.model = text_or_null(c, "llm.roles.embed.model"),
		.dimensions = config_int(c, "llm.roles.embed.dimensions")};
	*out = s;
	return true;
}
