/*
 * Receives a file. Its rows are stored first. Then a worker writes the bytes to the spool, one
 * block at a time. The sender waits for each block, so that at most one is in memory.
 */
#include "upload_int.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "vesper/clock.h"
#include "vesper/hash.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"

enum spool_work { SPOOL_OPEN, SPOOL_WRITE, SPOOL_CLOSE, SPOOL_DROP };

struct upload {
	struct pool_job job; /* first */
	struct list node;
	struct tenant_uploads *tenant;
	char source[UUID_BYTES], version[UUID_BYTES];
	char *user, *path;
	struct stream_log *log;
	void (*wake)(void *owner); /* NULL: after upload_free */
	void *owner;
	/* the worker's task */
	enum spool_work work;
	int fd;
	char *block;
	size_t len;
	struct hasher *hasher;
	char sha256[HASH_HEX_BYTES];
	bool running; /* a job runs */
	struct op *op;
	struct refresh_wait refresh;
	int64_t bytes, max_bytes;
	bool opened, ended, done;
	bool is_complete; /* all bytes are stored, within the tenant's quota */
	struct err err;
	const char *code; /* of the failure */
};

/* ---- on a worker ---- */

static void fail(struct upload *up, const char *code, const char *what)
{
	up->code = code;
	err_set(&up->err, ERR_UPSTREAM, "%s: %s", what, strerror(errno));
}

static bool has_disk_space(struct upload *up)
{
	struct statvfs disk;

	if (fstatvfs(up->fd, &disk) != 0 ||
	    (int64_t)disk.f_bavail * (int64_t)disk.f_frsize >= DATA_SOURCE_FREE_BYTES)
		return true;
	up->code = "disk_full";
	return err_set(&up->err, ERR_UPSTREAM, "the disk of the server is nearly full");
}

static void write_block(struct upload *up)
{
	size_t at = 0;

	if (!has_disk_space(up))
		return;
	hasher_add(up->hasher, up->block, up->len);
	while (at < up->len) {
		ssize_t n = write(up->fd, up->block + at, up->len - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			fail(up, "disk_full", "the file could not be stored");
			return;
		}
		at += (size_t)n;
	}
}

static void close_file(struct upload *up)
{
	if (up->fd >= 0)
		close(up->fd);
	up->fd = -1;
}

