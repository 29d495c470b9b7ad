/* Any JSON as a chart view: a picture is well formed as far as its brackets go, or there is none.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/utf8.h"
#include "vesper/view.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *view;
	struct buf out;
	int depth = 0;

	if (!json_parse((const char *)data, size, 1 << 20, &view, NULL))
		return 0;
	buf_init(&out, 4 * SVG_BYTES_MAX);
	if (view_svg(&out, view, NULL)) {
		assert(out.n <= SVG_BYTES_MAX && utf8_valid(out.p, out.n));
		for (size_t i = 0; i < out.n; i++) {
			depth += (out.p[i] == '<') - (out.p[i] == '>');
			assert(depth == 0 || depth == 1);
		}
		assert(depth == 0);
	} else {
		assert(out.n == 0);
	}
	buf_deinit(&out);
	json_decref(view);
	return 0;
}
