/*
 * Recording: a worker thread writes each model exchange and each turn to a file in its folder. If a
 * write fails, the error is logged, and the turn is not affected.
 */
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vesper/json.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/pool.h"
#include "vesper/record.h"

struct recorder {
	struct pool *pool;
	char *folder;
};

struct write_job {
	struct pool_job job; /* first member */
	char *path;
	char *text;
	bool append; /* appends a line; otherwise writes the whole file */
	int error_code;
};

bool recorder_open(struct loop *l, const char *folder, struct recorder **out, struct err *e)
{
	struct recorder *r;

	if (mkdir(folder, 0700) != 0 && errno != EEXIST)
		return err_set(e, ERR_INPUT, "--record %s: %s", folder, strerror(errno));
	if (access(folder, W_OK | X_OK) != 0)
		return err_set(e, ERR_INPUT, "--record %s: %s", folder, strerror(errno));
	r = mem_alloc(sizeof(*r));
	r->pool = pool_new(l, "record", 1);
	r->folder = mem_strdup(folder);
	*out = r;
	return true;
}

void recorder_close(struct recorder **recorder)
{
	struct recorder *r = *recorder;

	*recorder = NULL;
	if (!r)
		return;
	pool_free(&r->pool);
	mem_free(r->folder);
	mem_free(r);
}

static void run_write(struct pool_job *job)
{
	struct write_job *w = (struct write_job *)job;
	int fd = open(w->path, O_WRONLY | O_CREAT | O_CLOEXEC | (w->append ? O_APPEND : O_TRUNC),
		      0600);
	size_t left = strlen(w->text);
	const char *p = w->text;

	while (fd >= 0 && left > 0) {
		ssize_t n = write(fd, p, left);

		if (n < 0)
			break;
		p += n;
		left -= (size_t)n;
	}
	w->error_code = fd < 0 || left > 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
}

static void on_written(struct pool_job *job)
{
	struct write_job *w = (struct write_job *)job;

	if (w->error_code)
		log_error("record.failed", "%s: %s", w->path, strerror(w->error_code));
	mem_free(w->path);
	mem_free(w->text);
	mem_free(w);
}

static void write_take(struct recorder *r, char *path_take, json_t *take, bool append)
{
	struct write_job *w = mem_alloc(sizeof(*w));
	char *text = json_text(take);

	json_decref(take);
	w->job.run = run_write;
	w->job.done = on_written;
	w->path = path_take;
	w->text = mem_printf("%s\n", text);
	w->append = append;
	mem_free(text);
	pool_submit(r->pool, &w->job);
}

void recorder_exchange(void *owner, const char *hash, json_t *take)
{
	struct recorder *r = owner;

	write_take(r, mem_printf("%s/%s" RECORD_EXCHANGE_SUFFIX, r->folder, hash), take, false);
}

void recorder_turn(void *owner, json_t *take)
{
	struct recorder *r = owner;
	const char *session = json_string_value(json_object_get(take, "session_id"));

	write_take(r, mem_printf("%s/%s" RECORD_CASE_SUFFIX, r->folder, session), take, true);
}

void recorder_feedback(void *owner, const struct feedback *f)
{
	struct recorder *r = owner;
	json_t *line = json_object();

	json_set_str(line, "message_id", f->message_id);
	json_set_str(line, "rating", f->rating);
	json_set_str(line, "correction", f->correction);
	write_take(r, mem_printf("%s/%s" RECORD_CORRECTIONS_SUFFIX, r->folder, f->session_id), line,
		   true);
}
