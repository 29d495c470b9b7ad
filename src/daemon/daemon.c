/*
 * Runs the server: the port opens when every store has been checked, SIGHUP reloads configuration
 * and catalogues, and SIGTERM drains. Running turns are stored before the process ends.
 */
#include "daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "vesper/catalog.h"
#include "vesper/clock.h"
#include "vesper/health.h"
#include "vesper/limits.h"
#include "vesper/log.h"

#define STOP_WAIT_MS 10000 /* time limit for storing running turns and closing sockets */
#define STOP_LIMIT_S 25    /* then the process exits: supervisors kill after 30 s */
#define HANDOVER_MARGIN_MS                                                                         \
	1000                /* the old process still serves requests that were already sent to it */
#define ORPHAN_TICKS     60 /* ticks of prepare.timer between searches for orphaned turns */
#define ORPHAN_MARGIN_MS 60000 /* difference of clocks between machines */

static void on_hangup(void *owner, int signum)
{
	struct daemon *d = owner;

	(void)signum;
	daemon_reload(d);
}

/* ---- stopping ---- */

/* Signal handler: only async-signal-safe calls. */
static void on_stop_limit(int signum)
{
	static const char message[] =
		"vesperd: a component could not be stopped in time; exiting\n";
	ssize_t written = write(STDERR_FILENO, message, sizeof(message) - 1);

	(void)signum;
	(void)written;
	_exit(1);
}

void daemon_limit_shutdown(void)
{
	static bool is_started;
	struct sigaction action = {.sa_handler = on_stop_limit};

	if (is_started)
		return;
	is_started = true;
	sigaction(SIGALRM, &action, NULL);
	alarm(STOP_LIMIT_S);
}

static void on_transport_drained(void *owner)
{
	struct daemon *d = owner;

	loop_stop(d->loop);
}

static void on_turns_drained(void *owner)
{
	struct daemon *d = owner;

	if (!d->end.stopping)
		return;
	transport_drain(d->transport, on_transport_drained, d);
}

/* Ends running turns now, or hands them over to other replicas. */
static void end_turns(struct daemon *d)
{
	d->end.waiting_for_turns = false;
	daemon_limit_shutdown();
	timer_start(d->end.drain, STOP_WAIT_MS);
	turns_drain(d->turns, on_turns_drained, d);
}

static void on_turns_ended(void *owner)
{
	end_turns(owner);
}

/* Accepts no new turns; running ones get the time limit of a turn. */
static void drain_turns(struct daemon *d, int64_t limit_ms)
{
	d->end.waiting_for_turns = true;
	d->end.stopping = true;
	timer_start(d->end.drain, (uint64_t)limit_ms);
	turns_refuse(d->turns, on_turns_ended, d);
}

void daemon_hand_over(struct daemon *d)
{
	int64_t spread_ms = config_int(d->config, "limits.drain_spread_s") * 1000;

	if (d->end.stopping)
		return;
	d->end.handing_over = true;
	transport_hand_over(d->transport, spread_ms);
	timer_start(d->end.drain, (uint64_t)spread_ms + HANDOVER_MARGIN_MS);
}

static void on_drain_over(void *owner)
{
	struct daemon *d = owner;

	if (d->end.handing_over) {
		d->end.handing_over = false;
		log_info("daemon.stop", "waiting for %zu turns to end", turns_running(d->turns));
		drain_turns(d, config_int(d->config, "llm.timeouts_ms.turn"));
		return;
	}
	if (d->end.waiting_for_turns) {
		end_turns(d);
		return;
	}
	log_warn("daemon.stop", "stopped waiting after %d ms", STOP_WAIT_MS);
	loop_stop(d->loop);
}

/* The first signal drains: running turns may finish within limits.drain_s. A second signal exits at
 * once. */
