/* Hashes, encodings, random bytes: thin over libcrypto. */
#ifndef VESPER_HASH_H
#define VESPER_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/str.h"

#define HASH_SHA256_BYTES 32
#define HASH_HEX_BYTES    65

void hash_sha256(const void *data, size_t len, uint8_t out[HASH_SHA256_BYTES]);
void hash_sha256_hex(const void *data, size_t len, char out[HASH_HEX_BYTES]);
void hash_hmac_sha256(const void *key, size_t key_len, const void *data, size_t len,
		      uint8_t out[HASH_SHA256_BYTES]);

/* Constant time. */
bool hash_equal(const void *a, const void *b, size_t len);

/* base64url without padding (RFC 4648 section 5). Decoding is strict: alphabet, no padding, no
 * stray bits. */
void hash_base64url(struct buf *out, const void *data, size_t len);
bool hash_base64url_decode(struct buf *out, const char *text, size_t len);

void hash_random(void *out, size_t len);

#endif
