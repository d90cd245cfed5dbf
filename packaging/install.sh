#!/usr/bin/env bash
# packaging/install.sh [--uninstall]: what `make install` and `make uninstall` do.
#
#   PREFIX    where it goes (default: /usr/local); everything can be moved together later
#   DESTDIR   a folder that stands for / meanwhile, for packagers
#   PYTHON    the interpreter of the command line (default: the system's of .venv's version, or .venv's own);
#             "no" leaves the command line out
#
# Everything is built and put together in build/install/tree first, so a failure installs nothing. The list of all
# files and of the folders made for them is PREFIX/lib/libsched/install_manifest.txt. The Python package has a folder
# of its own and uses the installed libraries; the system's Python is left as it is.
set -euo pipefail
export PATH=$PATH:/usr/sbin:/sbin  # ldconfig
umask 022
prefix=${PREFIX:-/usr/local}
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
prefix=${prefix%/}
[ -n "$prefix" ] || { echo "install: PREFIX is /, which is no place for a tree of its own" >&2; exit 1; }
destdir=${DESTDIR:-}
target=$destdir$prefix
unset DESTDIR PREFIX PYTHONPATH  # CMake would heed them, also inside of pip
cd "$(dirname "${BASH_SOURCE[0]}")/.."
manifest=lib/libsched/install_manifest.txt
tree=$PWD/build/install/tree
package=lib/libsched/python

