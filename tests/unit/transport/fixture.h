/* Includes cmocka, and parses JSON. */
#ifndef TRANSPORT_FIXTURE_H
#define TRANSPORT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "vesper/json.h"

#define TURN "0193b0a0-0000-7000-8000-000000000003"

static inline json_t *parsed(const char *json)
{
	struct err e;
	json_t *value = NULL;

	if (!json_parse(json, strlen(json), strlen(json), &value, &e))
		fail_msg("%s in %s", e.text, json);
	return value;
}

#endif