static void on_stop_signal(void *owner, int signum)
{
	struct daemon *d = owner;

	int64_t drain_ms = config_int(d->config, "limits.drain_s") * 1000;

	if (!d->transport) {
		daemon_limit_shutdown();
		loop_stop(d->loop); /* the port was not open yet */
		return;
	}
	if (d->end.stopping) {
		log_warn("daemon.stop", "second signal %d: exiting now", signum);
		_exit(1);
	}
	d->end.stopping = true;
	log_info("daemon.stop", "draining %zu turns", turns_running(d->turns));
	health_set_draining(true);
	d->end.handing_over = false;
	if (drain_ms > 0)
		drain_turns(d, drain_ms);
	else
		end_turns(d);
}

/* ---- starting ---- */

/* The start cannot continue: ends the loop, and serve reports the error. */
static void fail_start(struct daemon *d, const struct err *e)
{
	if (d->end.failure.code == ERR_NONE)
		d->end.failure = *e;
	loop_stop(d->loop);
}

/*
 * Prepares the stores. A file is migrated to the newest schema; if that fails, it is retried while
 * the other tenants are served. A server's store is only checked; if the server is down, it is
 * retried with the port open, so that probes and users get an answer. Turns that a dead process
 * left open are closed: at the start for files, and also periodically for servers, because another
 * replica may die.
 */
struct prepare_tenant {
	struct daemon *daemon;
	const char *tenant;
	const char *file;  /* NULL for a server */
	const char *check; /* name of the health check while it is not ready */
	struct op *op;     /* running operation of the store */
	struct err why;    /* for a file: the error of the last attempt */
	bool was_checked;  /* the first check has ended; d->prepare.waiting does not count it */
	bool has_spending; /* the tenant's earlier spending was read */
	bool is_checking;
	bool ready;
	int64_t busy_deadline_ms;    /* deadline for first checks of a locked file; 0: it was not
					locked */
	struct timer *recheck_timer; /* timer of the next check */
};

static void on_prepare_tick(void *owner);
static void on_recheck(void *owner);

static bool store_on_server(const struct daemon *d)
{
	return d->databases.store_dialect != DIALECT_SQLITE;
}

/*
 * Returns true when no other daemon serves these files, so that every open turn in them is
 * orphaned. Each daemon holds a shared lock on the folder until its process ends; a daemon that can
 * lock it exclusively is alone.
 */
static bool is_only_daemon(const struct daemon *d)
{
	const char *path = arena_printf(d->arena, "%s/lock", config_text(d->config, "data_dir"));
	int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	bool alone = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;

	if (fd >= 0 && flock(fd, LOCK_SH) != 0)
		log_warn("store.lock", "%s: %s", path, strerror(errno));
	return alone;
}

/* An open turn of this age is orphaned. It is longer than any turn, or 0 when no other process can
 * have one open. */
static int64_t orphan_age_ms(const struct prepare_tenant *p)
{
	const struct daemon *d = p->daemon;

	if (d->prepare.exclusive && !p->was_checked)
		return 0;
	return config_int(d->config, "llm.timeouts_ms.turn") +
	       config_int(d->config, "limits.grace_s") * 1000 + ORPHAN_MARGIN_MS;
}

static bool is_server_down(const struct daemon *d, const struct err *e)
{
	return store_on_server(d) && (e->code == ERR_UPSTREAM || e->code == ERR_TIMEOUT);
}

/* NULL: at least one tenant can be served, now or later. */
static const struct err *all_stores_failed(const struct daemon *d)
{
	const struct err *why = NULL;

	for (size_t i = 0; i < d->databases.tenant_count; i++) {
		if (d->prepare.tenants[i].why.code == ERR_NONE)
			return NULL;
		if (!why)
			why = &d->prepare.tenants[i].why;
	}
	return why;
}

static void prepare_next(struct daemon *d);

