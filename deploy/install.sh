#!/bin/sh
# Install a wheel of bnviz on Debian, or in an image of Debian, for a user without rights:
#
#   sh deploy/install.sh dist/bnviz-VERSION-py3-none-any.whl
#
# It needs root, Python 3.11 or newer and its venv module (apt-get install python3-venv), and the pins
# in the folder above this one. The program goes to /opt/bnviz/VERSION, and the link /opt/bnviz/current
# points to it, so that older versions stay beside it. A version in use is never overwritten. The user
# `bnviz` can write to /var/lib/bnviz only.
#
# TORCH_BACKEND  build of PyTorch: `cpu` by default, or one for a GPU such as `cu130`. uv has a list of
#                them. With `pip`, pip takes the build of its usual index or of your own mirror; for
#                Linux, x86-64, the usual one brings 5 GB of CUDA packages.
set -eu

[ $# = 1 ] || { echo "usage: $0 WHEEL" >&2; exit 2; }
wheel=$1
deploy=$(dirname "$0")
version=$(basename "$wheel" | cut -d - -f 2)
new=/opt/bnviz/$version
# The same number in each image and on each machine, so that a volume keeps its owner.
id=10001

if [ "$(readlink /opt/bnviz/current)" = "$version" ]; then
  echo "$0: version $version is installed and in use. Stop the server, remove $new, and try again." >&2
  exit 1
fi
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11) and "bnviz needs Python 3.11 or newer")'
if ! getent passwd bnviz >/dev/null; then
  groupadd --gid $id bnviz
  useradd --uid $id --gid bnviz --home-dir /var/lib/bnviz --no-create-home \
    --shell /usr/sbin/nologin bnviz
fi
install -d -o bnviz -g bnviz -m 750 /var/lib/bnviz

umask 022
python3 -m venv --clear "$new"
pip="$new/bin/python -m pip --disable-pip-version-check --quiet"
# Every package is checked against its hash, also uv, but not torch, whose build depends on the
# machine, nor the wheel itself.
$pip install --no-cache-dir --require-hashes -r "$deploy/../constraints.txt"
torch=$(grep '^torch==' "$deploy/../requirements.txt")
if [ "${TORCH_BACKEND:=cpu}" = pip ]; then
  $pip install --no-cache-dir "$torch"
else
  awk '/^[^ #]/ { found = /^uv==/ } found' "$deploy/../requirements-dev.txt" >"$new/uv.txt"
  $pip install --no-cache-dir --require-hashes -r "$new/uv.txt"
  "$new/bin/uv" pip install --no-cache --quiet --python "$new/bin/python" \
    --torch-backend "$TORCH_BACKEND" "$torch"
  $pip uninstall --yes uv
fi
$pip install --no-cache-dir --no-deps "$wheel"
$pip check
install -m 755 "$deploy/start.sh" "$new/bin/bnviz-start"
install -m 755 "$deploy/health.py" "$new/bin/bnviz-health"
"$new/bin/bnviz" --version
# The link comes last, so that a failed upgrade leaves the old version in use.
ln -sfn "$version" /opt/bnviz/current
