# shellcheck shell=bash
# What the tests of the server want around it: proxies in front of it, clients that load and that attack it, a browser, frameworks to
# serve. Big, and nothing but those tests needs it, so it is installed by root only, and whoever lacks it goes on without.

# One name a line, Debian's.
missing_for_server() {
  has nginx || [ -x /usr/sbin/nginx ] || echo nginx-light
  has haproxy || [ -x /usr/sbin/haproxy ] || echo haproxy
  has curl || echo curl
  has wrk || echo wrk
  has ab || echo apache2-utils
  has slowhttptest || echo slowhttptest
  has openssl || echo openssl
  has chromium || has google-chrome || echo chromium
}

# What could not be had, on one line; empty when all is there. It is asked for again only by bin/setup itself.
server_stamp() { echo "$(bundle_dir)/.raffia-server"; }

server_ready() {
  [ -e "$(server_stamp)" ] && { [ -z "${TOOLS_AGAIN:-}" ] || [ -z "$(cat "$(server_stamp)")" ]; }
}

server_make() {
  local missing started=$SECONDS
  open_log "server-$RUBY_VERSION"
  server_packages
  missing=$(missing_for_server)
  say "installing the gems that the server's tests serve, for Ruby $RUBY_VERSION: under a minute"
  bundle_install "$(bundle_dir)" BUNDLE_WITHOUT=drivers || missing="$missing gems"
  missing=$(list "$missing")
  echo "$missing" >"$(server_stamp)"
  if [ -z "$missing" ]; then
    say "ready for the tests of the server in $((SECONDS - started)) s"
  else
    say "not found, so there will be tests of the server that are skipped: $missing (see $LOG; as root: bin/setup --server)"
  fi
}

# One by one: a machine that lacks one still gets the others.
server_packages() {
  local missing package
  missing=$(missing_for_server)
  if [ -z "$missing" ] || ! has apt-get || [ "$(id -u)" != 0 ]; then return 0; fi
  say "installing $(list "$missing") with apt, for the tests of the server: a minute or two; no service is started"
  services_deny
  for package in $missing; do apt_install "$package" || true; done
  services_allow
}
