#!/bin/sh
# Starts the daemon with a common default limit of 1024 descriptors, soft and hard.
ulimit -n 1024
exec "$VESPERD_ITSELF" "$@"
