/*
 * Verifies tokens. The content of a token is untrusted until its signature is verified. Any
 * irregular token is refused: credentials are never parsed leniently.
 */
#include "auth_int.h"

#include <string.h>

#include "vesper/hash.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

/* The three parts of the compact form, still encoded. */
struct parts {
	struct str header;
	struct str payload;
	struct str signature;
	struct str signed_text; /* header.payload */
};

bool jwt_refuse(struct err *e, const char *why)
{
	return err_set(e, ERR_AUTH, "token: %s", why);
}

static bool parts_split(struct str token, struct parts *out, struct err *e)
{
	struct str rest = token;
	if (token.n > TOKEN_BYTES_MAX)
		return jwt_refuse(e, "too long");
	if (!str_split(&rest, '.', &out->header) || !str_split(&rest, '.', &out->payload) ||
	    !str_split(&rest, '.', &out->signature) || rest.p)
		return jwt_refuse(e, "not three parts");
	out->signed_text = (struct str){token.p, out->header.n + 1 + out->payload.n};
	return true;
}

/* One part as a JSON object. New reference. */
static bool part_object(struct str part, const char *what, json_t **out, struct err *e)
{
	struct buf text;
	buf_init(&text, TOKEN_BYTES_MAX);
	json_t *object = NULL;
	bool is_valid = false;
	if (!hash_base64url_decode(&text, part.p, part.n))
		jwt_refuse(e, "not base64url");
	else if (!json_parse(buf_text(&text), text.n, TOKEN_BYTES_MAX, &object, e))
		is_valid = err_set(e, ERR_AUTH, "token: bad %s", what);
	else if (!json_is_object(object))
		jwt_refuse(e, "not an object");
	else
		is_valid = true;
	buf_deinit(&text);
	if (is_valid)
		*out = object;
	else
		json_decref(object);
	return is_valid;
}

/* ---- the signature ---- */

static bool hs256_verify(const struct parts *parts, const json_t *header,
			 const struct jwt_options *options, struct err *e)
{
	(void)header;
	if (!options->hs256_secret || !*options->hs256_secret)
		return jwt_refuse(e, "HS256 is not accepted");
	struct buf signature;
	buf_init(&signature, TOKEN_BYTES_MAX);
	uint8_t expected[HASH_SHA256_BYTES];
	hash_hmac_sha256(options->hs256_secret, strlen(options->hs256_secret), parts->signed_text.p,
			 parts->signed_text.n, expected);
	bool is_valid = hash_base64url_decode(&signature, parts->signature.p, parts->signature.n) &&
			signature.n == sizeof(expected) &&
			hash_equal(signature.p, expected, sizeof(expected));
	buf_deinit(&signature);
	return is_valid || jwt_refuse(e, "wrong signature");
}

static bool rs256_verify(const struct parts *parts, const json_t *header,
			 const struct jwt_options *options, struct err *e)
{
	enum key_result result = KEY_BAD_SIGNATURE;
	struct buf signature;
	const char *kid;
	if (!options->keys)
		return jwt_refuse(e, "RS256 is not accepted");
	if (!json_get_str(header, "kid", &kid, NULL))
		return jwt_refuse(e, "kid missing");
	buf_init(&signature, TOKEN_BYTES_MAX);
	if (hash_base64url_decode(&signature, parts->signature.p, parts->signature.n))
		result = jwt_keys_verify(options->keys, kid, parts->signed_text,
					 (struct str){buf_text(&signature), signature.n});
	buf_deinit(&signature);
	if (result == KEY_UNKNOWN)
		return err_set_retry(e, ERR_AUTH, "token: no key with this kid");
	return result == KEY_VERIFIED || jwt_refuse(e, "wrong signature");
}

/* The fixed list of algorithms; each takes its key from the options, never from the token. */
static const struct {
	const char *alg;
	bool (*verify)(const struct parts *parts, const json_t *header,
		       const struct jwt_options *options, struct err *e);
} algorithms[] = {
	{"HS256", hs256_verify},
	{"RS256", rs256_verify},
};

static bool typ_check(const char *typ)
{
	return !typ || str_eq_nocase(str_of(typ), STR("JWT")) ||
	       str_eq_nocase(str_of(typ), STR("at+jwt"));
}

static bool signature_verify(const struct parts *parts, const json_t *header,
			     const struct jwt_options *options, struct err *e)
{
	const char *alg;
	const char *typ = NULL;
	if (!json_get_str(header, "alg", &alg, NULL))
		return jwt_refuse(e, "alg missing");
	if (!json_opt_str(header, "typ", &typ, NULL) || !typ_check(typ))
		return jwt_refuse(e, "wrong typ");
	if (json_object_get(header, "crit"))
		return jwt_refuse(e, "crit is not supported");
	for (size_t i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++)
		if (strcmp(alg, algorithms[i].alg) == 0)
			return algorithms[i].verify(parts, header, options, e);
	return jwt_refuse(e, "algorithm not accepted");
}

bool jwt_verify(struct str token, const struct jwt_options *options, int64_t now_ms,
		struct principal **out, struct err *e)
{
	struct parts parts;
	json_t *header = NULL;
	json_t *claims = NULL;
	bool is_valid = parts_split(token, &parts, e) &&
			part_object(parts.header, "header", &header, e) &&
			signature_verify(&parts, header, options, e) &&
			part_object(parts.payload, "claims", &claims, e) &&
			jwt_claims_check(claims, options, now_ms, out, e);
	json_decref(header);
	json_decref(claims);
	return is_valid;
}

bool jwt_id_token(struct str token, const struct jwt_options *options, const char *nonce,
		  int64_t now_ms, struct jwt_user *out, struct err *e)
{
	struct parts parts;
	json_t *header = NULL;
	json_t *claims = NULL;
	bool is_valid = parts_split(token, &parts, e) &&
			part_object(parts.header, "header", &header, e) &&
			signature_verify(&parts, header, options, e) &&
			part_object(parts.payload, "claims", &claims, e) &&
			jwt_id_claims_check(claims, options, nonce, now_ms, out, e);
	json_decref(header);
	json_decref(claims);
	return is_valid;
}

/* ---- minting ---- */

static void add_encoded(struct buf *out, json_t *object_take)
{
	char *text = json_text(object_take);
	hash_base64url(out, text, strlen(text));
	mem_free(text);
	json_decref(object_take);
}

void jwt_mint(struct buf *out, const struct principal *who, int64_t now_ms, int64_t lifetime_s,
	      const char *secret)
{
	json_t *header = json_object();
	json_set_str(header, "alg", "HS256");
	json_set_str(header, "typ", "JWT");

	json_t *permissions = json_array();
	for (size_t i = 0; i < who->permission_count; i++)
		json_push_take(permissions, json_str(who->permissions[i]));
	json_t *claims = json_object();
	json_set_str(claims, "sub", who->user);
	json_set_str(claims, "tenant_id", who->tenant);
	json_set_take(claims, "permissions", permissions);
	json_set_int(claims, "iat", now_ms / 1000);
	json_set_int(claims, "exp", now_ms / 1000 + lifetime_s);

	size_t start = out->n;
	add_encoded(out, header);
	buf_char(out, '.');
	add_encoded(out, claims);
	uint8_t signature[HASH_SHA256_BYTES];
	hash_hmac_sha256(secret, strlen(secret), buf_text(out) + start, out->n - start, signature);
	buf_char(out, '.');
	hash_base64url(out, signature, sizeof(signature));
}
