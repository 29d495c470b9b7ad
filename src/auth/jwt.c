/*
 * The check that decides who somebody is. Nothing of the token is believed before its signature
 * holds, and a token that is odd in any way is refused: there is no lenient reading of a
 * credential.
 */
#include "vesper/jwt.h"

#include <string.h>

#include "vesper/hash.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/utf8.h"
#include "vesper/mem.h"

#define SUB_CHARACTERS_MAX   200
#define PERMISSIONS_MAX      64
#define PERMISSION_BYTES_MAX 100
#define TIME_MAX_S           INT64_C(253402300799) /* the end of year 9999 */

/* The three parts of the compact form, still encoded. */
struct parts {
	struct str header;
	struct str payload;
	struct str signature;
	struct str signed_text; /* header.payload */
};

static bool refuse(struct err *e, const char *why)
{
	return err_set(e, ERR_AUTH, "token: %s", why);
}

static bool parts_split(struct str token, struct parts *out, struct err *e)
{
	struct str rest = token;
	if (token.n > TOKEN_BYTES_MAX)
		return refuse(e, "too long");
	if (!str_split(&rest, '.', &out->header) || !str_split(&rest, '.', &out->payload) ||
	    !str_split(&rest, '.', &out->signature) || rest.p)
		return refuse(e, "not three parts");
	out->signed_text = (struct str){token.p, out->header.n + 1 + out->payload.n};
	return true;
}

/* One part as a JSON object. New reference. */
static bool part_object(struct str part, const char *what, json_t **out, struct err *e)
{
	struct buf text;
	buf_init(&text, TOKEN_BYTES_MAX);
	json_t *object = NULL;
	bool good = false;
	if (!hash_base64url_decode(&text, part.p, part.n))
		refuse(e, "not base64url");
	else if (!json_parse(buf_text(&text), text.n, TOKEN_BYTES_MAX, &object, e))
		good = err_set(e, ERR_AUTH, "token: bad %s", what);
	else if (!json_is_object(object))
		refuse(e, "not an object");
	else
		good = true;
	buf_deinit(&text);
	if (good)
		*out = object;
	else
		json_decref(object);
	return good;
}

/* ---- the signature ---- */

static bool hs256_verify(const struct parts *parts, const json_t *header,
			 const struct jwt_options *options, struct err *e)
{
	(void)header;
	if (!options->hs256_secret || !*options->hs256_secret)
		return refuse(e, "HS256 is not accepted here");
	struct buf given;
	buf_init(&given, TOKEN_BYTES_MAX);
	uint8_t want[HASH_SHA256_BYTES];
	hash_hmac_sha256(options->hs256_secret, strlen(options->hs256_secret), parts->signed_text.p,
			 parts->signed_text.n, want);
	bool good = hash_base64url_decode(&given, parts->signature.p, parts->signature.n) &&
		    given.n == sizeof(want) && hash_equal(given.p, want, sizeof(want));
	buf_deinit(&given);
	return good || refuse(e, "wrong signature");
}

/* The fixed list of algorithms; each takes its key from the options and never from the token. */
static const struct {
	const char *alg;
	bool (*verify)(const struct parts *parts, const json_t *header,
		       const struct jwt_options *options, struct err *e);
} algorithms[] = {
	{"HS256", hs256_verify},
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
		return refuse(e, "alg missing");
	if (!json_opt_str(header, "typ", &typ, NULL) || !typ_check(typ))
		return refuse(e, "wrong typ");
	if (json_object_get(header, "crit"))
		return refuse(e, "crit is not understood");
	for (size_t i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++)
		if (strcmp(alg, algorithms[i].alg) == 0)
			return algorithms[i].verify(parts, header, options, e);
	return refuse(e, "algorithm not accepted");
}

/* ---- the claims ---- */

/* Seconds since 1970; fractions are allowed by the standard and cut here. False: not a time. */
static bool claim_time(const json_t *claims, const char *name, int64_t *out)
{
	const json_t *value = json_object_get(claims, name);
	if (!json_is_number(value))
		return false;
	double seconds = json_number_value(value);
	if (!(seconds >= 0 && seconds <= (double)TIME_MAX_S))
		return false;
	*out = json_is_integer(value) ? json_integer_value(value) : (int64_t)seconds;
	return true;
}

/* iat and nbf: absent, or a time that is not in the future beyond the leeway. */
static bool not_before_check(const json_t *claims, const char *name, int64_t latest_s)
{
	int64_t time;
	return !json_object_get(claims, name) ||
	       (claim_time(claims, name, &time) && time <= latest_s);
}

static bool times_check(const json_t *claims, int64_t now_ms, int64_t leeway_s, int64_t *expires_ms,
			struct err *e)
{
	int64_t expires_s;
	if (!claim_time(claims, "exp", &expires_s))
		return refuse(e, "exp missing or not a time");
	if (now_ms >= (expires_s + leeway_s) * 1000)
		return err_set(e, ERR_AUTH, "expired");
	int64_t latest_s = now_ms / 1000 + leeway_s;
	if (!not_before_check(claims, "nbf", latest_s))
		return refuse(e, "not valid yet");
	if (!not_before_check(claims, "iat", latest_s))
		return refuse(e, "issued in the future");
	*expires_ms = expires_s * 1000;
	return true;
}

