/* Memory accounting of all frames in the process. Any thread. */
#ifndef VESPER_FRAME_INT_H
#define VESPER_FRAME_INT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "vesper/limits.h"

/* Returns false and reserves nothing when FRAMES_MEMORY_MAX would be exceeded. */
bool frames_reserve(int64_t bytes);
void frames_release(int64_t bytes);

#endif
