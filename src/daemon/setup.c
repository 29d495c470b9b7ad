/* Runs before the parts are built: reads the configuration and applies the settings of the whole
 * process (log, today's date, folders). */
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
#include "vesper/zone.h"

/* The file in VESPER_CONFIG, or the default file next to the catalogue. */
static const char *config_path(struct daemon *d)
{
	const char *path = getenv("VESPER_CONFIG"), *root = getenv("VESPER_ROOT");

	if (path && *path)
		return path;
	return arena_printf(d->arena, "%s/config/vesper.json", root && *root ? root : VESPER_ROOT);
}

/* The usual soft limit (1024) exists only for programs that use select. */
static void raise_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= DESCRIPTORS_MAX)
		return;
	limit.rlim_cur = limit.rlim_max < DESCRIPTORS_MAX ? limit.rlim_max : DESCRIPTORS_MAX;
	if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
		log_warn("daemon.descriptors", "cannot raise the descriptor limit: %s",
			 strerror(errno));
}

static bool freeze_today(const struct config *c, struct err *e)
{
	struct moment m;
	struct zone *zone;

	if (!moment_parse(config_text(c, "today"),
			  &m)) /* "": not set; config_load has checked other values */
		return true;
	if (!zone_load(config_text(c, "calendar.timezone"), &zone, e))
		return false;
	moment_freeze(&m, zone);
	zone_free(&zone);
	return true;
}

bool daemon_setup(struct daemon *d, struct err *e)
{
	d->arena = arena_new(16 << 20);
	if (!mem_disable_dumps())
		log_warn("daemon.private", "cannot protect the process memory: %s",
			 strerror(errno));
	d->config_path = config_path(d);
	if (!config_load(d->config_path, environ, &d->config, e))
		return false;
	config_retain(d->config, d->arena);
	if (!log_settings_use(d->config, e))
		return false;
	raise_descriptors();
	if (!freeze_today(d->config, e))
		return false;
	d->root = config_text(d->config, "root");
	if (!*d->root)
		d->root = VESPER_ROOT;
	return true;
}
