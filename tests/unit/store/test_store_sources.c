/* Data sources: adding, replacing versions, edits by etag, removal with all dependent data, and
 * isolation of tenants. */
#include "store_test.h"

#include "vesper/limits.h"
#include "vesper/store_sources.h"

#define SOURCE  "0198c0de-0000-7000-8000-000000000001"
#define FIRST   "0198c0de-0000-7000-8000-000000000011"
#define SECOND  "0198c0de-0000-7000-8000-000000000012"
#define OTHER   "0198c0de-0000-7000-8000-000000000002"
#define HOLDER  "0198c0de-0000-7000-8000-000000000021"
#define RIVAL   "0198c0de-0000-7000-8000-000000000022"
#define UNKNOWN "0198c0de-0000-7000-8000-0000000000ff"

static char received[600];

static void on_sources(void *owner, const struct stored_sources *found, const struct err *e)
{
	const struct stored_source *sources = found->items;
	const struct stored_version *versions = found->versions;

	received[0] = '\0';
	for (size_t i = 0; i < found->count; i++)
		snprintf(received + strlen(received), sizeof(received) - strlen(received),
			 "%s %s %s %lld %s%s;", sources[i].name, sources[i].owner,
			 source_visibility_name(sources[i].visibility), (long long)sources[i].etag,
			 sources[i].current ? "used" : "-", sources[i].deleted_at ? " gone" : "");
	for (size_t i = 0; i < found->version_count; i++)
		snprintf(received + strlen(received), sizeof(received) - strlen(received),
			 " %lld %s %s %s", (long long)versions[i].number,
			 version_state_name(versions[i].state),
			 versions[i].table ? versions[i].table : "-",
			 versions[i].fault.code ? versions[i].fault.code : "-");
	for (size_t i = 0; i < found->join_count; i++)
		snprintf(received + strlen(received), sizeof(received) - strlen(received),
			 " %s=%s by %s", found->joins[i].column, found->joins[i].other_column,
			 found->joins[i].stated_by);
	on_done(owner, e);
}

