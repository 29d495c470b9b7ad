/* The demo's databases, to be read: those of VESPER_TEST_DEMO_DATA, which ctest has made once for
 * all tests that want them, or own ones where a test runs alone. */
#ifndef VESPER_DEMO_FOLDER_H
#define VESPER_DEMO_FOLDER_H

#include "demo/demo_data.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define DEMO_SCHEMA VESPER_SOURCE_DIR "/sql/warehouse/sqlite/schema.sql"

static char own_folder[] = "/tmp/vesper-demo-XXXXXX";

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static const char *demo_folder(void)
{
	const char *made = getenv("VESPER_TEST_DEMO_DATA");
	struct err e = {0};

	if (made)
		return made;
	if (!mkdtemp(own_folder) || !demo_data_make(DEMO_SCHEMA, own_folder, false, &e))
		fail_msg("%s", e.text);
	return own_folder;
}

static void demo_folder_drop(void)
{
	if (!getenv("VESPER_TEST_DEMO_DATA"))
		nftw(own_folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
