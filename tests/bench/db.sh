#!/usr/bin/env bash
# Measures the data layer on a private PostgreSQL: tests/bench/db.sh [build directory]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
ninja -C "${1:-build}" --quiet bench_db
read -r dir port < <(tests/services/postgres.sh start $$)
psql -h 127.0.0.1 -p "$port" -U postgres -q -c "CREATE ROLE bench LOGIN" -c "GRANT CREATE ON SCHEMA public TO bench"
"${1:-build}/bench_db" "$port"
tests/services/postgres.sh stop "$dir"
