#!/bin/sh
# Install a wheel of bnviz on Debian, or in an image of Debian, for a user without rights:
#
#   sh deploy/install.sh dist/bnviz-VERSION-py3-none-any.whl
#
# It needs root, Python 3.11 or newer and its venv module (apt-get install python3-venv), and the pins
# in the folder above this one. The program goes to /opt/bnviz/VERSION, and the link /opt/bnviz/current
# points to it, so that older versions stay beside it. The user `bnviz` can write to /var/lib/bnviz only.
#
# TORCH_INDEX  address of PyTorch's package index for CPUs. https://pytorch.org/get-started shows it
#              after `--index-url` if you choose Linux, Pip, Python and CPU. Without it, pip takes
#              torch from its usual index; for Linux, x86-64, that brings 5 GB of CUDA packages.
set -eu

[ $# = 1 ] || { echo "usage: $0 WHEEL" >&2; exit 2; }
wheel=$1
deploy=$(dirname "$0")
version=$(basename "$wheel" | cut -d - -f 2)
new=/opt/bnviz/$version
# The same number in each image and on each machine, so that a volume keeps its owner.
id=10001

python3 -c 'import sys; sys.exit(sys.version_info < (3, 11) and "bnviz needs Python 3.11 or newer")'
if ! getent passwd bnviz >/dev/null; then
  groupadd --gid $id bnviz
  useradd --uid $id --gid bnviz --home-dir /var/lib/bnviz --no-create-home \
    --shell /usr/sbin/nologin bnviz
fi
install -d -o bnviz -g bnviz -m 750 /var/lib/bnviz

umask 022
python3 -m venv --clear "$new"
pip="$new/bin/python -m pip install --no-cache-dir --quiet --disable-pip-version-check"
# Every package is checked against its hash, except torch, whose build depends on the machine, and
# the wheel itself.
$pip --require-hashes -r "$deploy/../constraints.txt"
$pip ${TORCH_INDEX:+--extra-index-url "$TORCH_INDEX"} "$(grep '^torch==' "$deploy/../requirements.txt")"
$pip --no-deps "$wheel"
"$new/bin/python" -m pip check
install -m 755 "$deploy/start.sh" "$new/bin/bnviz-start"
install -m 755 "$deploy/health.py" "$new/bin/bnviz-health"
"$new/bin/bnviz" --version
# The link comes last, so that it never points to an incomplete version.
ln -sfn "$version" /opt/bnviz/current
