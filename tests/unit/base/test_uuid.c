/* UUIDv7: format, order, uniqueness across threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/uuid.h"

#define IDS_PER_THREAD 20000

static void has_version_and_time(void **state)
{
	(void)state;
	clock_freeze_ms(INT64_C(0x0198C0FFEE12));
	struct uuid id = uuid_new();
	clock_release();
	assert_true(uuid_valid(id.text));
	assert_memory_equal(id.text, "0198c0ff-ee12-7000-", 19);
	assert_non_null(strchr("89ab", id.text[19]));
}

static void ids_increase_within_and_across_milliseconds(void **state)
{
	(void)state;
	clock_freeze_ms(clock_now_ms());
	struct uuid last = uuid_new();
	for (int i = 0; i < 10000; i++) { /* more than the counter of one millisecond */
		struct uuid next = uuid_new();
		assert_true(strcmp(next.text, last.text) > 0);
		last = next;
	}
	clock_advance_ms(-5000);
	struct uuid back = uuid_new();
	assert_true(strcmp(back.text, last.text) > 0);
	clock_release();
}

static void *make_ids(void *out)
{
	struct uuid *ids = out;
	for (int i = 0; i < IDS_PER_THREAD; i++)
		ids[i] = uuid_new();
	return NULL;
}

static int compare_time_and_counter(const void *a, const void *b)
{
	return memcmp(a, b, UUID_BYTES - 17); /* compares only time and counter */
}

static void threads_never_share_time_and_counter(void **state)
{
	(void)state;
	static struct uuid ids[4 * IDS_PER_THREAD];
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, make_ids, ids + (ptrdiff_t)i * IDS_PER_THREAD);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	qsort(ids, 4 * IDS_PER_THREAD, sizeof(ids[0]), compare_time_and_counter);
	for (int i = 1; i < 4 * IDS_PER_THREAD; i++)
		assert_true(memcmp(ids[i - 1].text, ids[i].text, 18) != 0);
}

static void validates_text(void **state)
{
	(void)state;
	assert_true(uuid_valid("01890a5d-ac96-774b-bcce-b302099a8057"));
	assert_true(uuid_valid("01890A5D-AC96-774B-BCCE-B302099A8057"));
	const char *bad[] = {"",
			     "01890a5d-ac96-774b-bcce-b302099a805",
			     "01890a5d-ac96-774b-bcce-b302099a80577",
			     "01890a5dac96-774b-bcce-b302099a8057-",
			     "01890a5d-ac96-774b-bcce-b302099a805g",
			     "{1890a5d-ac96-774b-bcce-b302099a8057"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(uuid_valid(bad[i]));
	assert_false(uuid_valid(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_version_and_time),
		cmocka_unit_test(ids_increase_within_and_across_milliseconds),
		cmocka_unit_test(threads_never_share_time_and_counter),
		cmocka_unit_test(validates_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
