/* The receipt chain: receipts are stored with their answers or not at all. The chain has no gaps
 * with concurrent writers, and is valid after content is deleted. */
#include "store_test.h"

#include "vesper/json_out.h"

#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/limits.h"

#define DAY_MS INT64_C(86400000)

/* An answer that is being stored, with a receipt that contains the question. */
struct pending_answer {
	struct fixture *f; /* the fixture whose store is used */
	struct message question, answer;
	struct receipt receipt;
	bool done;
	struct err err;
};

static struct receipt make_receipt(struct fixture *f, const struct principal *who,
				   const struct message *answer, const char *question)
{
	char now[CLOCK_RFC3339_BYTES];
	struct receipt r = {.tenant = who->tenant,
			    .receipt_id = id_new(f),
			    .message_id = answer->message_id,
			    .session_id = answer->session_id,
			    .user = who->user};
	struct json_out j;
	struct buf content;

	clock_rfc3339(clock_now_ms(), now);
	r.created_at = arena_strdup(f->arena, now);
	buf_init(&content, SIZE_MAX / 2);
	jo_init(&j, &content);
	jo_object(&j);
	jo_set_str(&j, "question", question);
	jo_object_end(&j);
	receipt_seal((struct str){buf_text(&content), content.n}, f->arena, &r);
	buf_deinit(&content);
	return r;
}

static void prepare_answer(struct pending_answer *a, struct fixture *f, const struct principal *who,
			   const char *session, const char *question)
{
	a->f = f;
	a->done = false;
	a->err = (struct err){0};
	a->question = user_message(f, session, question);
	assert_int_equal(accept_message(f, who, &a->question), ERR_NONE);
	a->answer = answer_to(f, &a->question, "answer");
	a->receipt = make_receipt(f, who, &a->answer, question);
	a->answer.receipt = &a->receipt;
}

static void on_answer_stored(void *owner, const struct err *e)
{
	struct pending_answer *a = owner;

	a->done = true;
	if (e)
		a->err = *e;
}

static void wait_all(struct pending_answer *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		while (!list[i].done) {
			usleep(100);
			loop_run_once(list[i].f->loop);
		}
}

static enum err_code store_with_receipt(struct fixture *f, const struct principal *who,
					const char *session, const char *question,
					struct pending_answer *a)
{
	prepare_answer(a, f, who, session, question);
	store_answer(f->store, who, &a->answer, on_answer_stored, a);
	wait_all(a, 1);
	return a->err.code;
}

/* ---- reading and verifying ---- */

static struct receipt *receipts;
static size_t receipt_count;

static void on_receipts(void *owner, const struct receipt *list, size_t count, const struct err *e)
{
	struct fixture *f = owner;

	receipts = arena_alloc(f->arena, (count + 1) * sizeof(*receipts));
	if (count > 0)
		memcpy(receipts, list, count * sizeof(*receipts));
	receipt_count = count;
	on_done(owner, e);
}

