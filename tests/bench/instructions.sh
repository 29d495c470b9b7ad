#!/usr/bin/env bash
# Instructions and allocations of a cached turn (the reference question, answered by rules), by source folder or
# library: instructions.sh BUILD
# These are counts, independent of the machine's load. Fails above the limits in instructions.mjs.
set -euo pipefail
build=$(readlink -f "${1:-build}")
here=$(dirname "$(readlink -f "$0")")
# Each request for the metrics writes two files: the counts before it, and its own. counts/out.3 is between two requests.
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
