# Functions to build with zig's compiler for another C library than the system's, to be sourced. ZIG names another
# zig than that of packaging/zig-requirements.txt.
#
# Everything is in build/zig/NAME: tools/ has the compilers as programs, libraries/ the libraries of libsched as
# archives, compiled from Debian's sources.
zig=${ZIG:-$(.venv/bin/python -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__))')/zig}

# zig_tools NAME TARGET: writes the compilers for a target of zig, if they are not there already, because a new file
# is a new compiler for ccache.
zig_tools() {
  local tools=build/zig/$1/tools version text name command
  version=$("$zig" version)
  mkdir -p "$tools"
  for name in zig-clang zig-clang++; do
    command=cc
    [ $name = zig-clang ] || command=c++
    text=$(printf '#!/bin/sh\n# zig %s\nexec %s %s -target %s "$@"\n' "$version" "$zig" "$command" "$2")
    if [ "$text" != "$(cat "$tools/$name" 2>/dev/null)" ]; then
      printf '%s\n' "$text" > "$tools/$name"
      chmod +x "$tools/$name"
    fi
  done
}

# manylinux MACHINE: sets what builds for an old glibc need (`glibc`, and the names `target` of build/zig and `preset` of
# CMake), and writes the compilers.
manylinux() {
  glibc=2.28
  case $1 in
    "$(uname -m)") target=manylinux preset=wheel ;;
    aarch64) target=manylinux_aarch64 preset=wheel-aarch64 ;;
    *) echo "a build for $1 on $(uname -m): there is none" >&2; return 1 ;;
  esac
  zig_tools "$target" "$1-linux-gnu.$glibc"
}

# gnu_tool MACHINE NAME: prints a program of GNU binutils that reads objects of a machine.
gnu_tool() {
  if [ "$1" = "$(uname -m)" ]; then echo "$2"; else echo "$1-linux-gnu-$2"; fi
}

# debian_name MACHINE: prints Debian's and Go's name of an architecture.
debian_name() {
  case $1 in
    x86_64) echo amd64 ;;
    aarch64) echo arm64 ;;
  esac
}

# zig_runtime NAME: prints the archives of LLVM's C++ library and unwinder, which zig makes when it links a program. A
# shared object makes it compile them for programs at any address.
zig_runtime() {
  local work
  work=$(mktemp -d)
  printf '#include <stdexcept>\nvoid f() { throw std::runtime_error(""); }\n' > "$work/f.cpp"
  "build/zig/$1/tools/zig-clang++" -v -O2 -fPIC -shared "$work/f.cpp" -o "$work/f.so" 2>&1 |
    sed -n 's/^ld\.lld .* -o [^ ]*f\.so //p' | tr ' ' '\n' | grep -E '/lib(c\+\+|c\+\+abi|unwind)\.a$'
  rm -r "$work"
}

# notices [FILE...]: prints the licences of all that is inside libsched's library, and of these, each under a line with
# its name.
notices() {
  local file
  echo "libsched is licensed under the Apache License 2.0. Its libraries contain code of the following projects."
  for file in build/sources/{zlib/LICENSE,libyaml/License,xz-utils/COPYING,libzstd/LICENSE,simdjson/LICENSE,re2/LICENSE} \
    "$(dirname "$zig")"/lib/{libcxx,libcxxabi,libunwind}/LICENSE.TXT "$@"; do
    printf '\n==== %s\n\n' "$(basename "$(dirname "${file/licenses\//}")")"
    cat "$file"
  done
}

# re2_tables: makes the tables of RE2, which Debian makes anew from its own Unicode data.
re2_tables() {
  local folder=build/sources/re2/re2 work
  [ ! -e "$folder/unicode_groups.cc" ] || return 0
  work=$(mktemp -d)
  (
    cd "$work"
    apt-get download -qq -o APT::Sandbox::User=root unicode-data python3-six  # RE2's scripts import six
    for package in ./*.deb; do dpkg-deb -x "$package" tree; done
  )
  local PYTHONPATH=$work/tree/usr/lib/python3/dist-packages
  export PYTHONPATH
  sed -i "s|^_UNICODE_DIR = .*|_UNICODE_DIR = \"$work/tree/usr/share/unicode\"|" "$folder/unicode.py"
  perl "$folder/make_perl_groups.pl" > "$folder/perl_groups.cc"
  python3 "$folder/make_unicode_casefold.py" > "$folder/unicode_casefold.cc"
  python3 "$folder/make_unicode_groups.py" > "$work/unicode_groups.cc"
  mv "$work/unicode_groups.cc" "$folder/"
  rm -rf "$work"
}

# zig_libraries NAME [CMAKE OPTION...]: compiles the libraries, once.
zig_libraries() {
  local name=$1 libraries=build/zig/$1/libraries made
  shift
  made=$({
    cat packaging/zig/tools.sh packaging/zig/dependencies/CMakeLists.txt
    ls build/sources
    echo "$@"
  } | sha256sum)
  [ "$made" != "$(cat "$libraries/done" 2>/dev/null)" ] || return 0
  rm -rf "$libraries"
  re2_tables
  cmake -G Ninja -S packaging/zig/dependencies -B "$libraries/build" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/${name}_toolchain.cmake" -DSOURCES="$PWD/build/sources" \
    -DCMAKE_C_COMPILER_LAUNCHER="$(command -v ccache)" -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache)" "$@" \
    > "$libraries.log" 2>&1 || { cat "$libraries.log" >&2; return 1; }
  cmake --build "$libraries/build" --parallel "${JOBS:-$(nproc)}" -- --quiet
  cmake --install "$libraries/build" --prefix "$libraries" > /dev/null
  # Headers alone, the same for every C library.
  if [[ " $* " = *" -DTESTS=ON "* ]]; then
    mkdir -p "$libraries/lib/cmake" "$libraries/share/cmake"
    cp -r /usr/include/doctest /usr/include/nlohmann "$libraries/include/"
    cp -r /usr/lib/cmake/doctest "$libraries/lib/cmake/"
    cp -r /usr/share/cmake/nlohmann_json "$libraries/share/cmake/"
  fi
  echo "$made" > "$libraries/done"
}
