#!/usr/bin/env bash
# The state diagram in README is the one that the program prints.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
diff <(sed -n '/^```mermaid$/,/^```$/p' README.md | sed '1d;$d') <("$1" --print-turn) ||
	{ echo "README's diagram is stale: put the output of 'vesperd --print-turn' between its \`\`\`mermaid fences" >&2; exit 1; }
echo "diagram: ok"
