/* Hashes, encodings, random bytes: a thin layer over libcrypto, except FNV-1a. */
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

/* Computes many SHA-256 hashes in sequence, each from parts. Cheaper than calling hash_sha256_hex
 * for each. */
struct hasher;
struct hasher *hasher_new(void);
void hasher_free(struct hasher **h);
void hasher_add(struct hasher *h, const void *data, size_t len);
/* Returns the hash of the data added since the previous call. */
void hasher_end_hex(struct hasher *h, char out[HASH_HEX_BYTES]);

void hash_hmac_sha256(const void *key, size_t key_len, const void *data, size_t len,
		      uint8_t out[HASH_SHA256_BYTES]);

/* Constant time. */
bool hash_equal(const void *a, const void *b, size_t len);

/* base64url without padding (RFC 4648 section 5). Decoding is strict: only the alphabet, no
 * padding, no nonzero pad bits. */
void hash_base64url(struct buf *out, const void *data, size_t len);
bool hash_base64url_decode(struct buf *out, const char *text, size_t len);
/* Standard base64 with padding (RFC 4648 section 4). */
void hash_base64(struct buf *out, const void *data, size_t len);
/* Equally strict; padding is required. */
bool hash_base64_decode(struct buf *out, const char *text, size_t len);

void hash_random(void *out, size_t len);

/* FNV-1a, starting with HASH_FNV_OFFSET_BASIS: fast, and the same in every process. If callers
 * choose the keys of a hash map, use hashmap.h. */
#define HASH_FNV_OFFSET_BASIS UINT64_C(14695981039346656037)
#define HASH_FNV_PRIME        UINT64_C(1099511628211)

static inline uint64_t hash_fnv_byte(uint64_t hash, unsigned char byte)
{
	return (hash ^ byte) * HASH_FNV_PRIME;
}

static inline uint64_t hash_fnv(uint64_t hash, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		hash = hash_fnv_byte(hash, (unsigned char)bytes[i]);
	return hash;
}

#endif
