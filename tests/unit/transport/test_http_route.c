#include "fixture.h"

#include "http_route.h"

static struct arena *arena;
static struct buf allow;
static const char *params[ROUTE_PARAMS_MAX];

static const struct http_route *find(const char *method, const char *path, bool demo)
{
	buf_reset(&allow);
	memset(params, 0, sizeof(params));
	return route_find(public_routes, method, path, demo, arena, params, &allow);
}

static int setup(void **state)
{
	(void)state;
	arena = arena_new(10000);
	buf_init(&allow, 200);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_free(&arena);
	buf_deinit(&allow);
	return 0;
}

static void segments_are_taken_out(void **state)
{
	(void)state;
	assert_ptr_equal(find("GET", "/api/v1/sessions/abc/messages", false)->handle,
			 on_get_session_messages);
	assert_string_equal(params[0], "abc");
	assert_ptr_equal(find("POST", "/api/v1/sessions/abc/messages", false)->handle,
			 on_post_session_message);
	assert_ptr_equal(find("DELETE", "/api/v1/turns/t", false)->handle, on_delete_turn);
	assert_ptr_equal(find("HEAD", "/livez", false)->handle, on_livez);
}

static void near_misses_are_nothing(void **state)
{
	static const char *const paths[] = {"/api/v1/sessions/", "/api/v1/sessions//messages",
					    "/api/v1/chat/",     "/api/v1/chat/stream/x",
					    "/api/v1",           "",
					    "api/v1/chat",       "/API/v1/chat"};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		assert_null(find("GET", paths[i], false));
		assert_int_equal(allow.n, 0);
	}
}

static void a_known_path_lists_its_methods_once(void **state)
{
	(void)state;
	assert_null(find("PUT", "/api/v1/sessions/x/messages", false));
	assert_string_equal(buf_text(&allow), "GET, POST");
	assert_null(find("POST", "/livez", true));
	assert_string_equal(buf_text(&allow), "GET");
}

static void demo_routes_exist_in_demo_mode_only(void **state)
{
	(void)state;
	assert_null(find("POST", "/api/v1/demo/login", false));
	assert_int_equal(allow.n, 0);
	assert_non_null(find("POST", "/api/v1/demo/login", true));
	assert_null(find("GET", "/", false));
	assert_ptr_equal(find("GET", "/", true)->handle, on_asset);
	assert_ptr_equal(find("GET", "/app.js", true)->handle, on_asset);
}

static void everything_about_users_asks_for_a_permission(void **state)
{
	(void)state;
	for (const struct http_route *r = public_routes; r->method; r++)
		if (strncmp(r->path, "/api/", 5) == 0 && !(r->flags & ROUTE_DEMO))
			assert_non_null(r->permission);
	for (const struct http_route *r = admin_routes; r->method; r++)
		assert_null(strstr(r->path, "/api/"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(segments_are_taken_out),
		cmocka_unit_test(near_misses_are_nothing),
		cmocka_unit_test(a_known_path_lists_its_methods_once),
		cmocka_unit_test(demo_routes_exist_in_demo_mode_only),
		cmocka_unit_test(everything_about_users_asks_for_a_permission),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
