/* Shared by the text tests. */
#ifndef TESTS_TEXT_TEST_H
#define TESTS_TEXT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "english.h"
#include "text_int.h"
#include "vesper/mem.h"
#include "vesper/str.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct date fixture_today = {2026, 2, 27};

#endif
