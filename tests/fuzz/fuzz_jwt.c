/*
 * Any bytes as a token, then as the header and the claims (cut at the first newline) of a token
 * that is signed well: without the latter no input would ever come past the signature.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "vesper/hash.h"
#include "vesper/jwt.h"

#define SECRET "0123456789abcdef0123456789abcdef"
#define NOW_MS INT64_C(1772182800000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void verify(struct str token)
{
	static const char *const tenants[] = {"vesper", "acme", NULL};
	const struct jwt_options options = {
		.hs256_secret = SECRET, .tenants = tenants, .leeway_s = 60};
	struct principal *who = NULL;
	struct err e = {0};
	if (jwt_verify(token, &options, NOW_MS, &who, &e))
		assert(*who->user && who->expires_ms + 60000 > NOW_MS);
	else
		assert(!who && e.code == ERR_AUTH && *e.text);
	principal_free(&who);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	verify((struct str){(const char *)data, size});

	const uint8_t *newline = size ? memchr(data, '\n', size) : NULL;
	if (!newline)
		return 0;
	size_t header = (size_t)(newline - data);
	struct buf token;
	buf_init(&token, 1 << 20);
	hash_base64url(&token, data, header);
	buf_char(&token, '.');
	hash_base64url(&token, newline + 1, size - header - 1);
	uint8_t sum[HASH_SHA256_BYTES];
	hash_hmac_sha256(SECRET, strlen(SECRET), buf_text(&token), token.n, sum);
	buf_char(&token, '.');
	hash_base64url(&token, sum, sizeof(sum));
	verify((struct str){token.p, token.n});
	buf_deinit(&token);
	return 0;
}
