#!/usr/bin/env bash
# packaging/share.sh PYTHON PACKAGES SHARE: writes the manual pages of the command line and its completion for bash, zsh
# and fish into SHARE, as /usr/share has them.
#
# PACKAGES is the folder that has the package libsched, for PYTHON. The pages are dated by SOURCE_DATE_EPOCH, the last
# commit, or today.
set -euo pipefail
python=$1 share=$3
PYTHONPATH=$(realpath "$2")
export PYTHONPATH PYTHONDONTWRITEBYTECODE=1
here=$(dirname "${BASH_SOURCE[0]}")

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct 2>/dev/null || date +%s)} \
  "$python" "$here/manual.py" "$share/man/man1"
mkdir -p "$share"/bash-completion/completions "$share"/zsh/site-functions "$share"/fish/vendor_completions.d
# -S: without the commands of packages that happen to be installed here.
"$python" -S -m libsched completion bash > "$share/bash-completion/completions/libsched"
"$python" -S -m libsched completion zsh > "$share/zsh/site-functions/_libsched"
"$python" -S -m libsched completion fish > "$share/fish/vendor_completions.d/libsched.fish"
