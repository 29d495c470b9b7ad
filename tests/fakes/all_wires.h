/* Every wire format that is a stream of items, for tests that apply to all of them. */
#ifndef ALL_WIRES_H
#define ALL_WIRES_H

#include "transcript.h"
#include "vesper/wire.h"

static const struct any_wire {
	const struct projection *projection;
	const char *heading; /* in recordings; NULL: recorded by another format */
} all_wires[] = {
	{&wire_chat, NULL},
	{&wire_sse, "events"},
	{&wire_transcript, "transcript"},
};
#define WIRE_COUNT (sizeof(all_wires) / sizeof(*all_wires))

#endif
