/* `vesperctl map`: selects the verb. */
#include "map.h"

#include <string.h>

static const struct {
	const char *name;
	int (*run)(const struct command *cmd);
} verbs[] = {
	{"check", map_check},
	{"import", ctl_map_import},
	{"path", map_path_verb},
	{"query", map_query_verb},
};

int ctl_map(const struct command *cmd)
{
	const char *verb = ctl_arg(cmd, 0);

	for (size_t i = 0; verb && i < sizeof(verbs) / sizeof(*verbs); i++)
		if (strcmp(verbs[i].name, verb) == 0)
			return verbs[i].run(cmd);
	return ctl_usage_error(cmd, "the verb must be check, import, path or query");
}
