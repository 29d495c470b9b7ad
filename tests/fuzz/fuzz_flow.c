/* Any bytes as a flow: read and checked against a catalogue; what is read is written as text that
 * reads as the same flow. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/catalog.h"
#include "vesper/flow.h"
#include "vesper/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct catalog *catalog;

static void start(void)
{
	struct err e;

	if (!catalog_load((const char *const[]){VESPER_SOURCE_DIR, NULL}, NULL, &catalog, &e))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(1 << 24);
	char *text = mem_strndup((const char *)data, size);
	struct flow_def f, again;
	struct err e = {0};

	if (!catalog)
		start();
	if (flow_read(catalog, "energy", "fuzz.flow", text, a, &f, &e)) {
		const char *written = flow_text(&f, a);

		if (!flow_read(catalog, "energy", "fuzz.flow", written, a, &again, &e) ||
		    strcmp(written, flow_text(&again, a)) != 0)
			abort();
	} else if (strncmp(e.text, "fuzz.flow:", strlen("fuzz.flow:")) != 0) {
		abort();
	}
	mem_free(text);
	arena_free(&a);
	return 0;
}
