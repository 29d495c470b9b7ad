#!/bin/sh
# The daemon as an operator's default starts it: with a thousand descriptors, soft and hard.
ulimit -n 1024
exec "$VESPERD_ITSELF" "$@"
