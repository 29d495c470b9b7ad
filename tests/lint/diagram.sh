#!/usr/bin/env bash
# The state diagram in docs/architecture.md is the one that the program prints.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
diff <(sed -n '/^```mermaid$/,/^```$/p' docs/architecture.md | sed '1d;$d') <("$1" --print-turn) ||
	{ echo "the diagram of docs/architecture.md is stale: replace it with the output of 'vesperd --print-turn'" >&2; exit 1; }
echo "diagram: ok"
