/* The OpenAPI document of this port, openapi.json of this folder, embedded in the program. A test
 * compares it with the route table, and each answer of a running daemon with it. */
#include "http_route.h"

/* Embedded with the assembler, because a compiler needs a long time for large arrays. */
__asm__(".section .rodata\n"
	"openapi_json: .incbin \"" OPENAPI_PATH "\"\n"
	"openapi_json_end: .byte 0\n"
	".previous");
extern const char openapi_json[], openapi_json_end[];

void on_get_openapi(struct request *r)
{
	reply_header(r, "Cache-Control", "no-cache");
	reply_constant(r, 200, "application/json", openapi_json,
		       (size_t)(openapi_json_end - openapi_json));
}
