/* Any bytes: what is accepted must be written, read again, and written the same. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/mem.h"
#include "vesper/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *value;
	if (!json_parse((const char *)data, size, 1 << 20, &value, NULL))
		return 0;
	char *once = json_text(value);
	json_decref(value);
	assert(utf8_valid(once, strlen(once)));
	bool again = json_parse(once, strlen(once), SIZE_MAX, &value, NULL);
	assert(again);
	char *twice = json_text(value);
	json_decref(value);
	assert(strcmp(once, twice) == 0);
	mem_free(once);
	mem_free(twice);
	return 0;
}