static void run_job(struct pool_job *job)
{
	struct upload *up = (struct upload *)job;

	switch (up->work) {
	case SPOOL_OPEN:
		up->fd = open(up->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (up->fd < 0)
			fail(up, "disk_full", "the file could not be stored");
		break;
	case SPOOL_WRITE:
		write_block(up);
		break;
	case SPOOL_CLOSE:
		hasher_end_hex(up->hasher, up->sha256);
		if (fsync(up->fd) != 0)
			fail(up, "disk_full", "the file could not be stored");
		close_file(up);
		break;
	case SPOOL_DROP:
		unlink(up->path);
		close_file(up); /* frees the file's pages */
		break;
	}
}

/* ---- on the loop ---- */

static void upload_advance(struct upload *up);

static void on_job(struct pool_job *job)
{
	struct upload *up = (struct upload *)job;

	up->running = false;
	upload_advance(up);
}

static void run(struct upload *up, enum spool_work work)
{
	up->work = work;
	up->running = true;
	pool_submit(up->tenant->all->spooling, &up->job);
}

static void wake(const struct upload *up)
{
	if (up->wake)
		up->wake(up->owner);
}

static void drop(struct upload *up)
{
	list_remove(&up->node);
	op_cancel(&up->op);
	refresh_wait_cancel(&up->refresh);
	close_file(up);
	hasher_free(&up->hasher);
	mem_free(up->user);
	mem_free(up->path);
	mem_free(up->block);
	mem_free(up);
}

static void on_failure_stored(void *owner, const struct err *e)
{
	struct upload *up = owner;

	up->op = NULL;
	if (e)
		log_warn("uploads.store", "%s: %s", up->version, e->text);
	load_log_failure(up->log, up->code, up->err.text, 0);
	stream_release(&up->log);
	uploads_refresh(up->tenant);
	drop(up);
}

/* Stores the failure. The file must be deleted first. */
static void store_failure(struct upload *up)
{
	const struct stored_version v = {
		.uid = up->version, .state = VERSION_FAILED, .fault = {up->code, up->err.text, 0}};

	up->op = store_version_set(up->tenant->all->options.store, up->tenant->name, &v,
				   on_failure_stored, up);
}

static void on_refreshed(void *owner)
{
	struct upload *up = owner;

	up->refresh.cb = NULL;
	up->done = true;
	if (up->wake)
		wake(up); /* may free it */
	else
		drop(up);
}

static void on_complete(void *owner, const struct err *e)
{
	struct upload *up = owner;

	up->op = NULL;
	if (e) {
		up->code = "interrupted";
		up->err = *e;
		upload_advance(up);
		return;
	}
	load_queue(up->tenant, up->source, up->version, &up->log);
	uploads_refresh_then(up->tenant, &up->refresh, on_refreshed, up);
}

static void complete(struct upload *up)
{
	const struct stored_version v = {.uid = up->version,
					 .state = VERSION_READING,
					 .bytes = up->bytes,
					 .sha256 = up->sha256};

	up->is_complete = true;
	up->op = store_version_set(up->tenant->all->options.store, up->tenant->name, &v,
				   on_complete, up);
}

/* Bytes of complete files that the listing does not include yet. */
static int64_t unlisted_bytes(const struct tenant_uploads *t)
{
	int64_t sum = 0;

	list_each(node, &t->receiving) {
		const struct upload *up = list_item(node, struct upload, node);
		const struct stored_version *v = uploads_version(t, up->source, up->version);

		if (up->is_complete && up->err.code == ERR_NONE)
			sum += up->bytes - (v ? v->bytes : 0);
	}
	return sum;
}

/* Other files may have been completed while this one was received. */
static bool is_beyond_quota(struct upload *up)
{
	const struct tenant_uploads *t = up->tenant;
	int64_t quota = t->all->options.tenant_bytes;

	if (listing_sums(t->listing)->bytes + unlisted_bytes(t) + up->bytes <= quota)
		return false;
	up->code = "quota";
	err_set(&up->err, ERR_QUOTA, "with this file, the data sources would exceed %lld bytes",
		(long long)quota);
	return true;
}

/* Chooses the next step after a job, the end of the file, or an error. */
static void upload_advance(struct upload *up)
{
	if (up->tenant->all->ending || up->running || up->op || up->refresh.cb)
		return;
	if (!up->wake && !up->ended && up->err.code == ERR_NONE) {
		up->code = "connection_lost";
		err_set(&up->err, ERR_CANCELLED,
			"the connection ended before the whole file was received");
	}
	if (up->err.code != ERR_NONE && up->wake) {
		wake(up); /* reports the error and frees it */
	} else if (up->err.code != ERR_NONE && (up->opened || up->fd >= 0) &&
		   up->work != SPOOL_DROP) { /* also after upload_free during the open */
		run(up, SPOOL_DROP);
	} else if (up->err.code != ERR_NONE) {
		store_failure(up);
	} else if (up->ended && up->work != SPOOL_CLOSE) {
		run(up, SPOOL_CLOSE);
	} else if (up->ended && is_beyond_quota(up)) {
		upload_advance(up);
	} else if (up->ended) {
		complete(up);
	} else {
		up->opened = true;
		wake(up);
	}
}

static void on_stored(void *owner, const struct err *e)
{
	struct upload *up = owner;

	up->op = NULL;
	if (e) {
		up->err = *e;
		up->code = "interrupted";
		if (up->wake)
			wake(up);
		else
			drop(up);
		return;
	}
	up->log = load_log(up->tenant, up->source, up->user);
	uploads_refresh(up->tenant);
	run(up, SPOOL_OPEN);
}

/* ---- admission ---- */

static bool has_version_in_progress(const struct tenant_uploads *t, const char *source)
{
	const struct listed_source *k = listing_source(t->listing, source);

	for (size_t i = 0; k && i < k->version_count; i++)
		if (version_is_in_progress(&k->versions[i]))
			return true;
	return false;
}

static size_t loads_last_hour(const struct tenant_uploads *t, uint64_t user, enum source_kind kind)
{
	int64_t since = clock_mono_ms() - INT64_C(3600000);
	size_t n = 0;

	for (size_t i = 0; t->recent.items && i < RECENT_LOADS; i++)
		n += t->recent.items[i].user == user && t->recent.items[i].kind == kind &&
		     t->recent.items[i].at_ms > since;
	return n;
}

static bool request_check(struct tenant_uploads *t, const struct upload_file *f, struct err *e)
{
	uint64_t user = hash_fnv(HASH_FNV_OFFSET_BASIS, f->who->user, strlen(f->who->user));
	size_t loads =
		f->kind == SOURCE_DOCUMENT ? DOCUMENT_LOADS_PER_HOUR : DATA_SOURCE_LOADS_PER_HOUR;
	const struct listing_sums *sums;

	if (!t || !t->is_read)
		return err_set_retry(e, ERR_UPSTREAM,
				     "the list of data sources is still being read");
	if (has_version_in_progress(t, f->source))
		return err_set(e, ERR_BUSY, "a file of this data source is being loaded");
	sums = listing_sums(t->listing);
	if (sums->in_progress_count > DATA_SOURCE_WAITING_MAX)
		return err_set_retry(e, ERR_LIMIT, "%d files are already waiting to be loaded",
				     DATA_SOURCE_WAITING_MAX);
	if (sums->bytes >= t->all->options.tenant_bytes)
		return err_set(e, ERR_QUOTA, "the data sources have reached their size limit");
	if (loads_last_hour(t, user, f->kind) >= loads)
		return err_set_retry(e, ERR_LIMIT, "you have loaded %zu files within the last hour",
				     loads);
	if (f->kind == SOURCE_DOCUMENT && sums->passages >= DOCUMENT_TENANT_CHUNKS)
		return err_set(e, ERR_QUOTA, "the documents have reached the limit of passages");
	if (!t->recent.items)
		t->recent.items = mem_alloc(RECENT_LOADS * sizeof(*t->recent.items));
	t->recent.items[t->recent.at].kind = f->kind;
	t->recent.items[t->recent.at].user = user;
	t->recent.items[t->recent.at].at_ms = clock_mono_ms();
	t->recent.at = (t->recent.at + 1) % RECENT_LOADS;
	return true;
}

static int64_t max_bytes(const struct uploads *u, enum source_kind kind)
{
	bool is_less = u->options.max_bytes < DOCUMENT_BYTES_MAX;

	return kind == SOURCE_DOCUMENT && !is_less ? DOCUMENT_BYTES_MAX : u->options.max_bytes;
}

bool upload_begin(struct uploads *u, const struct upload_file *f, void (*wake_cb)(void *owner),
		  void *owner, struct upload **out, struct err *e)
{
	struct tenant_uploads *t = uploads_tenant(u, f->who->tenant);
	struct stored_version v = {0};
	struct stored_source s = {0};
	struct upload *up;
	char format[100];

	if (!request_check(t, f, e))
		return false;
	up = mem_alloc(sizeof(*up));
	*up = (struct upload){.job = {.run = run_job, .done = on_job},
			      .tenant = t,
			      .user = mem_strdup(f->who->user),
			      .wake = wake_cb,
			      .owner = owner,
			      .max_bytes = max_bytes(u, f->kind),
			      .fd = -1,
			      .block = mem_alloc(BODY_BLOCK_BYTES),
			      .hasher = hasher_new()};
	memcpy(up->version, uuid_new().text, UUID_BYTES);
	memcpy(up->source, f->source ? f->source : uuid_new().text, UUID_BYTES);
	up->path = mem_printf("%s/%s", u->options.spool_dir, up->version);
	snprintf(format, sizeof(format), "%s %d %s", f->format, f->delimiter,
		 f->header ? f->header : "auto");
	s = (struct stored_source){.kind = f->kind,
				   .uid = up->source,
				   .owner = f->who->user,
				   .name = f->name ? f->name : "",
				   .description = f->description ? f->description : ""};
	v = (struct stored_version){.uid = up->version, .format = format};
	list_append(&t->receiving, &up->node);
	up->op = store_source_add(u->options.store, t->name, &s, &v, on_stored, up);
	*out = up;
	return true;
}

bool upload_is_ready(const struct upload *up)
{
	return up->opened && !up->running && !up->op && !up->ended && up->err.code == ERR_NONE;
}

const struct err *upload_error(const struct upload *up)
{
	return up->err.code == ERR_NONE ? NULL : &up->err;
}

void upload_take(struct upload *up, const char *bytes, size_t len)
{
	up->bytes += (int64_t)len;
	if (up->bytes > up->max_bytes) {
		up->code = "too_long";
		err_set(&up->err, ERR_LIMIT, "the file is longer than %lld bytes",
			(long long)up->max_bytes);
		return;
	}
	memcpy(up->block, bytes, len);
	up->len = len;
	run(up, SPOOL_WRITE);
}

void upload_end(struct upload *up)
{
	up->ended = true;
	upload_advance(up);
}

bool upload_is_done(const struct upload *up)
{
	return up->done;
}

const char *upload_source(const struct upload *up)
{
	return up->source;
}

const char *upload_version(const struct upload *up)
{
	return up->version;
}

void upload_free(struct upload **upload)
{
	struct upload *up = *upload;

	if (!up)
		return;
	*upload = NULL;
	up->wake = NULL;
	if (up->done || (up->err.code != ERR_NONE && !up->log && !up->running && !up->op))
		drop(up);
	else
		upload_advance(up);
}

bool spool_has(const struct tenant_uploads *t, const char *version)
{
	char *path = mem_printf("%s/%s", t->all->options.spool_dir, version);
	bool has = access(path, R_OK) == 0;

	mem_free(path);
	return has;
}

bool spool_is_receiving(const struct tenant_uploads *t, const char *version)
{
	list_each(node, &t->receiving) {
		const struct upload *up = list_item(node, struct upload, node);

		if (strcmp(up->version, version) == 0)
			return true;
	}
	return false;
}

void spool_end(struct tenant_uploads *t)
{
	list_each_safe(node, &t->receiving) {
		struct upload *up = list_item(node, struct upload, node);

		if (up->log) { /* none before its rows are stored, and once its load waits */
			load_log_failure(up->log, "interrupted", "the server is shutting down", 0);
			stream_release(&up->log);
		}
		drop(up);
	}
}