static const char *list_sources(struct fixture *f, const char *tenant)
{
	begin(f);
	store_sources(f->store, tenant, NULL, f->arena, on_sources, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
	return received;
}

static enum err_code add_source_of_kind(struct fixture *f, enum source_kind kind, const char *uid,
					const char *version)
{
	const struct stored_source s = {
		.kind = kind, .uid = uid, .owner = "ann", .name = "Orders", .description = ""};
	const struct stored_version v = {.uid = version, .format = "csv 44 yes"};

	begin(f);
	store_source_add(f->store, "acme", &s, version ? &v : NULL, on_done, f);
	wait_done(f);
	return f->err.code;
}

static enum err_code add_source(struct fixture *f, const char *uid, const char *version)
{
	return add_source_of_kind(f, SOURCE_TABLE, uid, version);
}

static void set_version(struct fixture *f, const char *version, enum version_state state,
			const char *table)
{
	const struct stored_version v = {.uid = version, .state = state, .table = table};

	begin(f);
	store_version_set(f->store, "acme", &v, on_done, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
}

static enum err_code claim_version(struct fixture *f, const char *version, const char *table,
				   const char *holder)
{
	const struct stored_version v = {.uid = version, .table = table};

	begin(f);
	store_version_claim(f->store, "acme", &v, holder, on_done, f);
	wait_done(f);
	return f->err.code;
}

static enum err_code publish_by(struct fixture *f, const char *version, const char *holder)
{
	const struct stored_version v = {.uid = version,
					 .source = SOURCE,
					 .state = VERSION_READY,
					 .rows = 3,
					 .profile = "{}"};

	begin(f);
	store_version_publish(f->store, "acme", &v, holder, on_done, f);
	wait_done(f);
	return f->err.code;
}

static void publish(struct fixture *f, const char *version, const char *table)
{
	set_version(f, version, VERSION_READING, NULL);
	assert_int_equal(claim_version(f, version, table, HOLDER), ERR_NONE);
	assert_int_equal(publish_by(f, version, HOLDER), ERR_NONE);
}

static enum err_code edit_source(struct fixture *f, const char *uid,
				 const struct source_edit *change)
{
	begin(f);
	store_source_edit(f->store, "acme", uid, change, on_done, f);
	wait_done(f);
	return f->err.code;
}

static void replaces_versions(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(add_source(f, SOURCE, FIRST), ERR_NONE);
	assert_string_equal(list_sources(f, "acme"), "Orders ann private 1 -; 1 receiving - -");
	assert_string_equal(list_sources(f, "vesper"), "");
	assert_int_equal(add_source(f, SOURCE, SECOND), ERR_BUSY); /* one at a time */
	publish(f, FIRST, "s_000000000001_1");
	assert_string_equal(list_sources(f, "acme"),
			    "Orders ann private 2 used; 1 ready s_000000000001_1 -");
	assert_int_equal(add_source(f, SOURCE, SECOND), ERR_NONE);
	publish(f, SECOND, "s_000000000001_2");
	assert_string_equal(list_sources(f, "acme"),
			    "Orders ann private 3 used; 1 retiring "
			    "s_000000000001_1 - 2 ready s_000000000001_2 -");
}

/* If two replicas read a version, only one loads it. A replica marked as dead cannot publish. */
static void only_one_replica_loads(void **state)
{
	struct fixture *f = *state;
	struct stored_version v = {.uid = FIRST, .state = VERSION_FAILED};

	add_source(f, SOURCE, FIRST);
	assert_int_equal(claim_version(f, FIRST, "s_000000000001_1", HOLDER), ERR_CANCELLED);
	set_version(f, FIRST, VERSION_READING, NULL);
	assert_int_equal(claim_version(f, FIRST, "s_000000000001_1", HOLDER), ERR_NONE);
	assert_int_equal(claim_version(f, FIRST, "s_000000000001_1", RIVAL), ERR_CANCELLED);
	assert_int_equal(publish_by(f, FIRST, RIVAL), ERR_CANCELLED);
	begin(f);
	store_version_heartbeat(f->store, "acme", FIRST, on_done, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
	begin(f);
	store_version_set(f->store, "acme", &v, on_done, f);
	wait_done(f);
	assert_int_equal(publish_by(f, FIRST, HOLDER), ERR_CANCELLED);
	assert_string_equal(list_sources(f, "acme"),
			    "Orders ann private 1 -; 1 failed s_000000000001_1 -");
}

static void rejects_edit_with_stale_etag(void **state)
{
	struct fixture *f = *state;
	struct source_edit change = {.visibility = "roles", .roles = "manager", .if_etag = 1};
	struct source_edit other = {.visibility = "tenant", .if_etag = 1};

	assert_int_equal(edit_source(f, SOURCE, &change), ERR_NOT_FOUND);
	add_source(f, SOURCE, NULL);
	assert_int_equal(edit_source(f, SOURCE, &change), ERR_NONE);
	assert_int_equal(edit_source(f, SOURCE, &other), ERR_BUSY);
	assert_int_equal(edit_source(f, UNKNOWN, &change), ERR_NOT_FOUND);
	assert_string_equal(list_sources(f, "acme"), "Orders ann roles 2 -;");
}

/* Joins are replaced together, require the current etag, and are removed with either source. */
static void replaces_joins_by_etag(void **state)
{
	struct fixture *f = *state;
	const struct stored_join first = {
		.other = OTHER, .column = "cust", .other_column = "no", .stated_by = "ann"};
	const struct stored_join second = {
		.other = OTHER, .column = "buyer", .other_column = "no", .stated_by = "ann"};
	struct source_edit one = {.joins = &first, .join_count = 1, .if_etag = 1};
	struct source_edit stale = {.joins = &second, .join_count = 1, .if_etag = 1};
	struct source_edit none = {.joins = &second, .if_etag = 2};

	add_source(f, SOURCE, NULL);
	add_source(f, OTHER, NULL);
	assert_int_equal(edit_source(f, SOURCE, &one), ERR_NONE);
	assert_int_equal(edit_source(f, SOURCE, &stale), ERR_BUSY);
	assert_non_null(strstr(list_sources(f, "acme"), "; cust=no by ann"));
	assert_string_equal(list_sources(f, "vesper"), "");
	assert_int_equal(edit_source(f, SOURCE, &none), ERR_NONE);
	assert_null(strstr(list_sources(f, "acme"), "by ann"));
	one.if_etag = 3;
	assert_int_equal(edit_source(f, SOURCE, &one), ERR_NONE);
	begin(f);
	store_source_remove(f->store, "acme", OTHER, "It was deleted.", on_done, f);
	wait_done(f);
	assert_string_equal(list_sources(f, "acme"), "Orders ann private 4 -;");
}

/* Empty texts remove the description and the expiry. */
static void stores_and_clears_description(void **state)
{
	struct fixture *f = *state;
	struct source_edit described = {
		.meaning = "{}", .expires_at = "2030-01-01T00:00:00.000Z", .if_etag = 1};
	struct source_edit other = {.meaning = "{\"a\":1}", .if_etag = 1};
	struct source_edit none = {.meaning = "", .expires_at = "", .if_etag = 2};

	add_source(f, SOURCE, NULL);
	assert_int_equal(edit_source(f, SOURCE, &described), ERR_NONE);
	assert_int_equal(edit_source(f, SOURCE, &other), ERR_BUSY);
	assert_int_equal(edit_source(f, SOURCE, &none), ERR_NONE);
}

static void count_sources(void *owner, const struct stored_sources *found, const struct err *e)
{
	snprintf(received, sizeof(received), "%zu %zu %zu", found->count, found->version_count,
		 found->join_count);
	assert_true(*found->stamp);
	on_done(owner, e);
}

/* A read of changes omits older rows; the stamp covers all rows. */
static void reads_only_changes(void **state)
{
	struct fixture *f = *state;
	const char *const since[] = {NULL, "2000-01-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z"};
	const char *const expected[] = {"1 1 0", "1 1 0", "0 0 0"};

	add_source(f, SOURCE, FIRST);
	for (size_t i = 0; i < 3; i++) {
		begin(f);
		store_sources(f->store, "acme", since[i], f->arena, count_sources, f);
		wait_done(f);
		assert_int_equal(f->err.code, ERR_NONE);
		assert_string_equal(received, expected[i]);
	}
}

/* A load that changed meanwhile is not marked as failed. */
static void changed_version_is_not_marked_as_failed(void **state)
{
	struct fixture *f = *state;
	struct stored_version v = {
		.uid = FIRST, .state = VERSION_LOADING, .updated_at = "2000-01-01T00:00:00.000Z"};

	add_source(f, SOURCE, FIRST);
	begin(f);
	store_version_fail(f->store, "acme", &v, "interrupted", on_done, f);
	wait_done(f);
	assert_string_equal(list_sources(f, "acme"), "Orders ann private 1 -; 1 receiving - -");
}

static void limits_sources_per_tenant(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < DATA_SOURCES_PER_TENANT_MAX; i++)
		assert_int_equal(add_source(f, uuid_new().text, NULL), ERR_NONE);
	assert_int_equal(add_source(f, uuid_new().text, NULL), ERR_LIMIT);
	/* documents have a separate limit */
	file_exec(
		f->acme,
		arena_printf(f->arena,
			     "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE "
			     "i < %d) INSERT INTO chat_data_sources (tenant_id, source_uid, kind, "
			     "owner, name, description, visibility, roles, etag, created_at, "
			     "updated_at) SELECT 'acme', 'd' || i, 'document', 'ann', 'D', '', "
			     "'private', '', 1, '2026', '2026' FROM n",
			     DOCUMENTS_PER_TENANT_MAX - 1));
	assert_int_equal(add_source_of_kind(f, SOURCE_DOCUMENT, uuid_new().text, NULL), ERR_NONE);
	assert_int_equal(add_source_of_kind(f, SOURCE_DOCUMENT, uuid_new().text, NULL), ERR_LIMIT);
	assert_string_equal(f->err.text,
			    "the tenant has reached its limit of data sources of this kind");
}

static void removes_source(void **state)
{
	struct fixture *f = *state;

	add_source(f, SOURCE, FIRST);
	begin(f);
	store_source_mark_deleted(f->store, "acme", SOURCE, on_done, f);
	wait_done(f);
	assert_string_equal(list_sources(f, "acme"),
			    "Orders ann private 2 - gone; 1 receiving - -");
	begin(f);
	store_source_remove(f->store, "acme", SOURCE, "It was deleted.", on_done, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
	assert_string_equal(list_sources(f, "acme"), "");
}

/* If a source is deleted while an answer from it is written, the answer's content is not stored. */
static void answer_from_deleted_source_is_replaced(void **state)
{
	static const struct {
		const char *uids[2];
		bool marked, removed, is_stored;
	} rows[] = {
		{{SOURCE}, false, false, true}, {{SOURCE}, true, false, false},
		{{SOURCE}, true, true, false},  {{FIRST, SOURCE}, true, false, false},
		{{SECOND}, true, false, true},
	};
	static const char *const permissions[] = {"chat:use", "doc:" SOURCE, "doc:" FIRST,
						  "doc:" SECOND, NULL};
	const struct principal reader = {
		.user = "ann", .tenant = "acme", .permissions = permissions, .permission_count = 4};
	struct fixture *f = *state;
	const char *session = id_new(f);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct message q = user_message(f, session, "When does it sail?");
		struct message m = answer_to(f, &q, "It sails at nine lanterns.");

		add_source_of_kind(f, SOURCE_DOCUMENT, SOURCE, NULL);
		add_source_of_kind(f, SOURCE_DOCUMENT, FIRST, NULL);
		add_source_of_kind(f, SOURCE_DOCUMENT, SECOND, NULL);
		assert_int_equal(accept_message(f, &reader, &q), ERR_NONE);
		begin(f);
		if (rows[i].marked) {
			store_source_mark_deleted(f->store, "acme", SOURCE, on_done, f);
			wait_done(f);
		}
		begin(f);
		if (rows[i].removed) {
			store_source_remove(f->store, "acme", SOURCE, "Gone.", on_done, f);
			wait_done(f);
		}
		m.gone = "It was deleted.";
		m.texts.views = "[{\"lanterns\":9}]";
		m.needs = arena_printf(f->arena, "chat:use doc:%s%s%s", rows[i].uids[0],
				       rows[i].uids[1] ? " doc:" : "",
				       rows[i].uids[1] ? rows[i].uids[1] : "");
		assert_int_equal(store_answer_and_wait(f, &reader, &m), ERR_NONE);
		read_messages(f, &reader, session, NULL, 100);
		assert_string_equal(f->messages[f->count - 1].content,
				    rows[i].is_stored ? m.content : m.gone);
		if (!rows[i].is_stored)
			assert_null(f->messages[f->count - 1].texts.views);
		begin(f);
		store_source_remove(f->store, "acme", rows[i].uids[0], "Gone.", on_done, f);
		wait_done(f);
		begin(f);
		store_source_remove(f->store, "acme", SOURCE, "Gone.", on_done, f);
		wait_done(f);
		assert_false(files_contain(f, "lanterns"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(replaces_versions, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(rejects_edit_with_stale_etag, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(only_one_replica_loads, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(replaces_joins_by_etag, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(stores_and_clears_description, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(changed_version_is_not_marked_as_failed,
						fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(reads_only_changes, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(limits_sources_per_tenant, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(removes_source, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(answer_from_deleted_source_is_replaced,
						fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
