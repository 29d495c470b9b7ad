/*
 * An issuer's public keys, read from its JWK Set. An invalid set is rejected completely: with a
 * part of the keys, some users would be refused for no visible reason.
 */
#include "auth_int.h"

#include <assert.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <string.h>

#include "vesper/hash.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define RSA_BITS_MIN  2048
#define RSA_BITS_MAX  8192
#define KID_BYTES_MAX 200

struct key {
	char *kid;
	EVP_PKEY *key;
};

struct jwt_keys {
	struct key keys[JWKS_KEYS_MAX];
	size_t count;
};

struct jwt_keys *jwt_keys_new_empty(void)
{
	return mem_alloc(sizeof(struct jwt_keys));
}

size_t jwt_keys_count(const struct jwt_keys *keys)
{
	return keys->count;
}

void jwt_keys_free(struct jwt_keys **keys)
{
	struct jwt_keys *k = *keys;

	if (!k)
		return;
	*keys = NULL;
	for (size_t i = 0; i < k->count; i++) {
		mem_free(k->keys[i].kid);
		EVP_PKEY_free(k->keys[i].key);
	}
	mem_free(k);
}

/* ---- one key ---- */

/* A base64url member as a number; NULL when invalid. */
static BIGNUM *number_of(const json_t *jwk, const char *name)
{
	const char *text;
	BIGNUM *number = NULL;
	struct buf bytes;

	if (!json_get_str(jwk, name, &text, NULL))
		return NULL;
	buf_init(&bytes, RSA_BITS_MAX / 8);
	if (hash_base64url_decode(&bytes, text, strlen(text)) && !buf_over(&bytes) && bytes.n > 0)
		number = BN_bin2bn((const unsigned char *)bytes.p, (int)bytes.n, NULL);
	buf_deinit(&bytes);
	return number;
}

static EVP_PKEY *key_build(const BIGNUM *n, const BIGNUM *e)
{
	OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
	OSSL_PARAM *params = NULL;
	EVP_PKEY *key = NULL;

	if (builder && ctx && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) &&
	    OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) &&
	    (params = OSSL_PARAM_BLD_to_param(builder)) && EVP_PKEY_fromdata_init(ctx) == 1 &&
	    EVP_PKEY_fromdata(ctx, &key, EVP_PKEY_PUBLIC_KEY, params) != 1)
		key = NULL;
	OSSL_PARAM_free(params);
	EVP_PKEY_CTX_free(ctx);
	OSSL_PARAM_BLD_free(builder);
	return key;
}

/* Exponent 1 would accept forged signatures, and an even exponent is invalid. */
static bool is_valid_rsa(const BIGNUM *n, const BIGNUM *e)
{
	return n && e && BN_num_bits(n) >= RSA_BITS_MIN && BN_num_bits(n) <= RSA_BITS_MAX &&
	       BN_is_odd(n) && BN_is_odd(e) && !BN_is_one(e) && BN_num_bits(e) <= 64;
}

static EVP_PKEY *key_of(const json_t *jwk)
{
	BIGNUM *n = number_of(jwk, "n");
	BIGNUM *e = number_of(jwk, "e");
	EVP_PKEY *key = is_valid_rsa(n, e) ? key_build(n, e) : NULL;

	BN_free(n);
	BN_free(e);
	return key;
}

/* ---- the set ---- */

static const struct key *key_find(const struct jwt_keys *keys, const char *kid)
{
	for (size_t i = 0; i < keys->count; i++)
		if (strcmp(keys->keys[i].kid, kid) == 0)
			return &keys->keys[i];
	return NULL;
}

static bool is_text(const json_t *jwk, const char *name, const char *expected)
{
	const json_t *value = json_object_get(jwk, name);

	return json_is_string(value) && strcmp(json_string_value(value), expected) == 0;
}

/* Sets also contain keys of other types and for other uses. */
static bool is_rs256_key(const json_t *jwk)
{
	return is_text(jwk, "kty", "RSA") &&
	       (!json_object_get(jwk, "use") || is_text(jwk, "use", "sig")) &&
	       (!json_object_get(jwk, "alg") || is_text(jwk, "alg", "RS256"));
}

static bool key_add(struct jwt_keys *keys, const json_t *jwk, struct err *e)
{
	const char *kid;
	EVP_PKEY *key;

	if (!is_rs256_key(jwk))
		return true;
	if (!json_get_str(jwk, "kid", &kid, NULL) || !*kid || strlen(kid) > KID_BYTES_MAX)
		return err_set(e, ERR_INPUT, "a key has no kid, or its kid is too long");
	if (key_find(keys, kid))
		return err_set(e, ERR_INPUT, "a kid occurs more than once");
	if (keys->count == JWKS_KEYS_MAX)
		return err_set(e, ERR_INPUT, "more than %d keys", JWKS_KEYS_MAX);
	key = key_of(jwk);
	if (!key)
		return err_set(e, ERR_INPUT, "a key is not an RSA public key of %d to %d bits",
			       RSA_BITS_MIN, RSA_BITS_MAX);
	keys->keys[keys->count++] = (struct key){mem_strdup(kid), key};
	return true;
}

static bool keys_add(struct jwt_keys *keys, const json_t *list, struct err *e)
{
	const json_t *jwk;
	size_t i;

	if (!json_is_array(list))
		return err_set(e, ERR_INPUT, "the key set has no list of keys");
	json_array_foreach(list, i, jwk)
		if (!key_add(keys, jwk, e))
			return false;
	return keys->count > 0 || err_set(e, ERR_INPUT, "the key set has no key for RS256");
}

bool jwt_keys_parse(const char *text, size_t len, struct jwt_keys **out, struct err *e)
{
	struct jwt_keys *keys = jwt_keys_new_empty();
	json_t *set = NULL;
	bool is_valid = json_parse(text, len, JWKS_BYTES_MAX, &set, e) &&
			keys_add(keys, json_object_get(set, "keys"), e);

	json_decref(set);
	if (is_valid)
		*out = keys;
	else
		jwt_keys_free(&keys);
	return is_valid;
}

/* ---- a signature ---- */

enum key_result jwt_keys_verify(const struct jwt_keys *keys, const char *kid,
				struct str signed_text, struct str signature)
{
	const struct key *k = key_find(keys, kid);
	EVP_MD_CTX *ctx;
	bool is_verified;

	if (!k)
		return KEY_UNKNOWN;
	ctx = EVP_MD_CTX_new();
	assert(ctx);
	is_verified = EVP_DigestVerifyInit(ctx, NULL, EVP_sha256(), NULL, k->key) == 1 &&
		      EVP_DigestVerify(ctx, (const unsigned char *)signature.p, signature.n,
				       (const unsigned char *)signed_text.p, signed_text.n) == 1;
	EVP_MD_CTX_free(ctx);
	return is_verified ? KEY_VERIFIED : KEY_BAD_SIGNATURE;
}
