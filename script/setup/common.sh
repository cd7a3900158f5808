# shellcheck shell=bash
# Functions of all steps of the set-up: paths, messages, failures. Sourced; works in bash 3.2.

RAFFIA_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
if [ -z "${XDG_CACHE_HOME:-}" ] && [ -z "${HOME:-}" ]; then
  echo "bin/setup: neither HOME nor XDG_CACHE_HOME is set, so there is no cache to build in: set" \
    "one of them" >&2
  exit 1
fi
RAFFIA_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/raffia

# A folder in the cache is trusted only when this file is in it; it is written last.
COMPLETE=.raffia-complete

say() { printf 'setup: %s\n' "$*" >&2; }

# fail WHAT-AND-WHY [WHAT-TO-DO...]: each argument is a line. Ends the (sub)shell.
fail() {
  printf 'setup: FAILED: %s\n' "$1" >&2
  shift
  for line in "$@"; do printf 'setup:   %s\n' "$line" >&2; done
  exit 1
}

# open_log NAME: the step's own log file; its last lines are shown if the step fails.
open_log() {
  mkdir -p "$RAFFIA_CACHE/log" ||
    fail "cannot write to $RAFFIA_CACHE" "make it writable, or set XDG_CACHE_HOME"
  LOG=$RAFFIA_CACHE/log/$1.log
  : >"$LOG"
}

# logged COMMAND...: its output goes to the log, and the lock (descriptor 9) is not handed down to
# it.
logged() {
  printf '\n$ %s\n' "$*" >>"$LOG"
  "$@" >>"$LOG" 2>&1 </dev/null 9>&-
}

# fail_with_log WHAT-AND-WHY [WHAT-TO-DO...]
fail_with_log() {
  printf 'setup: the last lines of %s:\n' "$LOG" >&2
  tail -n 15 "$LOG" | sed 's/^/    | /' >&2
  fail "$@" "the whole output is in $LOG"
}

has() { command -v "$1" >/dev/null 2>&1; }

# digest: of what comes in, as hex.
digest() {
  if has sha256sum; then sha256sum; else shasum -a 256; fi | cut -c1-16
}

# The count of jobs for make: one for each core, but none that would have less than about half a
# GiB.
jobs_for_make() {
  local cores memory
  cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
  memory=$(awk '/^MemAvailable:/ { print int($2 / 524288) }' /proc/meminfo 2>/dev/null || true)
  if [ -n "$memory" ] && [ "$memory" -lt "$cores" ]; then cores=$memory; fi
  if [ "$cores" -lt 1 ]; then cores=1; fi
  echo "$cores"
}

# One set-up at a time: two would build into the same folders. The kernel drops the lock when its
# holder ends, however it ends.
take_lock() {
  mkdir -p "$RAFFIA_CACHE" ||
    fail "cannot make $RAFFIA_CACHE" "make its parent writable, or set XDG_CACHE_HOME"
  if ! has flock; then return 0; fi
  exec 9>"$RAFFIA_CACHE/lock"
  if ! flock -n 9; then
    say "another set-up is at work; waiting for it"
    flock 9
  fi
}
