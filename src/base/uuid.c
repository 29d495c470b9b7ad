/*
 * UUIDv7 whose 12 bits after the millisecond are a counter, so that ids made in one millisecond
 * still sort in order of creation. Time and counter are one atomic number that only grows, also
 * when the clock steps back.
 */
#include "vesper/uuid.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/hash.h"

static _Atomic uint64_t last_tick; /* milliseconds << 12 | counter */

static uint64_t next_tick(void)
{
	uint64_t now = (uint64_t)clock_now_ms() << 12;
	uint64_t last = atomic_load(&last_tick);
	uint64_t next;
	do {
		next = last >= now ? last + 1 : now;
	} while (!atomic_compare_exchange_weak(&last_tick, &last, next));
	return next;
}

struct uuid uuid_new(void)
{
	uint64_t tick = next_tick();
	uint64_t random;
	hash_random(&random, sizeof(random));
	uint32_t high = (uint32_t)(tick >> 28);
	unsigned middle = (unsigned)(tick >> 12) & 0xFFFF;
	unsigned counter = 0x7000 | ((unsigned)tick & 0xFFF);
	unsigned variant = 0x8000 | ((unsigned)(random >> 48) & 0x3FFF);

	struct uuid id;
	snprintf(id.text, sizeof(id.text), "%08x-%04x-%04x-%04x-%012llx", high, middle, counter,
		 variant, (unsigned long long)(random & UINT64_C(0xFFFFFFFFFFFF)));
	return id;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool uuid_valid(const char *text)
{
	if (!text || strnlen(text, UUID_BYTES) != UUID_BYTES - 1)
		return false;
	for (int i = 0; i < UUID_BYTES - 1; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;
		if (dash ? text[i] != '-' : !is_hex(text[i]))
			return false;
	}
	return true;
}
