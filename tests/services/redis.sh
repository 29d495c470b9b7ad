#!/usr/bin/env bash
# A private Redis for one test program: memory only, loopback only, ends with its owner.
#
#   redis.sh start OWNER_PID      prints "DIR PORT"
#   redis.sh pause|resume|kill|restart DIR
#   redis.sh stop DIR
#
# VESPER_TEST_REDIS_PASSWORD: its password; redis-cli reads it from REDISCLI_AUTH.
set -euo pipefail

command -v redis-server >/dev/null || { echo "redis.sh: Redis is not installed (apt-get install redis-server)" >&2; exit 1; }

free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

boot() {
	local dir=$1 port
	port=$(cat "$dir/port")
	redis-server --bind 127.0.0.1 --port "$port" --save '' --appendonly no --dir "$dir" --pidfile "$dir/pid" \
		--logfile "$dir/log" --requirepass "${VESPER_TEST_REDIS_PASSWORD:-}" --daemonize yes </dev/null >/dev/null 2>&1
	for _ in $(seq 100); do
		# Redis answers before it writes its pid file.
		redis-cli -h 127.0.0.1 -p "$port" ping >/dev/null 2>&1 && [[ -s "$dir/pid" ]] && return
		sleep 0.05
	done
	cat "$dir/log" >&2
	exit 1
}

start() {
	local owner=$1 dir
	dir=$(mktemp -d /tmp/vesper-redis.XXXXXX)
	free_port >"$dir/port"
	boot "$dir"
	setsid bash -c "
		while kill -0 $owner 2>/dev/null && [[ -d $dir ]]; do sleep 1; done
		[[ -d $dir ]] && '$0' stop $dir" </dev/null >/dev/null 2>&1 &
	echo "$dir $(cat "$dir/port")"
}

# Returns when the process has ended and its port is free.
end() {
	local pid
	pid=$(cat "$1/pid" 2>/dev/null || true)
	rm -f "$1/pid"
	[[ -n "$pid" ]] && kill -9 "$pid" 2>/dev/null || return 0
	for _ in $(seq 100); do
		kill -0 "$pid" 2>/dev/null || return 0
		sleep 0.02
	done
}

case "${1:-}" in
start) start "${2:?owner pid}" ;;
pause) kill -STOP "$(cat "$2/pid")" ;;
resume) kill -CONT "$(cat "$2/pid")" ;;
kill) end "$2" ;;
restart) boot "$2" ;;
stop)
	case "${2:?directory}" in /tmp/vesper-redis.*) ;; *) exit 1 ;; esac
	end "$2"
	rm -rf "$2"
	;;
*) sed -n '2,6p' "$0" >&2; exit 2 ;;
esac
