/* Complete results are held in memory until they are sent, so slow downloads are limited. */
#include "port.h"

#define ROWS       8000
#define CELL_BYTES 10000
#define CSV_PATH   "/api/v1/messages/0193b0a0-0000-7000-8000-000000000002/views/v1/csv"

static char cell[CELL_BYTES + 1];
static const char *row[] = {cell};
static const char **rows[ROWS];
static struct column columns[] = {{.name = "c"}};
static struct table table = {
	.column_count = 1, .columns = columns, .row_count = ROWS, .rows = rows, .total_rows = ROWS};

static int setup_table(void **state)
{
	memset(cell, 'x', CELL_BYTES);
	for (int i = 0; i < ROWS; i++)
		rows[i] = row;
	stub_table = &table;
	stub_calls = "[{\"call\":\"c1\"}]";
	stub_views = "[{\"view_id\":\"v1\",\"view_type\":\"data\",\"truncated\":true,"
		     "\"row_count\":0,\"meta\":[],\"data_dict\":{},\"source\":{\"call\":\"c1\"}}]";
	return setup(state);
}

/* Requests the file as this user; reads only the head of the answer. */
static int request_file(const char *user, int *status)
{
	static const char *const permissions[] = {"chat:use"};
	char *token = stub_token(user, permissions, 1, 3600);
	char *request = mem_printf("GET " CSV_PATH " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
				   "%s\r\n\r\n",
				   token);
	int fd = client_socket();
	int small = 4096;
	char *head;

	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	client_connect(fd, address);
	client_send_text(fd, request);
	head = client_read_head(fd);
	*status = status_of(head);
	mem_free(head);
	mem_free(request);
	mem_free(token);
	return fd;
}

static void overdue_download_is_ended_for_a_new_one(void **state)
{
	int fds[DOWNLOADS_MAX + 1], status;
	char user[16], *rest;

	(void)state;
	freeze();
	for (int i = 0; i < DOWNLOADS_MAX; i++) {
		snprintf(user, sizeof(user), "slow%d", i);
		fds[i] = request_file(user, &status);
		assert_int_equal(status, 200);
	}
	fds[DOWNLOADS_MAX] = request_file("ben", &status);
	assert_int_equal(status, 429);
	close(fds[DOWNLOADS_MAX]);
	advance(DOWNLOAD_TIME_MS);
	fds[DOWNLOADS_MAX] = request_file("ben", &status);
	assert_int_equal(status, 200);
	/* The longest-running download has ended, and its client can tell that it is incomplete. */
	rest = client_read_all(fds[0]);
	assert_true(strlen(rest) < (size_t)ROWS * CELL_BYTES);
	assert_null(strstr(rest, "\r\n0\r\n\r\n"));
	mem_free(rest);
	for (int i = 0; i <= DOWNLOADS_MAX; i++)
		close(fds[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(overdue_download_is_ended_for_a_new_one,
						setup_table, teardown_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
