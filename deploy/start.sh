#!/bin/sh
# Serve bnviz to all who can reach this machine. The container and the systemd unit start this.
#
# PORT             port (8501)
# BNVIZ_STATE_DIR  folder of the saved state (/var/lib/bnviz); if empty, nothing is saved
# Arguments are passed to `bnviz serve`: `--host 127.0.0.1`, say. health.py knows only PORT.
set -eu
BNVIZ_STATE_DIR=${BNVIZ_STATE_DIR-/var/lib/bnviz}
HOME=${BNVIZ_STATE_DIR:-/var/lib/bnviz}
export BNVIZ_STATE_DIR HOME XDG_CACHE_HOME="$HOME/cache"
exec "$(dirname "$0")/bnviz" serve --host 0.0.0.0 --port "${PORT:-8501}" "$@"
