/* Before anything is built: the configuration is read, and what concerns the whole process (log,
 * today's date, where files are) is taken from it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "daemon.h"
#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"

/* What VESPER_CONFIG names, or the file beside the catalogue. */
static const char *config_path(struct daemon *d)
{
	const char *path = getenv("VESPER_CONFIG"), *root = getenv("VESPER_ROOT");

	if (path && *path)
		return path;
	return arena_printf(d->arena, "%s/config/vesper.json", root && *root ? root : VESPER_ROOT);
}

/* What is usual as the soft limit (1024) is there for programs that use select. */
static void raise_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= DESCRIPTORS_MAX)
		return;
	limit.rlim_cur = limit.rlim_max < DESCRIPTORS_MAX ? limit.rlim_max : DESCRIPTORS_MAX;
	if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
		log_warn("daemon.descriptors", "the limit stays as it was: %s", strerror(errno));
}

bool daemon_setup(struct daemon *d, struct err *e)
{
	const char *today;
	enum log_format format = LOG_AUTO;
	enum log_level level = LOG_INFO;
	struct date date;

	d->arena = arena_new(16 << 20);
	if (!mem_keep_private())
		log_warn("daemon.private", "memory stays readable: %s", strerror(errno));
	if (!config_load(config_path(d), environ, &d->config, e))
		return false;
	if (!log_level_parse(config_text(d->config, "log.level"), &level))
		return err_set(e, ERR_INPUT, "log.level: debug, info, warn or error");
	if (strcmp(config_text(d->config, "log.format"), "json") == 0)
		format = LOG_JSON;
	else if (strcmp(config_text(d->config, "log.format"), "text") == 0)
		format = LOG_TEXT;
	log_setup(level, format);
	raise_descriptors();
	today = config_text(d->config, "today");
	if (date_parse_iso(today, &date)) /* checked with the other settings */
		clock_freeze_today(date);
	d->root = config_text(d->config, "root");
	if (!*d->root)
		d->root = VESPER_ROOT;
	return true;
}
