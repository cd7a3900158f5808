# shellcheck shell=bash
# What only root can install: compiler, libraries, tools. Asked by what is there (a command, a pkg-config module), so that
# libraries that somebody built by hand count; installed through apt where there is apt.

# module NAME MINIMUM: is the library there for a compiler to find, and new enough?
module() { pkg-config --atleast-version="$2" "$1" 2>/dev/null; }

# header NAME: for the libraries whose pkg-config file is not on every system.
header() { printf '#include <%s>\n' "$1" | cc -E -x c - >/dev/null 2>&1; }

# One name a line, Debian's, of what the extension cannot be built without.
missing_for_extension() {
  has cc && has make || echo build-essential
  has pkg-config || echo pkg-config
  if [ "$(uname -s)" = Linux ]; then module liburing 2.3 || echo liburing-dev; fi
  module libllhttp 9 || echo libllhttp-dev
}

# What Ruby cannot be built without; asked only when one has to be built.
missing_for_ruby() {
  has dpkg-source || echo dpkg-dev
  has xz || echo xz-utils
  module openssl 1.1.1 || echo libssl-dev
  module zlib 1.2 || echo zlib1g-dev
  module yaml-0.1 0.2 || echo libyaml-dev
  module libffi 3.2 || echo libffi-dev
  # Optional for Ruby itself, but big Integers (the lab's sums) are much slower without it.
  header gmp.h || echo libgmp-dev
}

# Wanted, but nothing of the runtime depends on them.
missing_tools() {
  has wrk || echo wrk                   # loads the server of the lab's http experiment
  has clang-format || echo clang-format # bin/test checks the C style with it
}

packages_ready() { [ -z "$(missing_for_extension)" ]; }

tools_ready() {
  local missing
  missing=$(list "$(missing_tools)")
  # What could not be had once is asked for again only by bin/setup itself, not by each run of the other commands.
  [ -z "$missing" ] && return 0
  [ -z "${TOOLS_AGAIN:-}" ] && [ "$missing" = "$(cat "$RAFFIA_CACHE/tools-not-found" 2>/dev/null)" ]
}

# packages_make [ruby]: install what is missing; with "ruby", also what building a Ruby takes.
packages_make() {
  local missing
  missing=$(missing_for_extension)
  # One list at a time through apt, in an order that lets the later checks work: they need cc and pkg-config.
  install_all "$(printf '%s\n' "$missing" | grep -v -e '^liburing' -e '^libllhttp' || true)"
  if [ "${1:-}" = ruby ]; then install_all "$(missing_for_ruby)"; fi
  libraries_make
  missing=$(missing_for_extension)
  [ -z "$missing" ] || fail "still missing after the installation: $(list "$missing")" "$(how_to_get "$missing")"
}

tools_make() {
  local missing
  missing=$(missing_tools)
  if [ -n "$missing" ] && can_install; then
    open_log tools
    say "installing $(list "$missing") with apt"
    # One by one: a machine that lacks one still gets the other.
    for package in $missing; do apt_install "$package" || true; done
    missing=$(missing_tools)
  fi
  mkdir -p "$RAFFIA_CACHE"
  list "$missing" >"$RAFFIA_CACHE/tools-not-found"
  if [ -n "$missing" ]; then
    say "not found, and not needed to go on: $(list "$missing") (wrk: the lab's http experiment; clang-format: the check of the C style)"
  fi
}

# --- apt ---------------------------------------------------------------------------------------------------------------

list() { printf '%s' "$1" | tr '\n' ' ' | sed 's/ *$//; s/ /, /g'; }

# The command that becomes root, as words; nothing when we are root.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif [ -t 2 ]; then
    sudo "$@" # asks for the password on the terminal itself
  else
    sudo -n "$@"
  fi
}

can_install() {
  has apt-get || return 1
  [ "$(id -u)" = 0 ] && return 0
  has sudo && { [ -t 2 ] || sudo -n true 2>/dev/null; }
}

how_to_get() {
  if has apt-get; then
    printf 'as root: apt-get install %s; then run this again' "$(printf '%s' "$1" | tr '\n' ' ' | sed 's/ *$//')"
  else
    printf 'install, by the means of your system, what Debian calls: %s; then run this again' "$(list "$1")"
  fi
  case $1 in *liburing*) printf ' (liburing >= 2.3, with headers)' ;; esac
  case $1 in *llhttp*) printf ' (llhttp >= 9, with headers; Debian 13 has it, and its package installs on Debian 12)' ;; esac
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive ${NEWER_APT:+APT_CONFIG="$NEWER_APT/apt.conf"} \
    apt-get -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@"
}

# apt_install PACKAGES...: from the machine's own suites. Its lists may be absent or stale, so a failure is tried again after an
# update; what other sources of the machine answer to the update is not ours to judge.
apt_install() {
  logged apt_get install -y --no-install-recommends "$@" && return 0
  logged apt_get update || true
  logged apt_get install -y --no-install-recommends "$@"
}

# install_all "NAMES": nothing to do when empty.
install_all() {
  [ -n "$1" ] || return 0
  has apt-get || fail "missing: $(list "$1"), and there is no apt to install with" "$(how_to_get "$1")"
  can_install || fail "missing: $(list "$1"), and only root can install them (no sudo here)" "$(how_to_get "$1")"
  open_log packages
  say "installing $(list "$1") with apt"
  # shellcheck disable=SC2086 # one word for each package
  apt_install $1 || fail_with_log "apt could not install $(list "$1")" "$(how_to_get "$1")"
}