say() { printf 'install: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# Prints why there can be no command line; nothing if it can be.
without_python() {
  if [ "${PYTHON:-}" = no ]; then
    echo "PYTHON=no"
  elif ! .venv/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "there is no Python 3.11 or newer"
  elif ! .venv/bin/python -c 'import os, sysconfig; open(os.path.join(sysconfig.get_paths()["include"], "Python.h"))' \
    2>/dev/null; then
    echo "Python has no headers (Debian: python3-dev)"
  fi
}

# Prints the interpreter that the scripts name. A user's own is the last choice: others may not be able to read it.
interpreter() {
  local version found
  version=$(.venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  for found in ${PYTHON:-"/usr/bin/python$version" "/usr/local/bin/python$version" \
    "$(.venv/bin/python -c 'import os, sys; print(os.path.realpath(sys.executable))')"}; do
    if [ "$("$found" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)" = "$version" ]; then
      type -P "$found"
      return
    fi
  done
  die "$found is no Python $version, for which the command line is built"
}

# script NAME MODULE PYTHON: a program that finds the package beside itself, wherever both are.
script() {
  cat > "$tree/bin/$1" <<SCRIPT
#!$3
import os
import sys

# In the place of this script's folder, which holds no modules.
sys.path[0] = os.path.join(os.path.dirname(os.path.realpath(__file__)), os.pardir, "lib", "libsched", "python")
from $2 import main

sys.exit(main())
SCRIPT
  chmod 755 "$tree/bin/$1"
}

stage_library() {
  local targets=(libsched libsched_net)
  if grep -qs '^LIBSCHED_STATIC:BOOL=ON$' build/release/CMakeCache.txt; then targets+=(libsched_static); fi
  packaging/build.sh release "${targets[@]}"
  rm -rf build/install
  mkdir -p "$tree"
  cmake --install build/release --prefix "$tree" > build/install/cmake.log
}

stage_command_line() {
  local python library from
  python=$(interpreter)
  packaging/install_python.sh
  from=$(.venv/bin/python -I -c 'import os, libsched; print(os.path.dirname(libsched.__file__))')
  mkdir -p "$tree/$package" "$tree/bin"
  cp -r "$from" "$tree/$package/libsched"
  find "$tree/$package" -name __pycache__ -prune -exec rm -rf {} +
  for library in "$tree/$package"/libsched/libsched*.so.*; do
    ln -sf "../../../$(basename "$library")" "$library"
  done
  mkdir "$tree/$package/$(basename "$from"-*.dist-info)"
  cp "$from"-*.dist-info/METADATA "$tree/$package/$(basename "$from"-*.dist-info)/"
  script libsched libsched.cli "$python"
  script kubectl-libsched libsched.cli.kubectl "$python"
  script kubectl_complete-libsched libsched.cli.kubectl_completion "$python"

  packaging/share.sh .venv/bin/python "$tree/$package" "$tree/share"
  # Compiled now, so that root's first run writes nothing that the manifest does not know.
  .venv/bin/python -m compileall -q --invalidation-mode unchecked-hash -s "$tree" -p "$prefix" "$tree/$package"
}

# Prints the folders, relative to the prefix, that an installation of the listed files makes; "." is the prefix.
new_folders() {
  local folder
  sed 's|/[^/]*$||' "$1" | sort -u | while read -r folder; do
    while [ "$folder" != . ]; do echo "$folder"; folder=$(dirname "$folder"); done
  done | cat - <(echo .) | sort -u | while read -r folder; do
    [ -d "$target/$folder" ] || echo "$folder/"
  done
}

# Removes the listed files, and then the listed folders ("name/") that are empty.
remove() {
  local path
  grep -v '/$' "$1" | while read -r path; do rm -f "$target/$path"; done || true
  grep '/$' "$1" | LC_ALL=C sort -r | while read -r path; do
    rmdir "$target/${path#./}" 2>/dev/null || true
  done || true
}

copy_to_target() {
  local lists=$PWD/build/install
  (cd "$tree" && find . '(' -type f -o -type l ')' | sed 's|^\./||' | LC_ALL=C sort) > "$lists/files"
  { cat "$lists/files"; echo "$manifest"; } > "$lists/all"
  : > "$lists/before"
  [ ! -f "$target/$manifest" ] || cp "$target/$manifest" "$lists/before"
  { new_folders "$lists/all"; grep '/$' "$lists/before" || true; } | LC_ALL=C sort -u > "$lists/folders"
  mkdir -p "$target"
  # Without folders, so that those that are there keep their owners, modes and links.
  tar -C "$tree" -cf - --no-recursion -T "$lists/files" | tar -C "$target" -xf - --no-same-owner
  grep -vxF -f "$lists/all" "$lists/before" > "$lists/gone" || true
  remove "$lists/gone"
  mkdir -p "$(dirname "$target/$manifest")"
  cat "$lists/all" "$lists/folders" > "$target/$manifest"
}

# Prints what to set or run before all of it can be used.
advice() {
  local lib=$prefix/lib
  if ldconfig -v -N -X 2>/dev/null | grep "^$lib:" >/dev/null; then
    ldconfig -p | grep -F "=> $lib/$(readlink "$tree/lib/libsched.so")" >/dev/null ||
      say "run as root, so that programs find the library: ldconfig"
  else
    say "programs find the library if they are linked with -Wl,-rpath,$lib, or with: export LD_LIBRARY_PATH=$lib"
  fi
  if command -v pkg-config >/dev/null &&
    [[ ":$(pkg-config --variable=pc_path pkg-config):${PKG_CONFIG_PATH:-}:" != *":$lib/pkgconfig:"* ]]; then
    say "for pkg-config and Go: export PKG_CONFIG_PATH=$lib/pkgconfig"
  fi
  [ -e "$tree/bin/libsched" ] || return 0
  [[ ":$PATH:" == *":$prefix/bin:"* ]] || say "for the command line: export PATH=$prefix/bin:\$PATH"
  say "for Python $(.venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])'):" \
    "export PYTHONPATH=$prefix/$package"
}

case ${1:-} in
  --uninstall)
    [ -f "$target/$manifest" ] || die "there is no $target/$manifest, so nothing is removed"
    list=$(mktemp)
    trap 'rm -f "$list"' EXIT
    cp "$target/$manifest" "$list"
    ! grep -qE '^/|(^|/)\.\.(/|$)' "$list" || die "$target/$manifest names files outside of $target"
    remove "$list"
    say "removed from $target"
    ;;
  "")
    stage_library
    why=$(without_python)
    if [ -z "$why" ]; then stage_command_line; fi
    copy_to_target
    say "libsched is in $target; make uninstall PREFIX=$prefix${destdir:+ DESTDIR=$destdir} removes it"
    [ -z "$why" ] || say "the command line is left out: $why"
    [ -n "$destdir" ] || advice
    ;;
  *) die "unknown argument '$1' (only --uninstall)" ;;
esac
