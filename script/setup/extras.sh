# shellcheck shell=bash
# Packages, and a group of gems, that some tests and one experiment need besides the bundle. They
# are big, so only root installs the packages; without them these tests are skipped. For each NAME
# there is a function missing_for_NAME, which prints names of Debian packages, one a line.

EXTRAS=(drivers lab server)

SERVICES_POLICY=/usr/sbin/policy-rc.d
SERVICES_DENIED=

# A file with the missing names on one line, empty when all are there. Only bin/setup itself tries
# again.
extra_stamp() { echo "$(bundle_dir)/.raffia-$1"; }

extra_ready() {
  [ -e "$(extra_stamp "$1")" ] &&
    { [ -z "${TOOLS_AGAIN:-}" ] || [ -z "$(cat "$(extra_stamp "$1")")" ]; }
}

# extra_make NAME USE: what it is for.
extra_make() {
  local missing started=$SECONDS
  open_log "$1-$RUBY_VERSION"
  extra_packages "$@"
  missing=$("missing_for_$1")
  say "installing the gems for $2, for Ruby $RUBY_VERSION: under a minute"
  bundle_install "$(bundle_dir)" BUNDLE_WITHOUT="$(other_extras "$1")" || missing="$missing gems"
  missing=$(list "$missing")
  echo "$missing" >"$(extra_stamp "$1")"
  if [ -z "$missing" ]; then
    say "ready for $2 in $((SECONDS - started)) s"
  else
    say "not found, so parts of $2 are skipped: $missing (see $LOG; as root: bin/setup --$1)"
  fi
}

# In Bundler's format.
other_extras() { printf "%s\n" "${EXTRAS[@]}" | grep -vx "$1" | paste -sd: -; }

# One by one: a machine that lacks one still gets the others.
extra_packages() {
  local missing package
  missing=$("missing_for_$1")
  if [ -z "$missing" ] || ! has apt-get || [ "$(id -u)" != 0 ]; then return 0; fi
  say "installing $(list "$missing") with apt, for $2: a minute or two; no service is started"
  services_deny
  for package in $missing; do apt_install "$package" || true; done
  services_allow
}

# Packages ask this file whether they may start what they bring. One that is there already is the
# administrator's word.
services_deny() {
  [ ! -e "$SERVICES_POLICY" ] || return 0
  SERVICES_DENIED=yes # removed by services_allow, also after Ctrl-C
  printf '#!/bin/sh\nexit 101\n' >"$SERVICES_POLICY" && chmod 755 "$SERVICES_POLICY"
}

services_allow() {
  [ -z "$SERVICES_DENIED" ] || rm -f "$SERVICES_POLICY"
  SERVICES_DENIED=
}
