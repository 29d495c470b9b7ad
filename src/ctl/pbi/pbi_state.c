/* A small JSON file, rewritten as a whole and renamed into place, so that an interrupted ingestion
 * leaves the last valid file. */
#include "pbi_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define HOUR_MS 3600000

static bool save(const struct pbi_state *s, struct err *e)
{
	char *new_path = mem_printf("%s.new", s->path);
	bool done = json_dump_file(s->root, new_path, JSON_COMPACT) == 0 &&
		    rename(new_path, s->path) == 0;

	mem_free(new_path);
	return done || err_set(e, ERR_INPUT, "--state: %s: %s", s->path, strerror(errno));
}

static bool load(struct pbi_state *s, struct err *e)
{
	json_t *days = NULL, *calls = NULL;

	if (access(s->path, F_OK) != 0)
		s->root = json_object();
	else if (!json_parse_file(s->path, &s->root, e))
		return err_prefix(e, "--state");
	if (!json_opt_object(s->root, "days", &days, e) ||
	    !json_opt_array(s->root, "calls", &calls, e))
		return err_prefix(e, "--state: %s", s->path);
	if (!days)
		json_set_take(s->root, "days", json_object());
	if (!calls)
		json_set_take(s->root, "calls", json_array());
	return true;
}

bool pbi_state_open(const char *path, struct pbi_state *out, struct err *e)
{
	char *lock = mem_printf("%s.lock", path);
	struct pbi_state s = {.path = mem_strdup(path),
			      .lock = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
	bool done = s.lock >= 0 || err_set(e, ERR_INPUT, "--state: %s: %s", lock, strerror(errno));

	mem_free(lock);
	if (done && flock(s.lock, LOCK_EX | LOCK_NB) != 0)
		done = err_set(e, ERR_BUSY, "another ingestion is running");
	if (done && load(&s, e)) {
		*out = s;
		return true;
	}
	pbi_state_close(&s);
	return false;
}

void pbi_state_close(struct pbi_state *s)
{
	if (s->path && s->lock >= 0)
		close(s->lock);
	json_decref(s->root);
	mem_free(s->path);
	*s = (struct pbi_state){0};
}

const char *pbi_state_day(const struct pbi_state *s, const char *tenant)
{
	const char *day =
		json_string_value(json_object_get(json_object_get(s->root, "days"), tenant));

	return day ? day : "";
}

bool pbi_state_set_day(struct pbi_state *s, const char *tenant, const char *day, struct err *e)
{
	json_set_str(json_object_get(s->root, "days"), tenant, day);
	return save(s, e);
}

bool pbi_state_call(struct pbi_state *s, struct err *e)
{
	json_t *calls = json_object_get(s->root, "calls");
	int64_t now = clock_now_ms(), first;

	while ((first = json_integer_value(json_array_get(calls, 0))) <= now - HOUR_MS &&
	       json_array_size(calls) > 0)
		json_array_remove(calls, 0);
	if (json_array_size(calls) >= PBI_CALLS_PER_HOUR)
		return err_set(e, ERR_LIMIT,
			       "the service allows only %d calls an hour: continue in %d minutes",
			       PBI_CALLS_PER_HOUR, (int)((first + HOUR_MS - now) / 60000) + 1);
	json_push_take(calls, json_integer(now));
	return save(s, e);
}
