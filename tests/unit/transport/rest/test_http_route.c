#include "fixture.h"

#include <ctype.h>
#include <stdio.h>

#include "rest/http_route.h"
#include "vesper/json.h"

static struct arena *arena;
static struct buf allow;
static const char *params[ROUTE_PARAMS_MAX];

static const struct http_route *find_without(unsigned absent, const char *method, const char *path)
{
	buf_reset(&allow);
	memset(params, 0, sizeof(params));
	return route_find(public_routes, method, path, absent, arena, params, &allow);
}

static const struct http_route *find(const char *method, const char *path, bool demo)
{
	return find_without(ROUTE_SIGNIN | (demo ? 0u : (unsigned)(ROUTE_DEMO | ROUTE_PAGE)),
			    method, path);
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

static void extracts_path_segments(void **state)
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

static void similar_paths_do_not_match(void **state)
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

static void known_path_lists_its_methods_once(void **state)
{
	(void)state;
	assert_null(find("PUT", "/api/v1/sessions/x/messages", false));
	assert_string_equal(buf_text(&allow), "GET, HEAD, POST");
	assert_null(find("POST", "/livez", true));
	assert_string_equal(buf_text(&allow), "GET, HEAD");
}

static void demo_routes_exist_only_in_demo_mode(void **state)
{
	(void)state;
	assert_null(find("POST", "/api/v1/demo/login", false));
	assert_int_equal(allow.n, 0);
	assert_non_null(find("POST", "/api/v1/demo/login", true));
	assert_null(find("GET", "/", false));
	assert_ptr_equal(find("GET", "/", true)->handle, on_page);
	assert_ptr_equal(find("GET", "/demo.js", true)->handle, on_asset);
}

static void sign_in_page_is_not_the_demo_page(void **state)
{
	(void)state;
	assert_null(find("GET", "/auth/login", true));
	assert_null(find("GET", "/app.js", true));
	assert_ptr_equal(find_without(ROUTE_DEMO, "GET", "/auth/login")->handle, on_get_login);
	assert_ptr_equal(find_without(ROUTE_DEMO, "GET", "/")->handle, on_page);
	assert_ptr_equal(find_without(ROUTE_DEMO, "GET", "/app.js")->handle, on_asset);
	assert_null(find_without(ROUTE_DEMO, "GET", "/demo.js"));
}

static void aliases_and_dialects_can_be_disabled(void **state)
{
	(void)state;
	assert_ptr_equal(find_without(0, "GET", "/api/tools")->handle, on_get_tools);
	assert_ptr_equal(find_without(0, "POST", "/api/tools/x")->handle, on_post_tool);
	assert_string_equal(params[0], "x");
	assert_null(find_without(ROUTE_AI, "POST", "/ai/chat"));
	assert_null(find_without(ROUTE_AI, "GET", "/api/v1/ui/chat/c/stream"));
	assert_null(find_without(ROUTE_AGUI, "POST", "/api/v1/agui"));
	assert_null(find_without(ROUTE_OPENAI, "GET", "/v1/models"));
	assert_non_null(find_without(ROUTE_AI | ROUTE_OPENAI, "POST", "/api/v1/agui"));
	assert_null(find_without(ROUTE_ALIAS, "GET", "/api/tools"));
	assert_null(find_without(ROUTE_ALIAS, "GET", "/api/health"));
	assert_int_equal(allow.n, 0);
}

static void routes_with_user_data_require_a_permission(void **state)
{
	(void)state;
	for (const struct http_route *r = public_routes; r->method; r++)
		if (strncmp(r->path, "/api/", 5) == 0 && !(r->flags & ROUTE_DEMO) &&
		    r->handle != on_health)
			assert_non_null(r->permission);
	for (const struct http_route *r = admin_routes; r->method; r++)
		assert_null(strstr(r->path, "/api/"));
}

/* ---- the document ---- */

/* "/sessions/{session_id}" is "/sessions/{}". */
static void bare_path(const char *path, char out[200])
{
	size_t n = 0;
	bool inside = false;

	for (const char *c = path; *c && n < 199; c++) {
		inside = inside && *c != '}';
		if (!inside)
			out[n++] = *c;
		inside = inside || *c == '{';
	}
	out[n] = '\0';
}

static const json_t *documented(const json_t *paths, const struct http_route *route)
{
	const char *path;
	json_t *item;

	json_object_foreach((json_t *)paths, path, item) {
		char bare[200], method[10];

		bare_path(path, bare);
		for (size_t i = 0; i <= strlen(route->method); i++)
			method[i] = (char)tolower((unsigned char)route->method[i]);
		if (strcmp(bare, route->path) == 0)
			return json_object_get(item, method);
	}
	return NULL;
}

/* Query parameters in the format of the route table. */
static void query_of(const json_t *operation, char out[200])
{
	const json_t *parameter;
	size_t i;

	out[0] = '\0';
	json_array_foreach(json_object_get(operation, "parameters"), i, parameter) {
		const char *in = json_string_value(json_object_get(parameter, "in"));

		if (in && strcmp(in, "query") == 0)
			snprintf(out + strlen(out), 200 - strlen(out), "%s%s", *out ? " " : "",
				 json_string_value(json_object_get(parameter, "name")));
	}
}

static void documents_exactly_the_existing_routes(void **state)
{
	size_t routes = 0, operations = 0;
	const json_t *item;
	const char *path;
	json_t *document;
	char query[200];

	(void)state;
	assert_true(json_parse_file(VESPER_SOURCE_DIR "/src/transport/rest/openapi.json", &document,
				    NULL));
	const json_t *paths = json_object_get(document, "paths");

	for (const struct http_route *r = public_routes; r->method; r++) {
		const json_t *operation = documented(paths, r);

		if (r->handle == on_asset || r->handle == on_embed || r->handle == on_page ||
		    (r->flags & ROUTE_SIGNIN))
			continue; /* the page's files and its sign-in are not documented */
		routes++;
		if (!operation)
			fail_msg("%s %s is not in openapi.json", r->method, r->path);
		query_of(operation, query);
		assert_string_equal(query, r->query ? r->query : "");
		assert_int_equal(json_object_get(operation, "requestBody") != NULL,
				 (r->flags & (ROUTE_BODY | ROUTE_STREAM)) != 0);
		assert_int_equal(json_object_get(operation, "security") == NULL,
				 r->permission != NULL);
		if (r->permission)
			assert_non_null(
				strstr(json_string_value(json_object_get(operation, "description")),
				       r->permission));
	}
	assert_null(documented(
		paths, &(struct http_route){.method = "GET", .path = "/api/v1/sessions/{}/x"}));
	assert_null(
		documented(paths, &(struct http_route){.method = "PUT", .path = "/api/v1/chat"}));
	json_object_foreach((json_t *)paths, path, item)
		operations += json_object_size(item);
	assert_int_equal(operations, routes);
	json_decref(document);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(extracts_path_segments),
		cmocka_unit_test(similar_paths_do_not_match),
		cmocka_unit_test(known_path_lists_its_methods_once),
		cmocka_unit_test(demo_routes_exist_only_in_demo_mode),
		cmocka_unit_test(sign_in_page_is_not_the_demo_page),
		cmocka_unit_test(aliases_and_dialects_can_be_disabled),
		cmocka_unit_test(documents_exactly_the_existing_routes),
		cmocka_unit_test(routes_with_user_data_require_a_permission),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
