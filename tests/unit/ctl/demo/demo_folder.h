/* Demo databases that tests only read: those in VESPER_TEST_DEMO_DATA, which ctest creates once for
 * all tests, or private ones if a test runs alone. */
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

static char private_folder[] = "/tmp/vesper-demo-XXXXXX";

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static const char *demo_folder(void)
{
	const char *shared = getenv("VESPER_TEST_DEMO_DATA");
	struct err e = {0};

	if (shared)
		return shared;
	if (!mkdtemp(private_folder) || !demo_data_make(DEMO_SCHEMA, private_folder, false, &e))
		fail_msg("%s", e.text);
	return private_folder;
}

static void demo_folder_remove(void)
{
	if (!getenv("VESPER_TEST_DEMO_DATA"))
		nftw(private_folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
