#!/usr/bin/env bash
# The data layer's figures on a private PostgreSQL: tests/bench/db.sh [build directory]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
ninja -C "${1:-build}" --quiet bench_db
read -r dir port < <(tests/services/postgres.sh start $$)
"${1:-build}/bench_db" "$dir" "$port"
tests/services/postgres.sh stop "$dir"
