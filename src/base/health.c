/*
 * What is known about the process, kept where it can be read without asking anybody. Checks belong
 * to the loop thread; metrics are counted by workers too, so that table alone has a lock, held for
 * a look-up and an addition.
 */
#include "vesper/health.h"

#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/hash.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define NOTE_BYTES        200
#define METRIC_NAME_BYTES 256
#define METRIC_SLOTS      (METRICS_MAX * 2) /* a power of two; half empty at most */
#define METRIC_OTHER      "vesper_metrics_other"

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
	bool draining;
} checks;

struct metric {
	char *name; /* NULL: a free slot */
	int64_t value;
	bool gauge;
};

static struct {
	pthread_mutex_t lock;
	struct metric slots[METRIC_SLOTS];
	size_t count;
} metrics = {.lock = PTHREAD_MUTEX_INITIALIZER};

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

/* Of a check that a tenant requires; NULL for others. */
static const char *tenant_of(const struct check *c)
{
	const char *colon = c->need == HEALTH_REQUIRED_BY_TENANT ? strchr(c->name, ':') : NULL;

	return colon ? colon + 1 : NULL;
}

static bool tenant_waits(const char *tenant)
{
	for (size_t i = 0; i < checks.count; i++) {
		const char *of = tenant_of(&checks.items[i]);

		if (of && checks.items[i].state == HEALTH_DOWN && strcmp(of, tenant) == 0)
			return true;
	}
	return false;
}

bool health_ready(void)
{
	bool tenants = false;
	bool served = false;

	for (size_t i = 0; i < checks.count; i++) {
		const struct check *c = &checks.items[i];
		const char *tenant = tenant_of(c);

		if (c->need == HEALTH_REQUIRED && c->state == HEALTH_DOWN)
			return false;
		tenants |= tenant != NULL;
		served = served || (tenant && !tenant_waits(tenant));
	}
	return (served || !tenants) && !checks.draining;
}

void health_each_waiting(void (*each)(void *owner, const char *tenant), void *owner)
{
	for (size_t i = 0; i < checks.count; i++) {
		const char *tenant = tenant_of(&checks.items[i]);
		bool named = false;

		for (size_t k = 0; tenant && k < i; k++) {
			const char *before = tenant_of(&checks.items[k]);

			named |= before && strcmp(before, tenant) == 0;
		}
		if (tenant && !named && tenant_waits(tenant))
			each(owner, tenant);
	}
}

bool health_healthy(void)
{
	for (size_t i = 0; i < checks.count; i++)
		if (checks.items[i].state != HEALTH_OK)
			return false;
	return true;
}

void health_draining(bool yes)
{
	checks.draining = yes;
}

void health_reset(void)
{
	for (size_t i = 0; i < checks.count; i++)
		mem_free(checks.items[i].name);
	mem_free(checks.items);
	memset(&checks, 0, sizeof(checks));

	pthread_mutex_lock(&metrics.lock);
	for (size_t i = 0; i < METRIC_SLOTS; i++)
		mem_free(metrics.slots[i].name);
	memset(metrics.slots, 0, sizeof(metrics.slots));
	metrics.count = 0;
	pthread_mutex_unlock(&metrics.lock);
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

/* The slot of that name, or the free one where it would go (linear probing). */
static struct metric *metric_slot(const char *name)
{
	uint64_t hash = hash_fnv(HASH_FNV, name, strlen(name));
	size_t i = (size_t)(hash ^ (hash >> 32)) & (METRIC_SLOTS - 1);
	while (metrics.slots[i].name && strcmp(metrics.slots[i].name, name) != 0)
		i = (i + 1) & (METRIC_SLOTS - 1);
	return &metrics.slots[i];
}

/* The metric, made when it is new and there is room; METRIC_OTHER has the last place of all. */
static struct metric *metric_of(const char *name)
{
	struct metric *m = metric_slot(name);
	if (!m->name && metrics.count + 1 >= METRICS_MAX)
		m = metric_slot(name = METRIC_OTHER);
	if (!m->name) {
		m->name = mem_strdup(name);
		metrics.count++;
	}
	return m;
}

void metric_add(const char *name, int64_t delta)
{
	pthread_mutex_lock(&metrics.lock);
	metric_of(name)->value += delta;
	pthread_mutex_unlock(&metrics.lock);
}

static char *put_text(char *to, const char *end, const char *text)
{
	size_t n = strnlen(text, (size_t)(end - to));

	memcpy(to, text, n);
	return to + n;
}

void metric_add_labels(const char *family, const struct metric_label *labels, size_t count,
		       int64_t delta)
{
	char name[METRIC_NAME_BYTES], *end = name + sizeof(name) - 1, *to;

	to = put_text(name, end, family);
	for (size_t i = 0; i < count; i++) {
		to = put_text(to, end, i ? "," : "{");
		to = put_text(to, end, labels[i].name);
		to = put_text(to, end, "=\"");
		to = put_text(to, end, labels[i].value);
		to = put_text(to, end, "\"");
	}
	to = put_text(to, end, "}");
	*to = '\0';
	metric_add(name, delta);
}

void metric_set(const char *name, int64_t value)
{
	pthread_mutex_lock(&metrics.lock);
	struct metric *m = metric_of(name);
	m->value = value;
	m->gauge = true;
	pthread_mutex_unlock(&metrics.lock);
}

int64_t metric_get(const char *name)
{
	pthread_mutex_lock(&metrics.lock);
	int64_t value = metric_slot(name)->value;
	pthread_mutex_unlock(&metrics.lock);
	return value;
}

/* The name without its labels. */
static struct str metric_family(const char *name)
{
	return (struct str){name, strcspn(name, "{")};
}

/* Families stay together: "a{x}" comes before "a_b", which plain byte order would put between. */
static int metric_order(const void *left, const void *right)
{
	const struct metric *a = left;
	const struct metric *b = right;
	struct str fa = metric_family(a->name);
	struct str fb = metric_family(b->name);
	size_t n = fa.n < fb.n ? fa.n : fb.n;
	int order = memcmp(fa.p, fb.p, n);
	if (order != 0)
		return order;
	if (fa.n != fb.n)
		return fa.n < fb.n ? -1 : 1;
	return strcmp(a->name, b->name);
}

void metric_text(struct buf *out)
{
	struct metric *sorted = mem_alloc(METRICS_MAX * sizeof(*sorted));
	size_t n = 0;
	pthread_mutex_lock(&metrics.lock);
	for (size_t i = 0; i < METRIC_SLOTS; i++)
		if (metrics.slots[i].name)
			sorted[n++] = metrics.slots[i]; /* names live until health_reset */
	pthread_mutex_unlock(&metrics.lock);

	qsort(sorted, n, sizeof(*sorted), metric_order);
	struct str family = {NULL, 0};
	for (size_t i = 0; i < n; i++) {
		struct str next = metric_family(sorted[i].name);
		if (!str_eq(next, family))
			buf_printf(out, "# TYPE %.*s %s\n", STR_FMT(next),
				   sorted[i].gauge ? "gauge" : "counter");
		family = next;
		buf_printf(out, "%s %lld\n", sorted[i].name, (long long)sorted[i].value);
	}
	mem_free(sorted);
}
