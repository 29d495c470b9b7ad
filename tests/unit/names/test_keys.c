#include "names_test.h"

#include "keys.h"
#include "name_maker.h"

/* Keys of generated names, some twice. */
struct generated {
	char *bytes;
	uint32_t *offsets;
	size_t count;
	struct keys keys;
	uint32_t *order;
};

static void generate(struct generated *m, size_t count)
{
	struct name_maker maker = {.state = 7};
	size_t at = 0;

	*m = (struct generated){.count = count};
	m->bytes = mem_alloc(count * NAME_MAKER_BYTES);
	m->offsets = mem_alloc((count + 1) * sizeof(*m->offsets));
	for (size_t i = 0; i < count; i++) {
		char name[NAME_MAKER_BYTES];
		struct folded f;

		name_maker_any(&maker, name, sizeof(name));
		text_fold(i % 50 ? name : "Twice Solar", &f);
		memcpy(m->bytes + at, f.key, f.len);
		m->offsets[i] = (uint32_t)at;
		at += f.len;
	}
	m->offsets[count] = (uint32_t)at;
	m->order = keys_init(&m->keys, m->bytes, m->offsets, count);
}

static void generated_free(struct generated *m)
{
	keys_deinit(&m->keys);
	mem_free(m->order);
	mem_free(m->bytes);
	mem_free(m->offsets);
}

static void keys_are_sorted_and_found(void **state)
{
	struct generated m;
	size_t len, before_len = 0, first;
	const char *before = "";

	(void)state;
	generate(&m, 3000);
	for (size_t i = 0; i < m.count; i++) {
		const char *key = keys_at(&m.keys, i, &len);
		size_t shorter = len < before_len ? len : before_len;
		int order = memcmp(before, key, shorter);

		assert_true(order < 0 || (order == 0 && before_len <= len));
		assert_int_equal(len, m.offsets[m.order[i] + 1] - m.offsets[m.order[i]]);
		assert_memory_equal(key, m.bytes + m.offsets[m.order[i]], len);
		assert_true(keys_find(&m.keys, key, len, &first) > 0);
		assert_true(first <= i);
		before = key;
		before_len = len;
	}
	assert_int_equal(keys_find(&m.keys, "twicesolar", 10, &first), 60);
	assert_int_equal(keys_find(&m.keys, "twicesola", 9, &first), 0);
	assert_int_equal(keys_find(&m.keys, "zzz", 3, &first), 0);
	generated_free(&m);
}

struct hits {
	uint8_t *distances; /* by number, + 1 */
};

static void on_hit(void *owner, size_t number, int distance)
{
	struct hits *h = owner;

	assert_true(h->distances[number] == 0 || h->distances[number] == distance + 1);
	h->distances[number] = (uint8_t)(distance + 1);
}

/* The walk finds the same keys and distances as a comparison with every key. */
static void fuzzy_search_matches_full_comparison(void **state)
{
	struct name_maker maker = {.state = 99};
	struct hits h;
	struct generated m;

	(void)state;
	generate(&m, 2000);
	h.distances = mem_alloc(m.count);
	for (int probe = 0; probe < 300; probe++) {
		size_t len, at = name_maker_random(&maker, (uint32_t)m.count);
		const char *key = keys_at(&m.keys, at, &len);
		char typed[NAME_MAKER_BYTES * 2];
		int limit = probe % 3;

		snprintf(typed, sizeof(typed), "%.*s", (int)len, key);
		for (int e = 0; e < probe % 4; e++)
			name_maker_mistype(&maker, typed);
		memset(h.distances, 0, m.count);
		keys_find_fuzzy(&m.keys, typed, strlen(typed), limit, on_hit, &h);
		for (size_t i = 0; i < m.count; i++) {
			int distance;

			key = keys_at(&m.keys, i, &len);
			distance = fuzzy_distance(typed, strlen(typed), key, len, limit);
			if (h.distances[i] != (distance <= limit ? distance + 1 : 0))
				fail_msg("%s, %.*s: %d, not %d", typed, (int)len, key,
					 h.distances[i] - 1, distance);
		}
	}
	mem_free(h.distances);
	generated_free(&m);
}

static void on_any(void *owner, size_t number, int distance)
{
	(void)number;
	(void)distance;
	(*(int *)owner)++;
}

static void accepts_empty_and_too_long_keys(void **state)
{
	static char long_key[TEXT_KEY_BYTES_MAX * 2];
	uint32_t offsets[] = {0, TEXT_KEY_BYTES_MAX * 2, TEXT_KEY_BYTES_MAX * 2,
			      TEXT_KEY_BYTES_MAX * 2};
	struct keys k;
	uint32_t *order;
	int hits = 0;
	size_t first;

	(void)state;
	memset(long_key, 'a', sizeof(long_key));
	order = keys_init(&k, "", (uint32_t[]){0}, 0);
	keys_find_fuzzy(&k, "abcd", 4, 2, on_any, &hits);
	assert_int_equal(keys_find(&k, "a", 1, &first), 0);
	assert_int_equal(hits, 0);
	keys_deinit(&k);
	mem_free(order);
	order = keys_init(&k, long_key, offsets, 3);
	keys_find_fuzzy(&k, long_key, sizeof(long_key), 2, on_any, &hits);
	keys_find_fuzzy(&k, long_key, TEXT_KEY_BYTES_MAX - 1, 2, on_any, &hits);
	keys_find_fuzzy(&k, "", 0, 2, on_any, &hits);
	assert_int_equal(hits, 0);
	assert_int_equal(keys_find(&k, long_key, sizeof(long_key), &first), 1);
	keys_deinit(&k);
	mem_free(order);
}

/* Every prefix of every key gives the range of keys that begin with it, also within an earlier
 * range. */
static void prefix_search_returns_its_range(void **state)
{
	struct generated m;
	size_t len, lo = 0, hi;

	(void)state;
	generate(&m, 1000);
	for (size_t i = 0; i < m.count; i += 7) {
		const char *key = keys_at(&m.keys, i, &len);

		lo = 0;
		hi = m.count;
		for (size_t n = 1; n <= len; n++) {
			size_t other_len;

			assert_true(keys_find_prefix(&m.keys, key, n, &lo, &hi));
			assert_true(lo <= i && i < hi);
			for (size_t k = 0; k < m.count; k++) {
				const char *other = keys_at(&m.keys, k, &other_len);
				bool has = other_len >= n && memcmp(other, key, n) == 0;

				if (has != (k >= lo && k < hi))
					fail_msg("%.*s: %zu", (int)n, key, k);
			}
		}
	}
	lo = 0;
	hi = m.count;
	assert_false(keys_find_prefix(&m.keys, "\x01\x02", 2, &lo, &hi));
	generated_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_sorted_and_found),
		cmocka_unit_test(prefix_search_returns_its_range),
		cmocka_unit_test(fuzzy_search_matches_full_comparison),
		cmocka_unit_test(accepts_empty_and_too_long_keys),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
