# shellcheck shell=bash
# Needs of the tests of database drivers: servers, which the tests start themselves, and gems.

missing_for_drivers() {
  # Debian's core packages have the server without the service.
  has mariadbd || [ -x /usr/sbin/mariadbd ] || echo mariadb-server-core
  has postgres || compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || echo postgresql
  has pgbouncer || [ -x /usr/sbin/pgbouncer ] || echo pgbouncer
  has redis-server || echo redis-server
  has beanstalkd || [ -x /usr/sbin/beanstalkd ] || echo beanstalkd
  module libmariadb 3 || echo libmariadb-dev # mysql2
  module openssl 1.1.1 || echo libssl-dev    # trilogy
}

drivers_ready() { extra_ready drivers; }

drivers_make() { extra_make drivers "the tests of drivers"; }
