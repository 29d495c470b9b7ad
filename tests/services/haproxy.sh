#!/usr/bin/env bash
# A private HAProxy for some daemons: round robin, no stickiness, loopback only, ends with its owner.
#
#   haproxy.sh start OWNER_PID PORT...     prints "DIR PORT" for daemons at these ports
#   haproxy.sh stop DIR
set -euo pipefail

command -v haproxy >/dev/null || { echo "haproxy.sh: HAProxy is not installed (apt-get install haproxy)" >&2; exit 1; }
here=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)

free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

start() {
	local owner=$1 dir port n=0
	shift
	dir=$(mktemp -d /tmp/vesper-haproxy.XXXXXX)
	port=${VESPER_TEST_HAPROXY_PORT:-$(free_port)}
	# The shipped configuration, with local addresses.
	sed -e "s/bind \*:8080/bind 127.0.0.1:$port/" -e '/^[[:space:]]*server /d' -e '/^resolvers/,/^$/d' \
		"$here/docker/haproxy.cfg" >"$dir/haproxy.cfg"
	for daemon in "$@"; do
		n=$((n + 1))
		echo "    server r$n 127.0.0.1:$daemon check" >>"$dir/haproxy.cfg"
	done
	haproxy -D -f "$dir/haproxy.cfg" -p "$dir/pid" >"$dir/log" 2>&1 </dev/null || { cat "$dir/log" >&2; exit 1; }
	setsid bash -c "
		while kill -0 $owner 2>/dev/null && [[ -d $dir ]]; do sleep 1; done
		[[ -d $dir ]] && '$0' stop $dir" </dev/null >/dev/null 2>&1 &
	echo "$dir $port"
}

case "${1:-}" in
start) shift; start "$@" ;;
stop)
	case "${2:?directory}" in /tmp/vesper-haproxy.*) ;; *) exit 1 ;; esac
	[[ -f "$2/pid" ]] && kill -9 "$(cat "$2/pid")" 2>/dev/null || true
	rm -rf "$2"
	;;
*) sed -n '2,5p' "$0" >&2; exit 2 ;;
esac
