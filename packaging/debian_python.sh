#!/usr/bin/env bash
# packaging/debian_python.sh CODENAME: prints a program that is the Python of a Debian release, with what building wheels
# needs, for packaging/wheel.sh. It runs in a root that debootstrap makes, with the checkout at its own place. Needs root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
codename=$1
root=$PWD/build/roots/$codename-python
packaging/root.sh "$codename" "$root" python3-dev python3-pip python3-wheel \
  python3-scikit-build-core pybind11-dev python3-pybind11 cmake ninja-build binutils >&2

# Debian has pyconfig.h in a folder that zig's compiler does not look into.
version=$(readlink "$root/usr/bin/python3")
machine=$(uname -m)-linux-gnu
mkdir -p "$root/usr/include/$version/$machine/$version"
ln -sf "/usr/include/$machine/$version/pyconfig.h" "$root/usr/include/$version/$machine/$version/pyconfig.h"

# The folders of the machine that a build uses: the checkout, .venv with zig, and that of temporary files.
shared=("$PWD" "$(realpath .venv)" "${TMPDIR:-/tmp}")
mkdir -p "${shared[@]/#/$root}"
cat > "$root/python" <<PYTHON
#!/bin/sh
# The Python of $codename.
exec unshare --mount --propagation private sh -c '
  here=\$PWD
  for folder in ${shared[*]} /proc /dev; do mount --rbind "\$folder" "$root\$folder"; done
  exec chroot "$root" env --chdir="\$here" PATH=/usr/bin:/bin HOME=/tmp LANG=C.UTF-8 /usr/bin/python3 "\$@"
' python "\$@"
PYTHON
chmod +x "$root/python"
echo "$root/python"
