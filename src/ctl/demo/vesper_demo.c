/* vesper-demo: creates the demo's data, in files or on a server. It also has a check that starts
 * the daemon, asks the reference question and stops the daemon. Not shipped. */
#include "ctl.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "demo_data.h"
#include "vesper/clock.h"
#include "vesper/mem.h"

#define READY_MS 10000
#define QUESTION "What was the average day-ahead price for NP15 in CAISO for 2025 from Ascend?"

/* The folder for the files; NULL: failed, and *status is the exit status. */
static const char *make_folder(const struct command *cmd, int *status)
{
	const char *dir = ctl_arg(cmd, 0);

	if (!dir)
		*status = ctl_usage_error(cmd, "give a folder");
	else if (mkdir(dir, 0700) != 0 && errno != EEXIST)
		*status = ctl_fail("%s: %s", dir, strerror(errno));
	else
		return dir;
	return NULL;
}

static int make_data(const struct command *cmd)
{
	int status = 0;
	const char *dir = make_folder(cmd, &status);
	char *path = mem_printf("%s/sql/warehouse/sqlite/schema.sql", ctl_root());
	struct err e = {0};

	if (dir && !demo_data_make(path, dir, ctl_flag(cmd, "small"), &e))
		status = ctl_fail("%s", e.text);
	mem_free(path);
	return status;
}

/* The verb has the name of the source. */
static int make_source(const struct command *cmd)
{
	int status = 0;
	const char *dir = make_folder(cmd, &status);
	char *path = mem_printf("%s/sql/%s/tables.json", ctl_root(), cmd->verb);
	struct err e = {0};

	if (dir && !demo_data_make_source(cmd->verb, path, dir, ctl_flag(cmd, "small"), &e))
		status = ctl_fail("%s", e.text);
	mem_free(path);
	return status;
}

/* Starts the daemon in the folder of this program. */
static pid_t start_daemon(void)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 16);
	char *slash;
	pid_t pid;

	if (n <= 0)
		return -1;
	self[n] = '\0';
	slash = strrchr(self, '/');
	snprintf(slash + 1, sizeof(self) - (size_t)(slash + 1 - self), "vesperd");
	pid = fork();
	if (pid == 0) {
		setenv("VESPER_LOG_LEVEL", "warn", 0); /* only the answer matters */
		execl(self, self, (char *)NULL);
		_exit(127);
	}
	return pid;
}

static bool wait_ready(pid_t pid)
{
	int64_t until = clock_mono_ms() + READY_MS;

	while (clock_mono_ms() < until) {
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return false;
		if (ctl_probe("/readyz"))
			return true;
		usleep(20000);
	}
	return false;
}

static int check_demo(const struct command *cmd)
{
	char *words[] = {(char *)QUESTION, NULL};
	const struct command ask = {.verb = "ask", .usage = "", .words = words, .word_count = 1};
	int status = 1, wait_status = 0;
	pid_t pid;

	(void)cmd;
	if (ctl_probe("/livez"))
		return ctl_fail("a daemon already serves that address; stop it, or use another "
				"address (VESPER_LISTEN=127.0.0.1:18080)");
	pid = start_daemon();
	if (pid < 0)
		return ctl_fail("cannot start the daemon");
	if (wait_ready(pid)) {
		printf("> %s\n\n", QUESTION);
		fflush(stdout);
		status = ctl_ask(&ask);
	} else {
		ctl_fail("the daemon did not become ready (see its output above)");
	}
	kill(pid, SIGTERM);
	waitpid(pid, &wait_status, 0);
	if (status == 0 && (!WIFEXITED(wait_status) || WEXITSTATUS(wait_status) != 0))
		return ctl_fail("the daemon did not exit cleanly");
	return status;
}

static int seed(const struct command *cmd)
{
	const char *only = ctl_option(cmd, "only", NULL);
	bool small = ctl_flag(cmd, "small"), replace = ctl_flag(cmd, "replace");
	struct server *server = NULL;
	struct err e = {0};
	bool done;

	if (only && !demo_data_has_source(only))
		return ctl_usage_error(cmd, "--only must be solar or city");
	done = ctl_server(cmd, &server, &e) &&
	       (only ? demo_data_seed_source(server, only, small, replace, &e)
		     : demo_data_seed(server, small, replace, &e));
	server_close(&server);
	return done ? 0 : ctl_fail("%s", e.text);
}

static const struct verb verbs[] = {
	{"data", make_data, "DIR [--small]",
	 "creates the demo databases in DIR, if they are missing"},
	{"solar", make_source, "DIR [--small]",
	 "creates the databases of the photovoltaic plants in DIR, if they are missing"},
	{"city", make_source, "DIR", "creates the database of the city in DIR, if it is missing"},
	{"check", check_demo, "",
	 "starts the daemon, asks the reference question, prints the answer, stops"},
	{"seed", seed,
	 "--dsn DSN [--dialect mssql|postgres] [--only solar|city] [--small] [--replace]",
	 "writes the demo's rows to SQL Server or PostgreSQL, after vesperctl db init"},
	{0},
};

int main(int argc, char **argv)
{
	const struct program p = {"vesper-demo", "The data of the demo.", verbs};

	return ctl_main(&p, argc, argv);
}
