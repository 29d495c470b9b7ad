/*
 * Differences between services, as two tables: one row per kind of service, and one per model
 * family with restrictions.
 */
#include <string.h>

#include "llm_int.h"
#include "vesper/str.h"

#define BEARER "authorization: Bearer "

/* clang-format off */
static const struct dialect dialects[] = {
{ .kind = "anthropic", .version_path = "/v1", .path = "/messages", .key_header = "x-api-key: ", .needs_key = true, .needs_version = true,
  .base_url = "https://api.anthropic.com", .model = "claude-sonnet-4-6",
  .max_tokens = "max_tokens", .effort = true, .strict = true, .body = anthropic_body, .event = anthropic_event },
{ .kind = "openai", .host = "//api.openai.com", .version_path = "/v1", .path = "/chat/completions", .key_header = BEARER, .needs_key = true,
  .base_url = "https://api.openai.com/v1", .model = "gpt-5",
  .max_tokens = "max_completion_tokens", .effort = true, .strict = true, .body = openai_body, .event = openai_event },
{ .kind = "azure", .host = ".openai.azure.com", .version_path = "/openai/v1", .path = "/chat/completions", .key_header = "api-key: ", .needs_key = true,
  .max_tokens = "max_completion_tokens", .effort = true, .strict = true, .body = openai_body, .event = openai_event },
{ .kind = "gemini", .host = "//generativelanguage.googleapis.com", .version_path = "/v1beta/openai", .path = "/chat/completions", .key_header = BEARER, .needs_key = true,
  .base_url = "https://generativelanguage.googleapis.com/v1beta/openai",
  .max_tokens = "max_tokens", .effort = true, .body = openai_body, .event = openai_event },
{ .kind = "ollama", .host = ":11434", .version_path = "/v1", .path = "/chat/completions", .key_header = BEARER,
  .base_url = "http://localhost:11434/v1",
  .max_tokens = "max_tokens", .body = openai_body, .event = openai_event },
{ .kind = "vllm", .version_path = "/v1", .path = "/chat/completions", .key_header = BEARER,
  .base_url = "http://localhost:8000/v1",
  .max_tokens = "max_tokens", .body = openai_body, .event = openai_event },
};

/*                                       effort adaptive between off */
static const struct {
	const char *prefix;
	struct model_traits traits;
} models[] = {
{ "claude-opus-5-5",   { true,  true,  false, false } },
{ "claude-sonnet-5-5", { true,  true,  true,  false } },
{ "claude-haiku-5-5",  { true,  true,  false, true  } },
{ "claude-sonnet-5",   { true,  true,  false, true  } },
{ "claude-opus-5",     { true,  true,  false, true  } },
{ "claude-haiku-4-5",  { false, false, false, false } },
{ "claude-sonnet-4-5", { false, false, false, false } },
{ "claude-opus-4-5",   { true,  false, false, false } },
{ "claude-sonnet-4-6", { true,  true,  false, false } },
{ "claude-opus-4-6",   { true,  true,  false, false } },
{ "",                  { true,  true,  false, false } }, /* unknown models: like current ones */
};
/* clang-format on */

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

const struct dialect *dialect_find(const char *kind, const char *base_url)
{
	const struct dialect *by_kind = NULL;

	for (size_t i = 0; i < COUNT(dialects); i++)
		if (strcmp(dialects[i].kind, kind) == 0)
			by_kind = &dialects[i];
	/* The kind "openai" is used for any compatible service, so the address decides. */
	if (!by_kind || !base_url || strcmp(kind, "openai") != 0)
		return by_kind;
	for (size_t i = 0; i < COUNT(dialects); i++)
		if (dialects[i].body == openai_body && dialects[i].host &&
		    strstr(base_url, dialects[i].host))
			return &dialects[i];
	return by_kind;
}

struct model_traits model_traits_of(const char *model)
{
	size_t i = 0;

	while (strncmp(model, models[i].prefix, strlen(models[i].prefix)) != 0)
		i++;
	return models[i].traits;
}