static void on_uploads_started(void *owner)
{
	struct daemon *d = owner;
	struct err problem = {0};

	if (d->end.failure.code != ERR_NONE || d->end.stopping)
		return;
	if (!daemon_listen(d, &problem)) {
		fail_start(d, &problem);
		return;
	}
	maintenance_start(d->maintenance);
	approved_start(d->knowledge.approved);
}

/* The port opens when every store has been checked and its users' uploads are known. */
static void finish_first_check(struct prepare_tenant *p)
{
	struct daemon *d = p->daemon;

	if (p->was_checked)
		return;
	p->was_checked = true;
	prepare_next(d);
	if (--d->prepare.waiting > 0 || d->end.failure.code != ERR_NONE || d->end.stopping)
		return;
	if (all_stores_failed(d))
		fail_start(d, all_stores_failed(d));
	else
		uploads_start(d->knowledge.uploads, d->prepare.exclusive, on_uploads_started, d);
}

/* A file may be locked briefly by another connection, such as the one that creates it. It is not
 * broken, so the port opens only after it has been retried. */
static bool retry_if_locked(struct prepare_tenant *p, const struct err *e)
{
	int64_t now = clock_mono_ms();

	if (!p->busy_deadline_ms)
		p->busy_deadline_ms = now + PREPARE_BUSY_TIMEOUT_MS;
	if (!p->file || p->was_checked || !e->may_retry || now >= p->busy_deadline_ms)
		return false;
	log_info("store.busy", "tenant %s: %s", p->tenant, e->text);
	if (!p->recheck_timer)
		p->recheck_timer = timer_new(p->daemon->loop, on_recheck, p);
	timer_start(p->recheck_timer, PREPARE_BUSY_RETRY_MS);
	return true;
}

/* A file has failed: the other tenants are served, and the file is retried. */
static void retry_file(struct prepare_tenant *p, const struct err *e)
{
	struct daemon *d = p->daemon;

	if (p->why.code == ERR_NONE)
		log_error("store.waiting", "tenant %s is not served: %s", p->tenant, e->text);
	p->why = *e;
	health_set(p->check, HEALTH_REQUIRED_BY_TENANT, HEALTH_DOWN, "%s", e->text);
	if (!d->prepare.timer) {
		d->prepare.timer = timer_new(d->loop, on_prepare_tick, d);
		timer_repeat(d->prepare.timer, PREPARE_RETRY_MS);
	}
}

/* A store that was in use stays in use: its schema may be in the middle of a migration. */
static void on_prepared(void *owner, const struct err *e)
{
	struct prepare_tenant *p = owner;

	if (e && retry_if_locked(p, e))
		return;
	p->is_checking = false;
	if (!e) {
		if (p->was_checked && !p->ready)
			log_info("store.ready", "tenant %s", p->tenant);
		p->ready = true;
		p->why.code = ERR_NONE;
		health_remove(p->check);
	} else if (p->file) {
		retry_file(p, e);
	} else if (p->ready || is_server_down(p->daemon, e)) {
		if (p->ready || !p->was_checked)
			log_warn("store.waiting", "%s", e->text);
	} else {
		fail_start(p->daemon, e);
	}
	finish_first_check(p);
}

/* The tool switches must be read before the tenant is served. */
static void on_orphans_closed(void *owner, const struct err *e)
{
	struct prepare_tenant *p = owner;

	p->op = NULL;
	if (e || p->ready)
		on_prepared(p, e);
	else
		maintenance_begin(p->daemon->maintenance, p->tenant, on_prepared, p);
}

static void on_spending_read(void *owner, const struct err *e)
{
	struct prepare_tenant *p = owner;

	if (e) {
		on_prepared(p, e);
		return;
	}
	p->has_spending = true;
	p->op = store_close_orphans(p->daemon->store, p->tenant, orphan_age_ms(p),
				    on_orphans_closed, p);
}

