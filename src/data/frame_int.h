/* The memory of all frames of the process. Any thread. */
#ifndef VESPER_FRAME_INT_H
#define VESPER_FRAME_INT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "vesper/limits.h"

/* False, and nothing is taken: FRAMES_MEMORY_MAX are in use. */
bool frames_take(int64_t bytes);
void frames_give_back(int64_t bytes);

#endif
