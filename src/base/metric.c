/*
 * A series is found by its key: the name, and each label's value after a separator that no value
 * can contain. The text is generated from the keys on request.
 */
#include "vesper/metric.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/hashmap.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define SEPARATOR '\x1f'
#define KEY_BYTES 512 /* fits the longest name and METRIC_LABELS_MAX values */

struct series {
	struct hashmap_node by_key;
	const struct metric *metric;
	char *key;
	int64_t value; /* for a histogram: the sum */
	int64_t count; /* number of observations */
	int64_t buckets[METRIC_BOUNDS_MAX];
};

static struct {
	pthread_mutex_t lock;
	struct hashmap series;
	bool is_initialized;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const struct metric other = {
	.name = "vesper_metrics_other",
	.help = "Samples dropped because the limit of series was reached.",
};

_Static_assert(KEY_BYTES > 128 + METRIC_LABELS_MAX * (METRIC_VALUE_BYTES_MAX + 1), "a key fits");

static struct str key_of(const struct metric *m, const char *const *values, char *key)
{
	size_t n = strlen(m->name);

	assert(n < 128);
	memcpy(key, m->name, n);
	for (size_t i = 0; i < METRIC_LABELS_MAX && m->labels[i]; i++) {
		key[n++] = SEPARATOR;
		for (size_t k = 0; values[i][k] && k < METRIC_VALUE_BYTES_MAX; k++)
			key[n++] = (unsigned char)values[i][k] < ' ' ? '?' : values[i][k];
	}
	return (struct str){key, n};
}

/* Requires the lock. The last slot is reserved for `other`. */
static struct series *series_of(const struct metric *m, const char *const *values)
{
	char text[KEY_BYTES];
	struct str key = key_of(m, values, text);
	struct hashmap_node *node;
	struct series *s;

	if (!all.is_initialized)
		hashmap_init(&all.series);
	all.is_initialized = true;
	node = hashmap_find(&all.series, key);
	if (node)
		return hashmap_item(node, struct series, by_key);
	if (m != &other && all.series.count + 1 >= METRICS_MAX)
		return NULL;
	s = mem_alloc(sizeof(*s));
	s->metric = m;
	s->key = mem_strndup(key.p, key.n);
	hashmap_add(&all.series, &s->by_key, (struct str){s->key, key.n});
	return s;
}

static void observe(struct series *s, int64_t value)
{
	s->value += value;
	s->count++;
	for (size_t i = 0; s->metric->bounds[i]; i++)
		s->buckets[i] += value <= s->metric->bounds[i];
}

static void record(const struct metric *m, const char *const *values, int64_t value)
{
	struct series *s;

	pthread_mutex_lock(&all.lock);
	s = series_of(m, values);
	if (!s)
		series_of(&other, NULL)->value += 1;
	else if (m->kind == METRIC_HISTOGRAM)
		observe(s, value);
	else
		s->value = m->kind == METRIC_GAUGE ? value : s->value + value;
	pthread_mutex_unlock(&all.lock);
}

void metric_add(const struct metric *m, const char *const *values, int64_t by)
{
	assert(m->kind == METRIC_COUNTER && by >= 0);
	record(m, values, by);
}

void metric_set(const struct metric *m, const char *const *values, int64_t value)
{
	assert(m->kind == METRIC_GAUGE);
	record(m, values, value);
}

void metric_observe(const struct metric *m, const char *const *values, int64_t value)
{
	assert(m->kind == METRIC_HISTOGRAM && m->bounds[0]);
	record(m, values, value);
}

/* ---- the text ---- */

static void write_escaped(struct buf *out, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] == '\\' || p[i] == '"')
			buf_char(out, '\\');
		buf_char(out, p[i]);
	}
}

/* Writes one line: the name, the labels of the key and `le` (NULL: none), the value. */
static void write_sample(struct buf *out, const struct series *s, const char *suffix,
			 const char *le, int64_t value)
{
	const char *p = s->key + strlen(s->metric->name);
	const char *before = "{";

	buf_str(out, s->metric->name);
	buf_str(out, suffix);
	for (size_t i = 0; i < METRIC_LABELS_MAX && s->metric->labels[i]; i++, before = ",") {
		size_t n = strcspn(++p, "\x1f");

		buf_str(out, before);
		buf_str(out, s->metric->labels[i]);
		buf_str(out, "=\"");
		write_escaped(out, p, n);
		buf_char(out, '"');
		p += n;
	}
	if (le) {
		buf_str(out, before);
		buf_str(out, "le=\"");
		buf_str(out, le);
		buf_char(out, '"');
	}
	if (le || s->metric->labels[0])
		buf_char(out, '}');
	buf_char(out, ' ');
	buf_int(out, value);
	buf_char(out, '\n');
}

static void write_histogram(struct buf *out, const struct series *s)
{
	char le[24];

	for (size_t i = 0; s->metric->bounds[i]; i++) {
		snprintf(le, sizeof(le), "%lld", (long long)s->metric->bounds[i]);
		write_sample(out, s, "_bucket", le, s->buckets[i]);
	}
	write_sample(out, s, "_bucket", "+Inf", s->count);
	write_sample(out, s, "_sum", NULL, s->value);
	write_sample(out, s, "_count", NULL, s->count);
}

/* Keeps the series of a family together: the separator sorts before all characters of a name. */
static int by_key(const void *left, const void *right)
{
	return strcmp(((const struct series *)left)->key, ((const struct series *)right)->key);
}

void metric_text(struct buf *out)
{
	static const char *const kinds[] = {"counter", "gauge", "histogram"};
	struct series *sorted = mem_alloc(METRICS_MAX * sizeof(*sorted));
	const char *family = "";
	size_t n = 0;

	pthread_mutex_lock(&all.lock);
	if (all.is_initialized)
		hashmap_each(node, &all.series)
			sorted[n++] = *hashmap_item(node, struct series, by_key);
	pthread_mutex_unlock(&all.lock); /* keys stay valid until metric_reset */
	qsort(sorted, n, sizeof(*sorted), by_key);
	for (size_t i = 0; i < n; i++) {
		const struct metric *m = sorted[i].metric;

		if (strcmp(m->name, family) != 0)
			buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", m->name, m->help, m->name,
				   kinds[m->kind]);
		family = m->name;
		if (m->kind == METRIC_HISTOGRAM)
			write_histogram(out, &sorted[i]);
		else
			write_sample(out, &sorted[i], "", NULL, sorted[i].value);
	}
	mem_free(sorted);
}

int64_t metric_get(const char *sample)
{
	size_t n = strlen(sample);
	int64_t value = 0;
	struct buf text;

	buf_init(&text, METRICS_BYTES_MAX);
	metric_text(&text);
	for (const char *line = buf_text(&text); *line;
	     line += strcspn(line, "\n"), line += *line == '\n')
		if (strncmp(line, sample, n) == 0 && line[n] == ' ')
			value = strtoll(line + n, NULL, 10);
	buf_deinit(&text);
	return value;
}

void metric_reset(void)
{
	pthread_mutex_lock(&all.lock);
	if (all.is_initialized) {
		hashmap_each(node, &all.series) {
			struct series *s = hashmap_item(node, struct series, by_key);

			hashmap_remove(&all.series, node);
			mem_free(s->key);
			mem_free(s);
		}
		hashmap_deinit(&all.series);
	}
	all.is_initialized = false;
	pthread_mutex_unlock(&all.lock);
}
