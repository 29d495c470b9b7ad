/*
 * The breaker of one provider. While it is closed every call passes; after some failures in a row
 * it opens and calls go elsewhere at once instead of each waiting for its own failure; after a
 * while one call, the probe, decides.
 */
#include "llm_int.h"

bool breaker_admits(const struct breaker *b, int64_t now_ms)
{
	return !b->open || (!b->probing && now_ms - b->opened_ms >= b->open_ms);
}

bool breaker_begin(struct breaker *b)
{
	if (!b->open)
		return false;
	b->probing = true;
	return true;
}

void breaker_ok(struct breaker *b)
{
	b->failures = 0;
	b->open = b->probing = false;
}

void breaker_failed(struct breaker *b, bool probe, int64_t now_ms)
{
	b->failures++;
	if (b->open && !probe)
		return; /* began before it opened: says nothing new */
	if (!probe && b->failures < b->failures_max)
		return;
	b->open = true;
	b->probing = false;
	b->opened_ms = now_ms;
}

void breaker_undecided(struct breaker *b, bool probe)
{
	if (probe)
		b->probing = false;
}
