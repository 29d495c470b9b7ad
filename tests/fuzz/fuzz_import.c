/* Imports any bytes as another product's model. Names of imported views must be safe in SQL. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../../src/ctl/map/import_int.h"
#include "vesper/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(CATALOG_BYTES_MAX);
	struct ctl_pack pack;
	struct import im = {.a = a, .pack = &pack};
	const json_t *view;
	struct err e;
	size_t i;

	ctl_pack_init(&pack, "fuzz", a);
	if (import_model(&im, NULL, (const char *)data, size, &e)) {
		im_finish(&im);
		json_array_foreach(pack.views, i, view) {
			const char *dot = strchr(im_text(view, "name"), '.');

			assert(dot && im_is_plain_name(dot + 1));
		}
	}
	arena_free(&a);
	return 0;
}