static size_t read_receipts(struct fixture *f, const char *tenant, struct receipts_page page)
{
	page.limit = RECEIPTS_PAGE_MAX;
	begin(f);
	store_receipts(f->store, tenant, &page, f->arena, on_receipts, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
	return receipt_count;
}

/* Verifies the whole chain; returns the number of receipts. */
static int64_t verify(struct fixture *f, const char *tenant)
{
	const char *hash = RECEIPT_GENESIS;
	struct receipt_flaw flaw;
	int64_t number = 0;

	while (read_receipts(f, tenant, (struct receipts_page){.after_number = number}) > 0)
		for (size_t i = 0; i < receipt_count; i++) {
			if (!receipt_check(&receipts[i], number, hash, f->arena, &flaw))
				fail_msg("record %d: %s: %s", (int)number + 1, flaw.field,
					 flaw.detail);
			number = receipts[i].number;
			hash = receipts[i].hash;
		}
	return number;
}

static void answer_has_receipt(void **state)
{
	struct fixture *f = *state;
	struct pending_answer a;

	assert_int_equal(store_with_receipt(f, &ann, id_new(f), "q", &a), ERR_NONE);
	assert_int_equal(verify(f, "acme"), 1);
	assert_string_equal(
		receipts ? file_query(f, f->acme, "SELECT receipt_id FROM chat_receipts") : "",
		a.receipt.receipt_id);
	read_messages(f, &ann, a.answer.session_id, NULL, 10);
	assert_null(f->messages[0].receipt_id);
	assert_string_equal(f->messages[1].receipt_id, a.receipt.receipt_id);
	assert_int_equal(store_with_receipt(f, &ann, a.answer.session_id, "q2", &a), ERR_NONE);
	assert_int_equal(verify(f, "acme"), 2);
	assert_int_equal(verify(f, "vesper"), 0);
}

/* Only a position taken by another process is retried; other constraint violations are errors. */
static void reports_constraint_violations(void **state)
{
	struct fixture *f = *state;
	struct pending_answer first, again;
	const char *session = id_new(f);

	assert_int_equal(store_with_receipt(f, &ann, session, "q", &first), ERR_NONE);
	prepare_answer(&again, f, &ann, session, "q2");
	again.receipt.receipt_id = first.receipt.receipt_id;
	store_answer(f->store, &ann, &again.answer, on_answer_stored, &again);
	wait_all(&again, 1);
	assert_int_equal(again.err.code, ERR_INTERNAL);
	assert_non_null(strstr(again.err.text, "UNIQUE"));
	read_messages(f, &ann, session, NULL, 10);
	assert_int_equal(f->count, 3);
	assert_int_equal(store_with_receipt(f, &ann, session, "q3", &again), ERR_NONE);
	assert_int_equal(verify(f, "acme"), 2);
}

/* API calls store receipts without a message in the same chain. */
static void stores_receipt_without_answer(void **state)
{
	static const struct message none = {0};
	struct fixture *f = *state;
	struct pending_answer *list = mem_alloc(6 * sizeof(*list));
	struct pending_answer a;

	for (size_t i = 0; i < 6; i++) {
		list[i] = (struct pending_answer){.f = f};
		list[i].receipt = make_receipt(f, &ann, &none, "a call");
		store_receipt(f->store, &ann, &list[i].receipt, on_answer_stored, &list[i]);
	}
	wait_all(list, 6);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(list[i].err.code, ERR_NONE);
	assert_int_equal(store_with_receipt(f, &ann, id_new(f), "q", &a), ERR_NONE);
	assert_int_equal(verify(f, "acme"), 7);
	mem_free(list);
}

static void each_tenant_has_a_chain(void **state)
{
	struct fixture *f = *state;
	struct pending_answer a;

	assert_int_equal(store_with_receipt(f, &ann, id_new(f), "q", &a), ERR_NONE);
	assert_int_equal(store_with_receipt(f, &ann_other_tenant, id_new(f), "q", &a), ERR_NONE);
	assert_int_equal(store_with_receipt(f, &bob, id_new(f), "q", &a), ERR_NONE);
	assert_int_equal(verify(f, "acme"), 2);
	assert_int_equal(verify(f, "vesper"), 1);
}

static void storing_twice_adds_nothing(void **state)
{
	struct fixture *f = *state;
	struct pending_answer a, next;

	assert_int_equal(store_with_receipt(f, &ann, id_new(f), "q", &a), ERR_NONE);
	a.done = false;
	store_answer(f->store, &ann, &a.answer, on_answer_stored, &a);
	wait_all(&a, 1);
	assert_int_equal(a.err.code, ERR_NONE);
	assert_int_equal(verify(f, "acme"), 1);
	assert_int_equal(store_with_receipt(f, &ann, a.answer.session_id, "q2", &next), ERR_NONE);
	assert_int_equal(verify(f, "acme"), 2);
}

static void answer_in_another_users_session_adds_no_receipt(void **state)
{
	struct fixture *f = *state;
	struct pending_answer a, b;

	prepare_answer(&a, f, &ann, id_new(f), "q");
	store_answer(f->store, &bob, &a.answer, on_answer_stored, &a);
	wait_all(&a, 1);
	assert_int_equal(a.err.code, ERR_NOT_FOUND);
	assert_int_equal(verify(f, "acme"), 0);
	assert_int_equal(store_with_receipt(f, &ann, id_new(f), "q", &b), ERR_NONE);
	assert_int_equal(verify(f, "acme"), 1);
}

#define ANSWER_COUNT 60

static void concurrent_answers_form_one_chain(void **state)
{
	struct fixture *f = *state;
	struct pending_answer *list = mem_alloc(ANSWER_COUNT * sizeof(*list));

	for (size_t i = 0; i < ANSWER_COUNT; i++)
		prepare_answer(&list[i], f, i % 2 ? &ann : &bob, id_new(f), "q");
	for (size_t i = 0; i < ANSWER_COUNT; i++)
		store_answer(f->store, i % 2 ? &ann : &bob, &list[i].answer, on_answer_stored,
			     &list[i]);
	wait_all(list, ANSWER_COUNT);
	for (size_t i = 0; i < ANSWER_COUNT; i++)
		assert_int_equal(list[i].err.code, ERR_NONE);
	assert_int_equal(verify(f, "acme"), ANSWER_COUNT);
	mem_free(list);
}

/* Two processes write many receipts to one database concurrently. */
static void two_processes_share_a_chain(void **state)
{
	struct fixture *f = *state, other = {.loop = f->loop, .arena = f->arena};
	struct pending_answer *list = mem_alloc(ANSWER_COUNT * sizeof(*list));

	memcpy(other.acme, f->acme, sizeof(other.acme));
	memcpy(other.vesper, f->vesper, sizeof(other.vesper));
	store_start(&other);
	for (size_t i = 0; i < ANSWER_COUNT; i++)
		prepare_answer(&list[i], i % 3 ? f : &other, &ann, id_new(f), "q");
	for (size_t i = 0; i < ANSWER_COUNT; i++)
		store_answer(list[i].f->store, &ann, &list[i].answer, on_answer_stored, &list[i]);
	wait_all(list, ANSWER_COUNT);
	for (size_t i = 0; i < ANSWER_COUNT; i++)
		if (list[i].err.code != ERR_NONE)
			fail_msg("%zu: %s", i, list[i].err.text);
	assert_int_equal(verify(f, "acme"), ANSWER_COUNT);
	store_free(&other.store);
	db_close(&other.db);
	mem_free(list);
}

static void cancelled_answer_leaves_no_gap(void **state)
{
	struct fixture *f = *state;
	struct pending_answer *list = mem_alloc(9 * sizeof(*list));
	struct op *ops[9];

	for (size_t i = 0; i < 9; i++)
		prepare_answer(&list[i], f, &ann, id_new(f), "q");
	for (size_t i = 0; i < 9; i++)
		ops[i] = store_answer(f->store, &ann, &list[i].answer, on_answer_stored, &list[i]);
	op_cancel(&ops[0]); /* while the end of the chain is read */
	for (size_t i = 0; i < 3; i++)
		loop_run_once(f->loop);
	for (size_t i = 3; i < 6; i++)
		if (!list[i].done)
			op_cancel(&ops[i]);
	for (size_t i = 1; i < 9; i++)
		if (i < 3 || i > 5)
			wait_all(&list[i], 1);
	for (size_t i = 6; i < 9; i++)
		assert_int_equal(list[i].err.code, ERR_NONE);
	assert_true(verify(f, "acme") >= 5);
	mem_free(list);
}

static void fails_after_too_many_attempts(void **state)
{
	struct fixture *f = *state;
	struct pending_answer a;

	file_query(
		f, f->acme,
		"CREATE TRIGGER never BEFORE INSERT ON chat_receipts BEGIN SELECT RAISE(IGNORE); "
		"END");
	assert_int_equal(store_with_receipt(f, &ann, id_new(f), "q", &a), ERR_BUSY);
	assert_true(a.err.may_retry);
	assert_string_equal(
		file_query(f, f->acme,
			   "SELECT COUNT(*) FROM chat_messages WHERE role = 'assistant'"),
		"0");
	file_query(f, f->acme, "DROP TRIGGER never");
	assert_int_equal(store_with_receipt(f, &ann, id_new(f), "q", &a), ERR_NONE);
	assert_int_equal(verify(f, "acme"), 1);
}

static void unreadable_chain_fails_pending_answers(void **state)
{
	struct fixture *f = *state;
	struct pending_answer list[3];

	for (size_t i = 0; i < 3; i++)
		prepare_answer(&list[i], f, &ann, id_new(f), "q");
	file_query(f, f->acme, "ALTER TABLE chat_receipts RENAME TO hidden");
	for (size_t i = 0; i < 3; i++)
		store_answer(f->store, &ann, &list[i].answer, on_answer_stored, &list[i]);
	wait_all(list, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_not_equal(list[i].err.code, ERR_NONE);
	file_query(f, f->acme, "ALTER TABLE hidden RENAME TO chat_receipts");
	assert_int_equal(store_with_receipt(f, &ann, id_new(f), "q", &list[0]), ERR_NONE);
	assert_int_equal(verify(f, "acme"), 1);
}

/* ---- deletion and changes ---- */

static const char *remaining_content(struct fixture *f)
{
	return file_query(
		f, f->acme,
		"SELECT group_concat(COALESCE(user_id, '-') || (content IS NOT NULL) || "
		"(message_uid IS NOT NULL) || (session_id IS NOT NULL), ' ') FROM (SELECT * "
		"FROM chat_receipts ORDER BY receipt_no)");
}

static void deletion_removes_only_content(void **state)
{
	struct fixture *f = *state;
	struct pending_answer a, b, c;

	store_with_receipt(f, &ann, id_new(f), "a secret question", &a);
	store_with_receipt(f, &ann, id_new(f), "q", &b);
	store_with_receipt(f, &bob, id_new(f), "q", &c);
	begin(f);
	store_session_delete(f->store, &ann, a.answer.session_id, on_done, f);
	wait_done(f);
	assert_string_equal(remaining_content(f), "-000 ann111 bob111");
	assert_int_equal(verify(f, "acme"), 3);
	begin(f);
	store_user_delete(f->store, &ann, "bob", on_done, f);
	wait_done(f);
	assert_string_equal(remaining_content(f), "-000 ann111 -000");
	assert_int_equal(verify(f, "acme"), 3);
	assert_int_equal(store_with_receipt(f, &ann, id_new(f), "q", &a), ERR_NONE);
	assert_int_equal(verify(f, "acme"), 4);
}

static bool batches_remain;

static void on_retained(void *owner, bool has_more, const struct err *e)
{
	batches_remain = has_more;
	on_done(owner, e);
}

static void retention_removes_content_in_batches(void **state)
{
	struct fixture *f = *state;
	const struct retention retention = {.receipts_days = 9};
	struct pending_answer a;
	int calls = 0;

	clock_freeze_ms(1772182800000);
	for (int i = 0; i < RETAIN_BATCH + 2; i++)
		store_with_receipt(f, &ann, id_new(f), "q", &a);
	clock_advance_ms(10 * DAY_MS);
	store_with_receipt(f, &ann, id_new(f), "q", &a);
	do {
		begin(f);
		store_retain(f->store, "acme", &retention, on_retained, f);
		wait_done(f);
		calls++;
	} while (batches_remain);
	clock_release();
	assert_int_equal(calls, 2);
	assert_string_equal(
		file_query(f, f->acme,
			   "SELECT COUNT(content) || '/' || COUNT(*) FROM chat_receipts"),
		"1/53");
	assert_int_equal(RETAIN_BATCH, 50);
	assert_int_equal(verify(f, "acme"), RETAIN_BATCH + 3);
}

static void hashes_cannot_be_changed(void **state)
{
	static const char *const changes[] = {
		"UPDATE chat_receipts SET hash = 'x'",
		"UPDATE chat_receipts SET leaves = 'x'",
		"UPDATE chat_receipts SET receipt_no = 7",
		"DELETE FROM chat_receipts",
	};
	struct fixture *f = *state;
	struct pending_answer a;
	sqlite3 *native;

	store_with_receipt(f, &ann, id_new(f), "q", &a);
	assert_int_equal(sqlite3_open(f->acme, &native), SQLITE_OK);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		assert_int_equal(sqlite3_exec(native, changes[i], NULL, NULL, NULL),
				 SQLITE_CONSTRAINT);
	sqlite3_close(native);
	assert_int_equal(verify(f, "acme"), 1);
}

static void users_read_only_their_receipts(void **state)
{
	struct fixture *f = *state;
	struct pending_answer a;

	store_with_receipt(f, &ann, id_new(f), "q", &a);
	struct receipts_page page = {.receipt_id = a.receipt.receipt_id, .user = "ann"};
	assert_int_equal(read_receipts(f, "acme", page), 1);
	assert_string_equal(receipts[0].content, a.receipt.content);
	assert_string_equal(receipts[0].answer, "answer");
	page.user = "bob";
	assert_int_equal(read_receipts(f, "acme", page), 0);
	page.user = NULL;
	assert_int_equal(read_receipts(f, "acme", page), 1);
	assert_int_equal(read_receipts(f, "vesper", page), 0);
}

static void finds_answers_without_receipt(void **state)
{
	struct fixture *f = *state;
	struct pending_answer a;

	store_with_receipt(f, &ann, id_new(f), "q", &a);
	begin(f);
	store_receipts_missing(f->store, "acme", f->arena, on_receipts, f);
	wait_done(f);
	assert_int_equal(receipt_count, 0);
	file_query(f, f->acme,
		   "UPDATE chat_messages SET receipt_id = 'gone' WHERE role = 'assistant'");
	begin(f);
	store_receipts_missing(f->store, "acme", f->arena, on_receipts, f);
	wait_done(f);
	assert_int_equal(receipt_count, 1);
	assert_string_equal(receipts[0].message_id, a.answer.message_id);
	assert_string_equal(receipts[0].receipt_id, "gone");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(answer_has_receipt),
		STORE_TEST(reports_constraint_violations),
		STORE_TEST(stores_receipt_without_answer),
		STORE_TEST(each_tenant_has_a_chain),
		STORE_TEST(storing_twice_adds_nothing),
		STORE_TEST(answer_in_another_users_session_adds_no_receipt),
		STORE_TEST(concurrent_answers_form_one_chain),
		STORE_TEST(two_processes_share_a_chain),
		STORE_TEST(cancelled_answer_leaves_no_gap),
		STORE_TEST(fails_after_too_many_attempts),
		STORE_TEST(unreadable_chain_fails_pending_answers),
		STORE_TEST(deletion_removes_only_content),
		STORE_TEST(retention_removes_content_in_batches),
		STORE_TEST(hashes_cannot_be_changed),
		STORE_TEST(users_read_only_their_receipts),
		STORE_TEST(finds_answers_without_receipt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
