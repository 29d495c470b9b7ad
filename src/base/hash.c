/*
 * The few cryptographic primitives that the program needs, each a thin call of libcrypto. If
 * libcrypto cannot hash or has no random bytes, the process aborts, since no code that relies on
 * them may continue.
 */
#include "vesper/hash.h"

#include <assert.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <pthread.h>

#include "vesper/mem.h"

static EVP_MD *sha256;

/* Fetched once: SHA256() fetches it for every text, which costs more than hashing a short one. */
static void sha256_find(void)
{
	sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
	assert(sha256);
}

static const EVP_MD *sha256_get(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, sha256_find);
	return sha256;
}

void hash_sha256(const void *data, size_t len, uint8_t out[HASH_SHA256_BYTES])
{
	int done = EVP_Digest(data, len, out, NULL, sha256_get(), NULL);

	assert(done == 1);
	(void)done;
}

static void write_hex(const uint8_t sum[HASH_SHA256_BYTES], char out[HASH_HEX_BYTES])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < HASH_SHA256_BYTES; i++) {
		out[2 * i] = digits[sum[i] >> 4];
		out[2 * i + 1] = digits[sum[i] & 15];
	}
	out[HASH_HEX_BYTES - 1] = '\0';
}

void hash_sha256_hex(const void *data, size_t len, char out[HASH_HEX_BYTES])
{
	uint8_t sum[HASH_SHA256_BYTES];

	hash_sha256(data, len, sum);
	write_hex(sum, out);
}

struct hasher {
	EVP_MD_CTX *context;
};

/* `kind` NULL restarts with the current algorithm. */
static void hasher_begin(struct hasher *h, const EVP_MD *kind)
{
	int done = EVP_DigestInit_ex2(h->context, kind, NULL);

	assert(done == 1);
	(void)done;
}

struct hasher *hasher_new(void)
{
	struct hasher *h = mem_alloc(sizeof(*h));

	h->context = EVP_MD_CTX_new();
	assert(h->context);
	hasher_begin(h, sha256_get());
	return h;
}

void hasher_free(struct hasher **h)
{
	EVP_MD_CTX_free((*h)->context);
	mem_free(*h);
	*h = NULL;
}

void hasher_add(struct hasher *h, const void *data, size_t len)
{
	int done = EVP_DigestUpdate(h->context, data, len);

	assert(done == 1);
	(void)done;
}

void hasher_end_hex(struct hasher *h, char out[HASH_HEX_BYTES])
{
	uint8_t sum[HASH_SHA256_BYTES];
	int done = EVP_DigestFinal_ex(h->context, sum, NULL);

	assert(done == 1);
	(void)done;
	write_hex(sum, out);
	hasher_begin(h, NULL);
}

void hash_hmac_sha256(const void *key, size_t key_len, const void *data, size_t len,
		      uint8_t out[HASH_SHA256_BYTES])
{
	const unsigned char *done =
		HMAC(EVP_sha256(), key_len ? key : "", (int)key_len, data, len, out, NULL);
	assert(done);
	(void)done;
}

bool hash_equal(const void *a, const void *b, size_t len)
{
	return CRYPTO_memcmp(a, b, len) == 0;
}

void hash_base64url(struct buf *out, const void *data, size_t len)
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	const uint8_t *p = data;
	for (size_t i = 0; i < len; i += 3) {
		size_t count = len - i < 3 ? len - i : 3;
		uint32_t v = (uint32_t)p[i] << 16;
		if (count > 1)
			v |= (uint32_t)p[i + 1] << 8;
		if (count > 2)
			v |= p[i + 2];
		char four[4] = {alphabet[v >> 18], alphabet[(v >> 12) & 63],
				alphabet[(v >> 6) & 63], alphabet[v & 63]};
		buf_add(out, four, count + 1);
	}
}

void hash_base64(struct buf *out, const void *data, size_t len)
{
	size_t start = out->n;

	hash_base64url(out, data, len);
	for (size_t i = start; i < out->n; i++)
		out->p[i] = out->p[i] == '-' ? '+' : out->p[i] == '_' ? '/' : out->p[i];
	while ((out->n - start) % 4 != 0 && !buf_over(out))
		buf_char(out, '=');
}

/* Value of a base64url digit, -1 for any other character. */
static int base64url_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '-')
		return 62;
	return c == '_' ? 63 : -1;
}

bool hash_base64url_decode(struct buf *out, const char *text, size_t len)
{
	if (len % 4 == 1)
		return false;
	for (size_t i = 0; i < len; i++)
		if (base64url_value(text[i]) < 0)
			return false;
	for (size_t i = 0; i < len; i += 4) {
		size_t count = len - i < 4 ? len - i : 4;
		uint32_t v = 0;
		for (size_t k = 0; k < 4; k++)
			v = v << 6 | (k < count ? (uint32_t)base64url_value(text[i + k]) : 0);
		uint8_t three[3] = {(uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v};
		size_t bytes = count - 1;
		if ((bytes < 3 && three[bytes] != 0) || (bytes == 1 && three[2] != 0))
			return false; /* stray bits: another encoding of the same bytes */
		buf_add(out, three, bytes);
	}
	return true;
}

bool hash_base64_decode(struct buf *out, const char *text, size_t len)
{
	struct buf plain;
	size_t n = len;
	bool ok;

	while (n > 0 && len - n < 2 && text[n - 1] == '=')
		n--;
	buf_init(&plain, len + 1);
	buf_add(&plain, text, n);
	for (size_t i = 0; i < plain.n; i++)
		plain.p[i] = plain.p[i] == '+'                        ? '-'
			     : plain.p[i] == '/'                      ? '_'
			     : plain.p[i] == '-' || plain.p[i] == '_' ? ' '
								      : plain.p[i];
	ok = len % 4 == 0 && hash_base64url_decode(out, buf_text(&plain), n);
	buf_deinit(&plain);
	return ok;
}

void hash_random(void *out, size_t len)
{
	int done = RAND_bytes(out, (int)len);
	assert(done == 1);
	(void)done;
}
