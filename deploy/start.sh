#!/bin/sh
# Serve bnviz to all who can reach this machine. The container and the systemd unit start this.
#
# PORT             port (8501)
# BNVIZ_STATE_DIR  the only folder that is written to (/var/lib/bnviz)
# Arguments are passed to `bnviz serve`: `--host 127.0.0.1`, say. health.py knows only PORT.
set -eu
BNVIZ_STATE_DIR=${BNVIZ_STATE_DIR:-/var/lib/bnviz}
export BNVIZ_STATE_DIR HOME="$BNVIZ_STATE_DIR" XDG_CACHE_HOME="$BNVIZ_STATE_DIR/cache"
exec "$(dirname "$0")/bnviz" serve --host 0.0.0.0 --port "${PORT:-8501}" "$@"
