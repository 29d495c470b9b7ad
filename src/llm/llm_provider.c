/*
 * A provider: a driver with its circuit breaker. State changes of the breaker go to the health
 * checks, counts to the metrics.
 */
#include <string.h>

#include "llm_int.h"
#include "vesper/clock.h"
#include "vesper/health.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/metric.h"

static const struct metric tokens = {
	.name = "vesper_llm_tokens_total",
	.help = "Tokens as counted by the providers, by kind.",
	.labels = {"provider", "kind"},
};

#define NAME_BYTES_MAX 40

bool provider_name_check(const char *name, struct err *e)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
	size_t n = strspn(name, allowed);

	return (n > 0 && n <= NAME_BYTES_MAX && name[n] == '\0') ||
	       err_set(e, ERR_INPUT, "the name must be 1 to %d letters, digits, '_', '.' or '-'",
		       NAME_BYTES_MAX);
}

void provider_count_usage(const struct provider *p, const struct llm_usage *u)
{
	metric_add(&tokens, (const char *const[]){p->name, "input"}, u->input_tokens);
	metric_add(&tokens, (const char *const[]){p->name, "cache_read"}, u->cache_read_tokens);
	metric_add(&tokens, (const char *const[]){p->name, "cache_write"}, u->cache_write_tokens);
	metric_add(&tokens, (const char *const[]){p->name, "output"}, u->output_tokens);
}

static void report(const struct provider *p, const struct err *e)
{
	char *check;

	if (!p->is_listed)
		return;
	check = mem_printf("llm:%s", p->name);
	if (p->breaker.open)
		health_set(check, HEALTH_OPTIONAL, HEALTH_DEGRADED,
			   "unavailable after %lld consecutive failures%s%s",
			   (long long)p->breaker.failures, e ? ", the last: " : "",
			   e ? e->text : "");
	else
		health_set(check, HEALTH_OPTIONAL, HEALTH_OK, "calls succeed");
	mem_free(check);
}

void provider_init(struct provider *p, const char *name, const struct llm_driver *driver,
		   void *self, int64_t failures_max, int64_t open_ms)
{
	*p = (struct provider){.name = mem_strdup(name), .driver = driver, .self = self};
	p->breaker.failures_max = failures_max ? failures_max : LLM_BREAKER_FAILURES;
	p->breaker.open_ms = open_ms ? open_ms : LLM_BREAKER_OPEN_MS;
}

void provider_list(struct provider *p)
{
	p->is_listed = true;
	report(p, NULL);
}

void provider_unlist(struct provider *p, bool keep_check)
{
	char *check = mem_printf("llm:%s", p->name);

	if (p->is_listed && !keep_check)
		health_remove(check);
	p->is_listed = false;
	mem_free(check);
}

void provider_deinit(struct provider *p)
{
	provider_unlist(p, false);
	if (p->driver->close)
		p->driver->close(p->self);
	mem_free(p->name);
}

void provider_ok(struct provider *p)
{
	bool was_open = p->breaker.open;

	breaker_succeeded(&p->breaker);
	if (!was_open)
		return;
	log_info("llm.breaker", "%s: circuit breaker closed", p->name);
	report(p, NULL);
}

void provider_failed(struct provider *p, bool probe, const struct err *e)
{
	bool was_open = p->breaker.open;

	breaker_failed(&p->breaker, probe, clock_mono_ms());
	if (!p->breaker.open || (was_open && !probe))
		return;
	log_warn("llm.breaker", "%s: circuit breaker open for %lld ms", p->name,
		 (long long)p->breaker.open_ms);
	report(p, e);
}
