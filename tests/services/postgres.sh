#!/usr/bin/env bash
# A private PostgreSQL for one test program: own data directory, loopback only, ends with its owner.
#
#   postgres.sh start OWNER_PID [SAVED]
#                        prints "DIR PORT"; superuser "postgres", no password (trust)
#   postgres.sh save DIR SAVED   stops it and moves its data to the folder SAVED, for later starts
#   postgres.sh pause|resume|kill|restart DIR
#   postgres.sh stop DIR
#
# The server runs as the user postgres when the caller is root, since PostgreSQL refuses root. A watcher stops it when
# the owner has ended, so that a crashed test leaves nothing behind.
set -euo pipefail

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
[[ -n "$bin" ]] || { echo "postgres.sh: PostgreSQL is not installed (apt-get install postgresql)" >&2; exit 1; }

as_postgres() {
	if [[ $(id -u) == 0 ]]; then
		runuser -u postgres -- "$@"
	else
		"$@"
	fi
}

free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# The server outlives this script, so it must not keep the caller's pipes open.
boot() {
	as_postgres "$bin/pg_ctl" -D "$1/data" -l "$1/log" -w -t 30 -o "-c config_file=$1/data/postgresql.conf" start \
		</dev/null >/dev/null 2>&1 || { cat "$1/log" >&2; exit 1; }
}

init() {
	as_postgres "$bin/initdb" -D "$1/data" -U postgres --auth=trust --no-sync --encoding=UTF8 --locale=C.UTF-8 \
		>"$1.initdb" 2>&1 || { cat "$1.initdb" >&2; exit 1; }
	rm -f "$1.initdb"
	as_postgres tee -a "$1/data/postgresql.conf" >/dev/null <<-END
		listen_addresses = '127.0.0.1'
		fsync = off
		shared_buffers = 32MB
		max_connections = 120
		log_min_messages = warning
	END
}

start() {
	local owner=$1 saved=${2:-} dir port
	dir=$(mktemp -d /tmp/vesper-postgres.XXXXXX)
	port=$(free_port)
	[[ $(id -u) != 0 ]] || chown postgres: "$dir"
	if [[ -n "$saved" ]]; then
		cp -a "$saved/data" "$dir/data"
	else
		init "$dir"
	fi
	as_postgres tee -a "$dir/data/postgresql.conf" >/dev/null <<-END
		port = $port
		unix_socket_directories = '$dir'
	END
	boot "$dir"
	setsid bash -c "
		while kill -0 $owner 2>/dev/null && [[ -d $dir/data ]]; do sleep 1; done
		[[ -d $dir/data ]] && '$0' stop $dir" </dev/null >/dev/null 2>&1 &
	echo "$dir $port"
}

signal_all() {
	local postmaster
	postmaster=$(head -n 1 "$2/data/postmaster.pid")
	kill "-$1" "$postmaster" $(pgrep -P "$postmaster") 2>/dev/null || true
}

case "${1:-}" in
start) start "${2:?owner pid}" "${3:-}" ;;
save)
	as_postgres "$bin/pg_ctl" -D "${2:?directory}/data" -m fast -w stop >/dev/null
	mv "$2/data" "${3:?folder}/data"
	rm -rf "$2"
	;;
pause) signal_all STOP "$2" ;;
resume) signal_all CONT "$2" ;;
kill) as_postgres "$bin/pg_ctl" -D "$2/data" -m immediate stop >/dev/null 2>&1 || true ;;
restart) boot "$2" ;;
stop)
	case "${2:?directory}" in /tmp/vesper-postgres.*) ;; *) exit 1 ;; esac
	as_postgres "$bin/pg_ctl" -D "$2/data" -m immediate -w stop >/dev/null 2>&1 || true
	rm -rf "$2"
	;;
*) sed -n '2,8p' "$0" >&2; exit 2 ;;
esac
