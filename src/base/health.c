/*
 * Known state of the process, which can be read without a request to any service.
 */
#include "vesper/health.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/mem.h"

#define NOTE_BYTES 200

struct check {
	char *name;
	enum health_need need;
	enum health_state state;
	char note[NOTE_BYTES];
};

static struct {
	struct check *items;
	size_t count;
	size_t cap;
	bool is_draining;
} checks;

static struct check *check_find(const char *name)
{
	for (size_t i = 0; i < checks.count; i++)
		if (strcmp(checks.items[i].name, name) == 0)
			return &checks.items[i];
	return NULL;
}

void health_set(const char *check, enum health_need need, enum health_state state, const char *fmt,
		...)
{
	struct check *c = check_find(check);
	if (!c) {
		checks.items = mem_grow(checks.items, &checks.cap, checks.count + 1,
					sizeof(*checks.items));
		c = &checks.items[checks.count++];
		*c = (struct check){.name = mem_strdup(check)};
	}
	c->need = need;
	c->state = state;
	va_list args;
	va_start(args, fmt);
	vsnprintf(c->note, sizeof(c->note), fmt, args);
	va_end(args);
}

void health_remove(const char *check)
{
	struct check *c = check_find(check);
	if (!c)
		return;
	mem_free(c->name);
	size_t at = (size_t)(c - checks.items);
	checks.count--;
	memmove(c, c + 1, (checks.count - at) * sizeof(*c));
}

/* The tenant of a check with HEALTH_REQUIRED_BY_TENANT; NULL for others. */
static const char *tenant_of(const struct check *c)
{
	const char *colon = c->need == HEALTH_REQUIRED_BY_TENANT ? strchr(c->name, ':') : NULL;

	return colon ? colon + 1 : NULL;
}

static bool tenant_is_down(const char *tenant)
{
	for (size_t i = 0; i < checks.count; i++) {
		const char *other = tenant_of(&checks.items[i]);

		if (other && checks.items[i].state == HEALTH_DOWN && strcmp(other, tenant) == 0)
			return true;
	}
	return false;
}

bool health_is_ready(void)
{
	bool tenants = false;
	bool served = false;

	for (size_t i = 0; i < checks.count; i++) {
		const struct check *c = &checks.items[i];
		const char *tenant = tenant_of(c);

		if (c->need == HEALTH_REQUIRED && c->state == HEALTH_DOWN)
			return false;
		tenants |= tenant != NULL;
		served = served || (tenant && !tenant_is_down(tenant));
	}
	return (served || !tenants) && !checks.is_draining;
}

void health_each_waiting(void (*each)(void *owner, const char *tenant), void *owner)
{
	for (size_t i = 0; i < checks.count; i++) {
		const char *tenant = tenant_of(&checks.items[i]);
		bool is_reported = false;

		for (size_t k = 0; tenant && k < i; k++) {
			const char *before = tenant_of(&checks.items[k]);

			is_reported |= before && strcmp(before, tenant) == 0;
		}
		if (tenant && !is_reported && tenant_is_down(tenant))
			each(owner, tenant);
	}
}

bool health_is_healthy(void)
{
	for (size_t i = 0; i < checks.count; i++)
		if (checks.items[i].state != HEALTH_OK)
			return false;
	return true;
}

void health_set_draining(bool yes)
{
	checks.is_draining = yes;
}

void health_reset(void)
{
	for (size_t i = 0; i < checks.count; i++)
		mem_free(checks.items[i].name);
	mem_free(checks.items);
	memset(&checks, 0, sizeof(checks));
}

void health_each(void (*each)(void *owner, const char *check, enum health_state state,
			      const char *note),
		 void *owner)
{
	for (size_t i = 0; i < checks.count; i++)
		each(owner, checks.items[i].name, checks.items[i].state, checks.items[i].note);
}

const char *health_state_name(enum health_state state)
{
	static const char *const names[] = {"healthy", "degraded", "unhealthy"};
	assert((size_t)state < sizeof(names) / sizeof(names[0]));
	return names[state];
}
