/* A token issuer for tests: a new RSA key, its JWK Set, and tokens signed with it. */
#ifndef RSA_KEY_H
#define RSA_KEY_H

#include <assert.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/hash.h"
#include "vesper/str.h"

static inline EVP_PKEY *rsa_key_new(unsigned bits)
{
	EVP_PKEY *key = EVP_RSA_gen(bits);

	assert(key);
	return key;
}

static inline void rsa_key_number(struct buf *out, EVP_PKEY *key, const char *name)
{
	BIGNUM *number = NULL;
	unsigned char bytes[1024];

	if (EVP_PKEY_get_bn_param(key, name, &number) != 1)
		abort();
	hash_base64url(out, bytes, (size_t)BN_bn2bin(number, bytes));
	BN_free(number);
}

/* Writes {"kty":"RSA",…} with additional members. */
static inline void rsa_key_jwk(struct buf *out, EVP_PKEY *key, const char *kid, const char *more)
{
	buf_printf(out, "{\"kty\":\"RSA\",\"kid\":\"%s\"%s,\"n\":\"", kid, more);
	rsa_key_number(out, key, OSSL_PKEY_PARAM_RSA_N);
	buf_str(out, "\",\"e\":\"");
	rsa_key_number(out, key, OSSL_PKEY_PARAM_RSA_E);
	buf_str(out, "\"}");
}

/* Writes header.payload.signature for exactly these bytes. */
static inline void rsa_key_sign(struct buf *out, EVP_PKEY *key, const char *header,
				const char *payload)
{
	unsigned char signature[1024];
	size_t len = sizeof(signature);
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();

	hash_base64url(out, header, strlen(header));
	buf_char(out, '.');
	hash_base64url(out, payload, strlen(payload));
	if (EVP_DigestSignInit(ctx, NULL, EVP_sha256(), NULL, key) != 1 ||
	    EVP_DigestSign(ctx, signature, &len, (const unsigned char *)out->p, out->n) != 1)
		abort();
	EVP_MD_CTX_free(ctx);
	buf_char(out, '.');
	hash_base64url(out, signature, len);
}

#endif
