#!/usr/bin/env bash
# packaging/build.sh PRESET [TARGET...]: builds, after configuring if necessary.
#
# On a terminal ninja shows its progress; elsewhere a line tells it each half minute, beside warnings and errors.
# JOBS sets the number of compilers (default: one per core, but one per 1.5 GB of memory at most).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=$1
shift

memory_kb=$(awk '/MemAvailable/ {print $2}' /proc/meminfo)
cores=$(nproc)
fitting=$((memory_kb / 1500000))
jobs=${JOBS:-$((fitting < 1 ? 1 : fitting < cores ? fitting : cores))}

if [ ! -f "build/$preset/build.ninja" ]; then
  mkdir -p "build/$preset"
  if ! cmake --preset "$preset" > "build/$preset/configure.log" 2>&1; then
    cat "build/$preset/configure.log" >&2
    # A half-made configuration would be mistaken for a good one next time.
    rm -f "build/$preset/CMakeCache.txt" "build/$preset/build.ninja"
    exit 1
  fi
fi
# Passes on what ninja prints but its lines of progress, of which one is printed each half minute.
rarely() {
  local line last=0
  while IFS= read -r line; do
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\  ]]; then
      if ((SECONDS - last >= 30)); then
        last=$SECONDS
        echo "build: step ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]} after $SECONDS s" >&2
      fi
    elif [[ $line != "ninja: no work to do." && $line != "-- "* ]]; then  # nor what CMake says when files came or went
      printf '%s\n' "$line"
    fi
  done
}

# Only one build of a folder may run at a time.
run=(flock "build/$preset.lock" cmake --build --preset "$preset" --parallel "$jobs" ${1:+--target "$@"})
if [ -t 1 ]; then exec "${run[@]}"; fi
"${run[@]}" | rarely
