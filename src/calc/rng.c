/* Random numbers from a fixed seed: the same on every machine. */
#include "calc_int.h"

#include <assert.h>

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

static uint64_t rotated(uint64_t x, int by)
{
	return (x << by) | (x >> (64 - by));
}

struct calc_rng calc_rng_new(uint64_t stream)
{
	uint64_t state = CALC_SEED + stream;
	struct calc_rng r;

	for (int i = 0; i < 4; i++)
		r.s[i] = splitmix64(&state);
	return r;
}

uint64_t calc_rng_next(struct calc_rng *r)
{
	uint64_t *s = r->s;
	uint64_t result = rotated(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotated(s[3], 45);
	return result;
}

double calc_rng_unit(struct calc_rng *r)
{
	return (double)(calc_rng_next(r) >> 11) * 0x1p-53;
}

size_t calc_rng_below(struct calc_rng *r, size_t bound)
{
	assert(bound > 0);
	/* Numbers past the last whole multiple of the bound would favour small results. */
	uint64_t biased = (UINT64_MAX % bound + 1) % bound;
	uint64_t x;
	do
		x = calc_rng_next(r);
	while (x > UINT64_MAX - biased);
	return (size_t)(x % bound);
}
