#!/usr/bin/env bash
# Instructions of a cached turn (the reference question, answered by rules), by source folder: instructions.sh BUILD
# A count, so that neither the machine's load nor the day changes it. Fails above the limit in instructions.mjs.
set -euo pipefail
build=$(readlink -f "${1:-build}")
here=$(dirname "$(readlink -f "$0")")
# A request for the metrics writes what was counted before it, and then what it cost itself: between two of them that is counts/out.3.
COUNTS=$build/counts
rm -rf "$COUNTS"
mkdir "$COUNTS"
cat >"$COUNTS/vesperd" <<END
#!/bin/sh
exec valgrind --quiet --tool=callgrind --dump-before=on_metrics --dump-after=on_metrics --callgrind-out-file="$COUNTS/out" "$build/vesperd" "\$@"
END
chmod +x "$COUNTS/vesperd"
export COUNTS
VESPER_TEST_PATIENCE=${VESPER_TEST_PATIENCE:-10} VESPERD=$COUNTS/vesperd VESPERCTL=$build/vesperctl node "$here/instructions.mjs"