/* Nothing is wanted, or the text is what is wanted. */
static bool is_wanted(const char *wanted, const char *text)
{
	return !wanted || !*wanted || strcmp(wanted, text) == 0;
}

static bool issuer_check(const json_t *claims, const char *wanted)
{
	const char *issuer = "";
	return json_opt_str(claims, "iss", &issuer, NULL) && is_wanted(wanted, issuer);
}

/* `aud` is a text or a list of texts, of which one must be wanted. */
static bool audience_check(const json_t *claims, const char *wanted)
{
	const json_t *aud = json_object_get(claims, "aud");
	if (!aud)
		return is_wanted(wanted, "");
	if (json_is_string(aud))
		return is_wanted(wanted, json_string_value(aud));
	bool found = is_wanted(wanted, "");
	for (size_t i = 0; i < json_array_size(aud); i++) {
		const char *one = json_string_value(json_array_get(aud, i));
		if (!one)
			return false;
		found |= is_wanted(wanted, one);
	}
	return json_is_array(aud) && found;
}

static bool is_tenant(const char *const *tenants, const char *tenant)
{
	for (; tenants && *tenants; tenants++)
		if (strcmp(*tenants, tenant) == 0)
			return true;
	return false;
}

static bool who_check(const json_t *claims, const struct jwt_options *options,
		      struct principal *who, struct err *e)
{
	if (!json_get_str(claims, "sub", &who->user, NULL) || !*who->user ||
	    utf8_count(who->user, strlen(who->user)) > SUB_CHARACTERS_MAX)
		return refuse(e, "sub missing, empty or too long");
	if (!json_get_str(claims, "tenant_id", &who->tenant, NULL))
		return refuse(e, "tenant_id missing");
	if (!is_tenant(options->tenants, who->tenant))
		return refuse(e, "unknown tenant");
	if (!issuer_check(claims, options->issuer))
		return refuse(e, "wrong issuer");
	if (!audience_check(claims, options->audience))
		return refuse(e, "wrong audience");
	return true;
}

/* Fills the array, which has room for PERMISSIONS_MAX. */
static bool permissions_check(const json_t *claims, const char **out, size_t *count, struct err *e)
{
	const json_t *list = json_object_get(claims, "permissions");
	if (!json_is_array(list))
		return refuse(e, "permissions missing or not a list");
	if (json_array_size(list) > PERMISSIONS_MAX)
		return refuse(e, "too many permissions");
	for (size_t i = 0; i < json_array_size(list); i++) {
		out[i] = json_string_value(json_array_get(list, i));
		if (!out[i] || !*out[i] || strlen(out[i]) > PERMISSION_BYTES_MAX)
			return refuse(e, "permissions must be short texts");
	}
	*count = json_array_size(list);
	return true;
}

static bool claims_check(const json_t *claims, const struct jwt_options *options, int64_t now_ms,
			 struct principal **out, struct err *e)
{
	const char *permissions[PERMISSIONS_MAX];
	struct principal who = {.permissions = permissions};
	if (!times_check(claims, now_ms, options->leeway_s, &who.expires_ms, e) ||
	    !who_check(claims, options, &who, e) ||
	    !permissions_check(claims, permissions, &who.permission_count, e))
		return false;
	*out = principal_copy(&who);
	return true;
}

bool jwt_verify(struct str token, const struct jwt_options *options, int64_t now_ms,
		struct principal **out, struct err *e)
{
	struct parts parts;
	json_t *header = NULL;
	json_t *claims = NULL;
	bool good = parts_split(token, &parts, e) &&
		    part_object(parts.header, "header", &header, e) &&
		    signature_verify(&parts, header, options, e) &&
		    part_object(parts.payload, "claims", &claims, e) &&
		    claims_check(claims, options, now_ms, out, e);
	json_decref(header);
	json_decref(claims);
	return good;
}

/* ---- minting ---- */

static void add_encoded(struct buf *out, json_t *object_take)
{
	char *text = json_text(object_take);
	hash_base64url(out, text, strlen(text));
	mem_free(text);
	json_decref(object_take);
}

void jwt_mint(struct buf *out, const struct principal *who, int64_t now_ms, int64_t life_s,
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
	json_set_int(claims, "exp", now_ms / 1000 + life_s);

	size_t start = out->n;
	add_encoded(out, header);
	buf_char(out, '.');
	add_encoded(out, claims);
	uint8_t signature[HASH_SHA256_BYTES];
	hash_hmac_sha256(secret, strlen(secret), buf_text(out) + start, out->n - start, signature);
	buf_char(out, '.');
	hash_base64url(out, signature, sizeof(signature));
}
