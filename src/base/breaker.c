/* State changes of a circuit breaker: consecutive failures, time, and the result of the probe. */
#include "vesper/breaker.h"

bool breaker_blocks(const struct breaker *b, int64_t now_ms)
{
	return b->open && now_ms - b->opened_ms < b->open_ms;
}

bool breaker_is_probing(const struct breaker *b)
{
	return b->open && b->probing;
}

bool breaker_allows(const struct breaker *b, int64_t now_ms)
{
	return !breaker_blocks(b, now_ms) && !breaker_is_probing(b);
}

bool breaker_begin(struct breaker *b)
{
	if (!b->open)
		return false;
	b->probing = true;
	return true;
}

void breaker_succeeded(struct breaker *b)
{
	b->failures = 0;
	b->open = b->probing = false;
}

bool breaker_failed(struct breaker *b, bool probe, int64_t now_ms)
{
	probe = probe && b->open; /* another call's success may have closed it meanwhile */
	b->failures++;
	if (b->open && !probe)
		return false; /* began before it opened: no new information */
	if (!probe && b->failures < b->failures_max)
		return false;
	b->open = true;
	b->probing = false;
	b->opened_ms = now_ms;
	return true;
}

void breaker_undecided(struct breaker *b, bool probe)
{
	if (probe)
		b->probing = false;
}
