/* Key names, numbers as text, and sealing of data stored in Redis. */
#include "cluster_int.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "vesper/hash.h"

void cluster_key(char out[CLUSTER_KEY_BYTES], const char *kind, const char *tenant,
		 const char *name)
{
	int n = snprintf(out, CLUSTER_KEY_BYTES, "vesper:%s:{%s}%s%s", kind, tenant,
			 *name ? ":" : "", name);

	assert(n > 0 && n < CLUSTER_KEY_BYTES); /* tenants and names have a maximum length */
	(void)n;
}

struct str number_text(uint64_t n, char out[24])
{
	return (struct str){out, (size_t)snprintf(out, 24, "%llu", (unsigned long long)n)};
}

bool number_read(struct str text, uint64_t *out)
{
	*out = 0;
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] < '0' || text.p[i] > '9' || *out > UINT64_MAX / 16)
			return false;
		*out = *out * 10 + (uint64_t)(text.p[i] - '0');
	}
	return text.n > 0;
}

struct str next_word(struct str *text)
{
	struct str word = {0};

	str_split(text, ' ', &word);
	return word;
}

/* Each key seals one value: the purpose identifies the value, and equal purposes mean equal
 * bytes. */
static void key_for(const struct cluster *c, const char *purpose, uint8_t out[SEAL_KEY_BYTES])
{
	hash_hmac_sha256(c->secret, sizeof(c->secret), purpose, strlen(purpose), out);
}

void cluster_seal(const struct cluster *c, struct buf *out, const char *purpose, struct str plain)
{
	uint8_t key[SEAL_KEY_BYTES];

	key_for(c, purpose, key);
	seal_add(out, key, plain);
}

bool cluster_unseal(const struct cluster *c, struct buf *out, const char *purpose,
		    struct str sealed)
{
	uint8_t key[SEAL_KEY_BYTES];

	key_for(c, purpose, key);
	return seal_open(out, key, sealed);
}
