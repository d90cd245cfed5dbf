#!/usr/bin/env bash
# bindings/swig/build_java.sh OUT: makes OUT/libsched.jar and OUT/libsched_java.so.
#
# It needs swig, a JDK and g++. It uses the library of this checkout (build/release) or, with
# PKG_CONFIG=1, the installed library. Run programs with
#   java -cp OUT/libsched.jar:. -Djava.library.path=OUT Program
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
out=$(mkdir -p "${1:?usage: build_java.sh OUT}" && cd "$1" && pwd)
jdk=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")

if [ -n "${PKG_CONFIG:-}" ]; then
  read -ra flags <<< "$(pkg-config --cflags --libs libsched)"
  include=$(pkg-config --variable=includedir libsched)
else
  lib=$(cd "$root/build/release/lib" && pwd)
  include=$root/capi/include
  flags=(-I"$include" -L"$lib" -lsched -Wl,-rpath,"$lib")
fi
mkdir -p "$out/java/libsched" "$out/classes"
swig -c++ -java -package libsched -module Sched -Werror -w451 -I"$include" -I"$here" \
  -outdir "$out/java/libsched" -o "$out/sched_wrap.cpp" "$here/libsched.i"
cp "$here/SchedException.java" "$here/PluginMethods.java" "$out/java/libsched/"
java "$here/AddMethods.java" "$out/java/libsched"
# SWIG's wrappers read pointers as another type, which strict aliasing forbids.
g++ -std=c++20 -O1 -fPIC -shared -fno-strict-aliasing -I"$here" -I"$jdk/include" \
  -I"$jdk/include/linux" "$out/sched_wrap.cpp" -o "$out/libsched_java.so" "${flags[@]}"
javac -nowarn -d "$out/classes" "$out"/java/libsched/*.java
jar --create --file "$out/libsched.jar" -C "$out/classes" .
