# shellcheck shell=bash
# Compiler, libraries and tools, which only root can install. The checks look for commands and
# pkg-config modules, so libraries that were built by hand count. Packages are installed by apt.

# module NAME MINIMUM: is the library there for a compiler to find, and new enough?
module() { pkg-config --atleast-version="$2" "$1" 2>/dev/null; }

# header NAME: for the libraries whose pkg-config file is not on every system.
header() { printf '#include <%s>\n' "$1" | cc -E -x c - >/dev/null 2>&1; }

# One name a line, Debian's, of what the extension and the gems cannot be built without.
missing_for_extension() {
  has cc && has make || echo build-essential
  has pkg-config || echo pkg-config
  if [ "$(uname -s)" = Linux ]; then module liburing 2.3 || echo liburing-dev; fi
  module libllhttp 9 || echo libllhttp-dev
  # Not of the extension, but the gems come over https.
  if has apt-get && [ ! -e /etc/ssl/certs/ca-certificates.crt ]; then echo ca-certificates; fi
}

# Packages that a build of Ruby needs.
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
  module libnghttp2 1.52 || echo libnghttp2-dev # HTTP/2 of the server
  has wrk || echo wrk                   # loads the servers of the lab's http experiments
  has ab || echo apache2-utils          # and that of blocking_db
  [ -e /usr/share/dictd/wn.dict.dz ] || echo dict-wn # text for wordcount
  has clang-format || echo clang-format # bin/test checks the C style with it
}

# missing_for [ruby]: without apt no Ruby can be built here, so it is the Ruby itself that is
# missing.
missing_for() {
  missing_for_extension
  if [ "$1" = ruby ]; then
    if has apt-get; then missing_for_ruby; else echo ruby; fi
  fi
}

packages_ready() { [ -z "$(missing_for_extension)" ]; }

tools_ready() {
  local missing
  missing=$(list "$(missing_tools)")
  # A failure is remembered: only bin/setup itself tries again, not each run of the other commands.
  [ -z "$missing" ] && return 0
  [ -z "${TOOLS_AGAIN:-}" ] && [ "$missing" = "$(cat "$RAFFIA_CACHE/tools-not-found" 2>/dev/null)" ]
}

# packages_make [ruby]: install what is missing; with "ruby", also what building a Ruby takes. All
# that is missing is named at once, so that nobody has to come back with the next item.
packages_make() {
  local missing
  missing=$(missing_for "${1:-}")
  [ -n "$missing" ] || return 0
  can_install || cannot_install "$missing"
  # The libraries have their own way; and whether they are there is only known once cc and
  # pkg-config are.
  install_all "$(printf '%s\n' "$missing" | grep -v -e '^liburing' -e '^libllhttp' || true)"
  libraries_make
  missing=$(missing_for "${1:-}")
  [ -z "$missing" ] || fail "still missing after the installation: $(list "$missing")" \
    "see the logs in $RAFFIA_CACHE/log"
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
    say "not found, and not needed to go on: $(list "$missing") (wrk, apache2-utils, dict-wn: for" \
      "experiments of the lab; clang-format: the check of the C style; libnghttp2-dev: HTTP/2)"
  fi
}

# --- apt ---

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

# cannot_install NAMES: says exactly what somebody else has to install, and fails.
cannot_install() {
  local why name for_ruby='' lines=()
  for name in $1; do
    if [ -n "$(meaning "$name")" ]; then
      lines+=("  $name: $(meaning "$name")")
    else
      for_ruby="$for_ruby $name"
    fi
  done
  if [ -n "$for_ruby" ]; then
    lines+=(" $for_ruby: to build Ruby with, unless a Ruby >= 3.3.5 with its headers is on PATH")
  fi
  if has apt-get; then
    why="only root can install them (and there is no sudo that works here)"
    lines+=("as root: $RAFFIA_ROOT/bin/setup --packages (it installs these and does nothing else)")
    lines+=("then run this again; the rest needs no root")
  else
    why="there is no apt here to install them with"
    lines+=(
      "install them by the means of your system (the names are Debian's), then run this again"
    )
  fi
  fail "these are missing, and $why:" "${lines[@]}"
}

meaning() {
  case $1 in
  build-essential) echo "a C compiler and make" ;;
  pkg-config) echo "pkg-config, or pkgconf" ;;
  ca-certificates) echo "the certificates that the gems' source is verified with" ;;
  liburing-dev) echo "liburing >= 2.3 with its headers" ;;
  libllhttp-dev)
    echo "llhttp >= 9 with its headers (Debian 13 has it; that libllhttp-dev and libllhttp9.2" \
      "install on Debian 12 too)"
    ;;
  ruby)
    echo "Ruby >= ${RUBY_SERIES:-3.3.5} with its headers and openssl, zlib, psych; on PATH, or" \
      "named by RAFFIA_RUBY"
    ;;
  esac
}

# apt_get ARGUMENTS...: on the machine's own configuration, always. Nothing but newer_apt_install
# may install with the temporary one, or a newer libc comes in with the first package.
apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
    -o Dpkg::Use-Pty=0 "$@"
}

# apt_install PACKAGES...: from the machine's own suites. Its lists may be absent or stale, so a
# failure is tried again after an update; what other sources of the machine answer to the update is
# not ours to judge.
apt_install() {
  logged apt_get install -y --no-install-recommends "$@" && return 0
  logged apt_get update || true
  logged apt_get install -y --no-install-recommends "$@"
}

# install_all "NAMES": nothing to do when empty.
install_all() {
  [ -n "$1" ] || return 0
  open_log packages
  say "installing $(list "$1") with apt"
  # shellcheck disable=SC2086 # one word for each package
  apt_install $1 || fail_with_log "apt could not install $(list "$1")" \
    "as root: apt-get update && apt-get install $(printf '%s' "$1" |
      tr '\n' ' '); then run this again"
}
