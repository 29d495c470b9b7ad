/* The verbs of `vesperctl map`, one file each. Each returns the exit status of a verb (ctl.h). */
#ifndef CTL_MAP_H
#define CTL_MAP_H

#include "../ctl.h"

int map_check(const struct command *cmd);
int map_check_live(const struct command *cmd);
int map_path_verb(const struct command *cmd);
int map_query_verb(const struct command *cmd);

#endif
