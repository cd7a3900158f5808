# shellcheck shell=bash
# What the tests of database drivers want: real servers, which those tests start themselves, and the gems. Big, and nothing but those
# tests needs it, so it is installed by root only, and whoever lacks it goes on without.

SERVICES_POLICY=/usr/sbin/policy-rc.d
SERVICES_DENIED=

# One name a line, Debian's.
missing_for_drivers() {
  # Debian's core packages have the server without the service.
  has mariadbd || [ -x /usr/sbin/mariadbd ] || echo mariadb-server-core
  has postgres || compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || echo postgresql
  has redis-server || echo redis-server
  module libmariadb 3 || echo libmariadb-dev # mysql2
  module openssl 1.1.1 || echo libssl-dev    # trilogy
}

# What could not be had, on one line; empty when all is there. It is asked for again only by bin/setup itself.
drivers_stamp() { echo "$(bundle_dir)/.raffia-drivers"; }

drivers_ready() {
  [ -e "$(drivers_stamp)" ] && { [ -z "${TOOLS_AGAIN:-}" ] || [ -z "$(cat "$(drivers_stamp)")" ]; }
}

drivers_make() {
  local missing started=$SECONDS
  open_log "drivers-$RUBY_VERSION"
  drivers_packages
  missing=$(missing_for_drivers)
  say "installing the gems of the drivers for Ruby $RUBY_VERSION"
  bundle_install "$(bundle_dir)" BUNDLE_WITHOUT=server || missing="$missing gems"
  missing=$(list "$missing")
  echo "$missing" >"$(drivers_stamp)"
  if [ -z "$missing" ]; then
    say "ready for the tests of drivers in $((SECONDS - started)) s"
  else
    say "not found, so there will be tests of drivers that are skipped: $missing (see $LOG; as root: bin/setup --drivers)"
  fi
}

drivers_packages() {
  local missing
  missing=$(missing_for_drivers)
  if [ -z "$missing" ] || ! has apt-get || [ "$(id -u)" != 0 ]; then return 0; fi
  say "installing $(list "$missing") with apt, for the tests of drivers; no service is started"
  services_deny
  # shellcheck disable=SC2086 # one word for each package
  apt_install $missing || true
  services_allow
}

# Packages ask this file whether they may start what they bring. One that is there already is the administrator's word.
services_deny() {
  [ ! -e "$SERVICES_POLICY" ] || return 0
  SERVICES_DENIED=yes # removed by services_allow, also after Ctrl-C
  printf '#!/bin/sh\nexit 101\n' >"$SERVICES_POLICY" && chmod 755 "$SERVICES_POLICY"
}

services_allow() {
  [ -z "$SERVICES_DENIED" ] || rm -f "$SERVICES_POLICY"
  SERVICES_DENIED=
}