static void on_migrated(void *owner, const struct err *e)
{
	struct prepare_tenant *p = owner;
	struct err named;

	p->op = NULL;
	if (!e && !p->has_spending) {
		spending_begin(p->daemon->spending, p->tenant, on_spending_read, p);
		return;
	}
	if (!e) {
		on_spending_read(p, NULL);
		return;
	}
	named = *e;
	if (p->file)
		err_prefix(&named, "%s", p->file);
	on_prepared(p, &named);
}

static void prepare(struct prepare_tenant *p)
{
	p->is_checking = true;
	p->op = store_migrate(p->daemon->store, p->tenant, on_migrated, p);
}

static void prepare_next(struct daemon *d)
{
	if (d->prepare.started_count < d->databases.tenant_count && !d->end.stopping)
		prepare(&d->prepare.tenants[d->prepare.started_count++]);
}

static void on_recheck(void *owner)
{
	prepare(owner);
}

/* Retries stores that are not ready on each tick, and checks the others occasionally. */
static void on_prepare_tick(void *owner)
{
	struct daemon *d = owner;
	bool all = ++d->prepare.ticks % ORPHAN_TICKS == 0 && store_on_server(d);

	for (size_t i = 0; i < d->prepare.started_count; i++)
		if (!d->prepare.tenants[i].is_checking && (all || !d->prepare.tenants[i].ready))
			prepare(&d->prepare.tenants[i]);
}

static void prepare_stores(struct daemon *d)
{
	size_t n = d->databases.tenant_count;

	d->prepare.exclusive = !store_on_server(d) && is_only_daemon(d);
	d->prepare.waiting = n;
	d->prepare.tenants = arena_alloc(d->arena, n * sizeof(*d->prepare.tenants));
	for (size_t i = 0; i < n; i++)
		d->prepare.tenants[i] = (struct prepare_tenant){
			.daemon = d,
			.tenant = d->databases.tenant_ids[i],
			.check = arena_printf(d->arena, "start:%s", d->databases.tenant_ids[i]),
			.file = d->databases.store_tenants[i].file};
	/* Servers are checked in parallel, so that the timeouts of unavailable ones do not add
	 * up. */
	for (size_t i = 0; i < (store_on_server(d) ? n : STORES_AT_ONCE); i++)
		prepare_next(d);
	if (!store_on_server(d))
		return;
	d->prepare.timer = timer_new(d->loop, on_prepare_tick, d);
	timer_repeat(d->prepare.timer, PREPARE_RETRY_MS);
}

/* Cancels all operations of the stores; no callback follows. */
static void prepare_stop(struct daemon *d)
{
	for (size_t i = 0; d->prepare.tenants && i < d->databases.tenant_count; i++) {
		op_cancel(&d->prepare.tenants[i].op);
		timer_free(&d->prepare.tenants[i].recheck_timer);
	}
	timer_free(&d->prepare.timer);
}

static void start(struct daemon *d)
{
	d->end.drain = timer_new(d->loop, on_drain_over, d);
	d->end.term = signal_watch_new(d->loop, SIGTERM, on_stop_signal, d);
	d->end.interrupt = signal_watch_new(d->loop, SIGINT, on_stop_signal, d);
	d->hangup = signal_watch_new(d->loop, SIGHUP, on_hangup, d);
	daemon_watch_sources(d);
	db_watch(d->store_db, NULL);
	d->maintenance = maintenance_new(d);
	d->knowledge.approved = approved_new(d);
	daemon_names_start(d);
	spending_start(d->spending);
	prepare_stores(d);
	llm_check(d->llm);
}

int daemon_serve(struct daemon *d, bool take_over)
{
	if (handover_begin(d, take_over, &d->end.handover, &d->end.failure) &&
	    daemon_build(d, &d->end.failure)) {
		start(d);
		loop_run(d->loop);
		prepare_stop(d);
	}
	if (d->end.failure.code != ERR_NONE) {
		fprintf(stderr, "vesperd: %s\n", d->end.failure.text);
		return 1;
	}
	log_info("daemon.stop", "stopped");
	return 0;
}
