/* Configuration of loading names. */
#include "vesper/config.h"
#include "vesper/names.h"

bool names_settings_read(const struct config *c, struct arena *take, struct names_settings **out,
			 struct err *e)
{
	struct names_settings *s = settings_new(take, sizeof(*s));

	(void)e;
	s->interval_ms = (uint64_t)config_int(c, "names.refresh_s") * 1000;
	*out = s;
	return true;
}
