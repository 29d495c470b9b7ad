#!/usr/bin/env bash
# Instructions and allocations of a cached turn (the reference question, answered by rules), by source folder or
# library: instructions.sh BUILD
# Counts, so that neither the machine's load nor the day changes them. Fails above the limits in instructions.mjs.
set -euo pipefail
build=$(readlink -f "${1:-build}")
here=$(dirname "$(readlink -f "$0")")
# A request for the metrics writes what was counted before it, and then what it cost itself: between two of them that is counts/out.3.
COUNTS=$build/counts
rm -rf "$COUNTS"
mkdir "$COUNTS"
cat >"$COUNTS/vesperd" <<END
#!/bin/sh
exec valgrind --quiet --tool=callgrind --separate-callers8=malloc --separate-callers8=calloc --separate-callers8=realloc \\
	--dump-before=on_metrics --dump-after=on_metrics --callgrind-out-file="$COUNTS/out" "$build/vesperd" "\$@"
END
chmod +x "$COUNTS/vesperd"
export COUNTS
VESPER_TEST_PATIENCE=${VESPER_TEST_PATIENCE:-10} VESPERD=$COUNTS/vesperd VESPERCTL=$build/vesperctl node "$here/instructions.mjs"
