/* The state is the salt followed by the sealed members. The key is derived from the secret and the
 * salt. */
#include "mcp_state.h"

#include <string.h>

#include "vesper/hash.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define PURPOSE "mcp.state"

static void state_key(const uint8_t secret[SEAL_KEY_BYTES], const uint8_t salt[MCP_SALT_BYTES],
		      uint8_t key[SEAL_KEY_BYTES])
{
	uint8_t text[sizeof(PURPOSE) + MCP_SALT_BYTES];

	memcpy(text, PURPOSE, sizeof(PURPOSE));
	memcpy(text + sizeof(PURPOSE), salt, MCP_SALT_BYTES);
	hash_hmac_sha256(secret, SEAL_KEY_BYTES, text, sizeof(text), key);
}

void mcp_state_seal(struct buf *out, const uint8_t secret[SEAL_KEY_BYTES],
		    const uint8_t salt[MCP_SALT_BYTES], const struct mcp_state *s)
{
	json_t *members =
		json_make({"tenant", json_str(s->tenant)}, {"user", json_str(s->user)},
			  {"session", json_str(s->session)}, {"ask_id", json_str(s->ask_id)},
			  {"skip", json_str(s->skip)}, {"expires_ms", json_int(s->expires_ms)});
	char *text = json_text(members);
	uint8_t key[SEAL_KEY_BYTES];
	struct buf sealed;

	buf_init(&sealed, SIZE_MAX / 2); /* only a few ids */
	buf_add(&sealed, salt, MCP_SALT_BYTES);
	state_key(secret, salt, key);
	seal_add(&sealed, key, str_of(text));
	hash_base64url(out, buf_text(&sealed), sealed.n);
	buf_deinit(&sealed);
	mem_free(text);
	json_decref(members);
}

static json_t *open_members(const char *text, const uint8_t secret[SEAL_KEY_BYTES])
{
	uint8_t key[SEAL_KEY_BYTES], salt[MCP_SALT_BYTES];
	json_t *members = NULL;
	struct buf sealed, plain;
	struct str rest;

	buf_init(&sealed, CLIENT_HISTORY_BYTES_MAX);
	buf_init(&plain, CLIENT_HISTORY_BYTES_MAX);
	if (hash_base64url_decode(&sealed, text, strlen(text)) && sealed.n > MCP_SALT_BYTES) {
		memcpy(salt, buf_text(&sealed), MCP_SALT_BYTES);
		rest = (struct str){buf_text(&sealed) + MCP_SALT_BYTES, sealed.n - MCP_SALT_BYTES};
		state_key(secret, salt, key);
		if (seal_open(&plain, key, rest) &&
		    !json_parse(buf_text(&plain), plain.n, CLIENT_HISTORY_BYTES_MAX, &members,
				NULL))
			members = NULL;
	}
	buf_deinit(&plain);
	buf_deinit(&sealed);
	return members;
}

static const char *text_of(const json_t *members, const char *name)
{
	return json_string_value(json_object_get(members, name));
}

static bool is_same(const char *a, const char *b)
{
	return a && strcmp(a, b) == 0;
}

bool mcp_state_open(const char *text, const uint8_t secret[SEAL_KEY_BYTES], const char *tenant,
		    const char *user, int64_t now_ms, struct arena *a, struct mcp_state *out)
{
	json_t *members = open_members(text, secret);

	if (!members)
		return false;
	json_own(a, members);
	*out = (struct mcp_state){
		.tenant = text_of(members, "tenant"),
		.user = text_of(members, "user"),
		.session = text_of(members, "session"),
		.ask_id = text_of(members, "ask_id"),
		.skip = text_of(members, "skip"),
		.expires_ms = json_integer_value(json_object_get(members, "expires_ms")),
	};
	return is_same(out->tenant, tenant) && is_same(out->user, user) && out->session &&
	       out->ask_id && now_ms < out->expires_ms;
}
