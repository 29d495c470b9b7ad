/* Sessions: create, find, edit with conflict detection, delete with all data. */
#include "store_test.h"

#include "vesper/clock.h"
#include "vesper/json.h"

static struct session last_session;

static void on_session_result(void *owner, const struct session *session, const struct err *e)
{
	if (session)
		last_session = *session;
	on_done(owner, e);
}

static enum err_code create_session(struct fixture *f, const struct principal *who, const char *id,
				    const char *title)
{
	begin(f);
	store_session_new(f->store, who, id, title, f->arena, on_session_result, f);
	wait_done(f);
	return f->err.code;
}

static enum err_code edit_session(struct fixture *f, const struct principal *who, const char *id,
				  struct session_edit change)
{
	begin(f);
	store_session_edit(f->store, who, id, &change, f->arena, on_session_result, f);
	wait_done(f);
	return f->err.code;
}

static enum err_code delete_session(struct fixture *f, const struct principal *who, const char *id)
{
	begin(f);
	store_session_delete(f->store, who, id, on_done, f);
	wait_done(f);
	return f->err.code;
}

static void assert_listed(struct fixture *f, const struct principal *who, struct sessions_page page,
			  const char *expected)
{
	struct buf titles;

	page.limit = 50;
	begin(f);
	store_sessions(f->store, who, &page, f->arena, on_sessions, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
	buf_init(&titles, 1000);
	for (size_t i = 0; i < f->count; i++)
		buf_printf(&titles, "%s%s", i ? "," : "", f->sessions[i].title);
	assert_string_equal(buf_text(&titles), expected);
	buf_deinit(&titles);
}

static void assert_found(struct fixture *f, const struct principal *who, enum session_filter filter,
			 const char *title, const char *expected)
{
	assert_listed(f, who, (struct sessions_page){.filter = filter, .title = title}, expected);
}

/* A conversation that its client stores is listed only for that dialect. */
static void lists_sessions_by_origin(void **state)
{
	struct fixture *f = *state;
	struct message m = user_message(f, id_new(f), "kept elsewhere");

	create_session(f, &ann, id_new(f), "kept here");
	m.origin = "openai";
	assert_int_equal(accept_message(f, &ann, &m), ERR_NONE);
	assert_found(f, &ann, SESSIONS_ALL, NULL, "kept here");
	assert_listed(f, &ann, (struct sessions_page){.origin = "openai"}, "kept elsewhere");
	assert_listed(f, &ann, (struct sessions_page){.origin = "ai"}, "");
	assert_listed(f, &bob, (struct sessions_page){.origin = "openai"}, "");
}

static void creates_and_finds_sessions(void **state)
{
	struct fixture *f = *state;
	const char *id = id_new(f);

	clock_freeze_ms(1772182800000);
	assert_int_equal(create_session(f, &ann, id, "NP15 in 2025"), ERR_NONE);
	assert_string_equal(last_session.session_id, id);
	assert_null(last_session.archived_at);
	clock_advance_ms(1);
	assert_int_equal(create_session(f, &ann, id_new(f), "100% of \\ it"), ERR_NONE);
	clock_advance_ms(1);
	assert_int_equal(create_session(f, &bob, id_new(f), "NP15 of Bob"), ERR_NONE);
	assert_found(f, &ann, SESSIONS_ACTIVE, NULL, "100% of \\ it,NP15 in 2025");
	assert_found(f, &ann, SESSIONS_ACTIVE, "np15", "NP15 in 2025");
	assert_found(f, &ann, SESSIONS_ACTIVE, "%", "100% of \\ it");
	assert_found(f, &ann, SESSIONS_ACTIVE, "_", "");
	assert_found(f, &ann, SESSIONS_ACTIVE, "\\", "100% of \\ it");
	assert_found(f, &ann_other_tenant, SESSIONS_ALL, NULL, "");
	clock_release();
}

/* The statements isolate tenants even if several share a database. */
static void isolates_tenants_in_one_file(void **state)
{
	struct fixture *f = *state;
	const char *id = id_new(f);

	assert_int_equal(create_session(f, &ann, id, "of acme"), ERR_NONE);
	assert_int_equal(create_session(f, &ann, id_new(f), "of nobody here"), ERR_NONE);
	file_exec(f->acme, "UPDATE chat_sessions SET tenant_id = 'vesper' "
			   "WHERE title = 'of nobody here'");
	assert_found(f, &ann, SESSIONS_ALL, NULL, "of acme");
	file_exec(f->acme, "UPDATE chat_sessions SET tenant_id = 'vesper'");
	assert_found(f, &ann, SESSIONS_ALL, NULL, "");
	read_messages(f, &ann, id, NULL, 10);
	assert_int_equal(f->err.code, ERR_NOT_FOUND);
}

static void session_id_is_unique(void **state)
{
	struct fixture *f = *state;
	const char *id = id_new(f);

	assert_int_equal(create_session(f, &ann, id, "mine"), ERR_NONE);
	assert_int_equal(create_session(f, &bob, id, "theirs"), ERR_NOT_FOUND);
	assert_int_equal(create_session(f, &ann, id, "again"), ERR_NONE);
	assert_string_equal(last_session.title, "mine");
}

static void rejects_stale_edit(void **state)
{
	struct fixture *f = *state;
	const char *id = id_new(f), *first_etag;

	create_session(f, &ann, id, "first");
	first_etag = last_session.etag;
	assert_int_equal(edit_session(f, &ann, id,
				      (struct session_edit){
					      .title = "a",
					      .if_etags = (const char *[]){id, first_etag, NULL}}),
			 ERR_NONE);
	assert_string_equal(last_session.title, "a");
	assert_string_not_equal(last_session.etag, first_etag);
	assert_int_equal(
		edit_session(f, &ann, id,
			     (struct session_edit){.title = "b",
						   .if_etags = (const char *[]){first_etag, NULL}}),
		ERR_BUSY);
	assert_found(f, &ann, SESSIONS_ACTIVE, NULL, "a");
	assert_int_equal(edit_session(f, &ann, id, (struct session_edit){.title = "c"}), ERR_NONE);
	assert_int_equal(edit_session(f, &bob, id, (struct session_edit){.title = "d"}),
			 ERR_NOT_FOUND);
	assert_int_equal(
		edit_session(f, &ann_other_tenant, id, (struct session_edit){.title = "d"}),
		ERR_NOT_FOUND);
	assert_found(f, &ann, SESSIONS_ACTIVE, NULL, "c");
}

static void archives_and_unarchives(void **state)
{
	struct fixture *f = *state;
	const char *id = id_new(f);

	create_session(f, &ann, id, "old");
	assert_int_equal(edit_session(f, &ann, id, (struct session_edit){.archive = 1}), ERR_NONE);
	assert_non_null(last_session.archived_at);
	assert_string_equal(last_session.title, "old");
	assert_found(f, &ann, SESSIONS_ACTIVE, NULL, "");
	assert_found(f, &ann, SESSIONS_ARCHIVED, NULL, "old");
	assert_found(f, &ann, SESSIONS_ALL, NULL, "old");
	assert_int_equal(edit_session(f, &ann, id, (struct session_edit){.archive = -1}), ERR_NONE);
	assert_null(last_session.archived_at);
	assert_found(f, &ann, SESSIONS_ACTIVE, NULL, "old");
}

static void deletes_session_with_its_data(void **state)
{
	struct fixture *f = *state;
	struct message m = user_message(f, id_new(f), "secret-question");
	struct message answer = answer_to(f, &m, "secret-answer");
	const char *session = m.session_id;

	accept_message(f, &ann, &m);
	store_answer_and_wait(f, &ann, &answer);
	assert_int_equal(delete_session(f, &bob, session), ERR_NOT_FOUND);
	assert_int_equal(delete_session(f, &ann_other_tenant, session), ERR_NOT_FOUND);
	assert_int_equal(read_messages(f, &ann, session, NULL, 10), ERR_NONE);
	assert_int_equal(f->count, 2);
	assert_true(files_contain(f, "secret-answer"));
	assert_int_equal(delete_session(f, &ann, session), ERR_NONE);
	assert_false(files_contain(f, "secret-"));
	assert_int_equal(delete_session(f, &ann, session), ERR_NOT_FOUND);
	assert_int_equal(read_messages(f, &ann, session, NULL, 10), ERR_NOT_FOUND);
	assert_string_equal(file_query(f, f->acme,
				       "SELECT (SELECT COUNT(*) FROM chat_messages) || "
				       "(SELECT COUNT(*) FROM chat_sessions)"),
			    "00");
}

static void turn_of_deleted_session_stores_nothing(void **state)
{
	struct fixture *f = *state;
	struct message m = user_message(f, id_new(f), "question");
	struct message answer = answer_to(f, &m, "answer");

	accept_message(f, &ann, &m);
	delete_session(f, &ann, m.session_id);
	assert_int_equal(store_answer_and_wait(f, &ann, &answer), ERR_NOT_FOUND);
}

/* ---- permissions of the reader ---- */

static void masks_answers_without_permission(void **state)
{
	static const char *const both[] = {"chat:read_projects", "chat:read_budget"};
	struct fixture *f = *state;
	struct principal manager = {.user = "ann",
				    .tenant = "acme",
				    .permissions = both,
				    .permission_count = 2},
			 viewer = {.user = "ann",
				   .tenant = "acme",
				   .permissions = both,
				   .permission_count = 1};
	struct message m = user_message(f, id_new(f), "What did it cost?");
	struct message answer = answer_to(f, &m, "It cost $12,345.");
	struct message next;
	json_t *standing = json_pack("{s:s}", "filters", "all");

	answer.needs = "chat:read_projects chat:read_budget";
	answer.texts.standing = "{\"filters\":\"all\"}";
	accept_message(f, &manager, &m);
	store_answer_and_wait(f, &manager, &answer);
	read_messages(f, &manager, m.session_id, NULL, 10);
	assert_false(f->messages[1].masked);
	assert_string_equal(f->messages[1].content, "It cost $12,345.");
	read_messages(f, &viewer, m.session_id, NULL, 10);
	assert_string_equal(f->messages[0].content, "What did it cost?");
	assert_true(f->messages[1].masked);
	assert_null(strstr(f->messages[1].content, "12,345"));
	assert_null(f->messages[1].texts.views);
	assert_null(f->messages[1].texts.tool_calls);
	assert_null(f->messages[1].texts.standing);
	/* the history for prompts is masked, too */
	next = user_message(f, m.session_id, "And now?");
	assert_int_equal(begin_turn(f, &viewer, &next, 10), ERR_NONE);
	assert_int_equal(f->begun.history_count, 3);
	assert_true(f->begun.history[1].masked);
	assert_null(strstr(f->begun.history[1].content, "12,345"));
	assert_null(f->begun.standing);
	next = user_message(f, m.session_id, "And now?");
	assert_int_equal(begin_turn(f, &manager, &next, 0), ERR_NONE);
	assert_true(json_equal(f->begun.standing, standing));
	json_decref(standing);
}

/* SQL in a stored view is shown only to readers who may see SQL now. */
static void removes_sql_without_permission(void **state)
{
	static const char *const both[] = {"chat:use", "chat:view_sql"};
	struct fixture *f = *state;
	struct principal manager = {.user = "ann",
				    .tenant = "acme",
				    .permissions = both,
				    .permission_count = 2},
			 analyst = {.user = "ann",
				    .tenant = "acme",
				    .permissions = both,
				    .permission_count = 1};
	struct message m = user_message(f, id_new(f), "NP15 in 2025?");
	struct message answer = answer_to(f, &m, "48.73");
	json_t *views = json_pack("[{s:s, s:s}, {s:s, s:{s:s, s:s}}]", "view_type", "base", "text",
				  "SELECT is a word", "view_type", "data", "source", "tool",
				  "price", "sql", "SELECT AVG(x) FROM y");
	char *text = json_text(views);

	answer.texts.views = text;
	accept_message(f, &manager, &m);
	store_answer_and_wait(f, &manager, &answer);
	read_messages(f, &manager, m.session_id, NULL, 10);
	assert_int_equal(json_equal(store_text_json(f->messages[1].texts.views, f->arena), views),
			 1);
	read_messages(f, &analyst, m.session_id, NULL, 10);
	json_object_del(json_object_get(json_array_get(views, 1), "source"), "sql");
	assert_int_equal(json_equal(store_text_json(f->messages[1].texts.views, f->arena), views),
			 1);
	assert_false(f->messages[1].masked);
	mem_free(text);
	json_decref(views);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		CASE(creates_and_finds_sessions),
		CASE(lists_sessions_by_origin),
		CASE(isolates_tenants_in_one_file),
		CASE(session_id_is_unique),
		CASE(rejects_stale_edit),
		CASE(archives_and_unarchives),
		CASE(deletes_session_with_its_data),
		CASE(turn_of_deleted_session_stores_nothing),
		CASE(masks_answers_without_permission),
		CASE(removes_sql_without_permission),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
