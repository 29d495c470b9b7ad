#!/usr/bin/env bash
# Without a container engine: the files parse, every runtime library that the binary needs is named, and what is copied exists.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
fail() { printf 'docker: %s\n' "$*" >&2; exit 1; }

for path in $(sed -n 's/^COPY \([a-z]*\) \/usr\/share.*/\1/p' docker/Dockerfile); do
	[[ -d "$path" ]] || fail "Dockerfile copies $path, which does not exist"
done
grep -q '^USER vesper$' docker/Dockerfile || fail "the image must not run as root"
grep -q 'odbc-postgresql' docker/Dockerfile || fail "the image lacks the driver that compose.yaml names"
grep -q 'probe' src/ctl/vesperctl.c || fail "the health check uses vesperctl probe"

# Each shared library of the built daemon belongs to a package that the image installs, or to its base system.
if [[ -x build-test/vesperd ]]; then
	grep -q '[ ]tzdata' docker/Dockerfile || fail "the image lacks tzdata: no zone but UTC would be known"
	image_packages=$(sed -n '/^FROM debian:12-slim AS vesper$/,/useradd/p' docker/Dockerfile | tr -s ' \\' '\n')
	for library in jansson uv microhttpd websockets curl odbc pcre2 crypto hiredis sqlite3; do
		readelf -d build-test/vesperd | grep -q "NEEDED.*lib$library" || continue
		case "$library" in
		odbc) package=unixodbc ;;
		crypto) package=libssl3 ;;
		pcre2) package=libpcre2-8-0 ;;
		*) package=lib$library ;;
		esac
		grep -q "^$package" <<<"$image_packages" || fail "the image lacks a package for lib$library"
	done
fi
python3 - <<'PY'
import re, sys
text = open("docker/compose.yaml").read()
services = re.findall(r"^  ([a-z]+):$", text, re.M)
missing = {"vesperd", "install", "database", "redis"} - set(services)
if missing:
    sys.exit(f"docker: compose.yaml lacks {missing}")
if "\t" in text:
    sys.exit("docker: a tab in compose.yaml")
PY
echo "docker: ok"
