# shellcheck shell=bash
# Needs of the lab's experiment with a slow database: a server, which the lab starts itself, and two
# drivers.

missing_for_lab() {
  has mariadbd || [ -x /usr/sbin/mariadbd ] || echo mariadb-server-core
  module libmariadb 3 || echo libmariadb-dev # mysql2
  module openssl 1.1.1 || echo libssl-dev    # trilogy
}

lab_ready() { extra_ready lab; }

lab_make() { extra_make lab "the lab's experiment blocking_db"; }

# lab_wanted ARGUMENTS: does this call of raffia run that experiment? The tour does.
lab_wanted() {
  [ "${1:-}" = lab ] || return 1
  case " $* " in
  *" -h "* | *" --help "* | *" list "* | *" new "* | *" compare "*) return 1 ;;
  *" run "*) case " $* " in *" blocking_db "*) return 0 ;; *) return 1 ;; esac ;;
  esac
}
