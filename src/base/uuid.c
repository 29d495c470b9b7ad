/*
 * UUIDv7 with a counter in the 12 bits after the millisecond, so that IDs made in one millisecond
 * sort in order of creation. Time and counter are one atomic number that only grows, even when the
 * clock steps back.
 */
#include "vesper/uuid.h"

#include <stdatomic.h>
#include <stdint.h>
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

/* Drawn for several IDs at once: a draw costs many times as much as the rest of an ID. */
static uint64_t next_random(void)
{
	static _Thread_local uint64_t drawn[32];
	static _Thread_local size_t left;

	if (left == 0) {
		hash_random(drawn, sizeof(drawn));
		left = sizeof(drawn) / sizeof(drawn[0]);
	}
	return drawn[--left];
}

static char *put_hex(char *to, uint64_t value, int digits)
{
	for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
		*to++ = "0123456789abcdef"[value >> shift & 15];
	return to;
}

struct uuid uuid_new(void)
{
	uint64_t tick = next_tick();
	uint64_t random = next_random();
	struct uuid id;
	char *to = put_hex(id.text, tick >> 28, 8);

	*to++ = '-';
	to = put_hex(to, tick >> 12, 4);
	*to++ = '-';
	to = put_hex(to, 0x7000 | (tick & 0xFFF), 4);
	*to++ = '-';
	to = put_hex(to, 0x8000 | (random >> 48 & 0x3FFF), 4);
	*to++ = '-';
	to = put_hex(to, random, 12);
	*to = '\0';
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
