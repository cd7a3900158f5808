# shellcheck shell=bash
# liburing and llhttp. Debian 12 has liburing 2.3 and no llhttp; Debian 13's packages of both install on Debian 12 as they are.
# They are taken only if apt's own simulation shows that nothing but these libraries would be touched, libc least of all.

missing_libraries() { missing_for_extension | grep -e '^liburing' -e '^libllhttp' || true; }

libraries_make() {
  local missing
  missing=$(missing_libraries)
  [ -n "$missing" ] || return 0
  has apt-get || fail "missing: $(list "$missing"), and there is no apt to install with" "$(how_to_get "$missing")"
  can_install || fail "missing: $(list "$missing"), and only root can install them (no sudo here)" "$(how_to_get "$missing")"
  open_log libraries
  # shellcheck disable=SC2086 # one word for each package
  libraries_from_newer $missing || libraries_from_own_suite $missing
  missing=$(missing_libraries)
  [ -z "$missing" ] || fail_with_log "could not install $(list "$missing")" "$(how_to_get "$missing")"
}

libraries_from_newer() {
  local plan
  newer_suites_open || return 1
  plan=$(newer_apt apt-get install -s --no-install-recommends "$@" 2>&1)
  printf '%s\n' "$plan" >>"$LOG"
  touches_only_these "$plan" || return 1
  say "installing $(printf '%s\n' "$plan" | awk '$1 == "Inst" { gsub(/[()]/, "", $3); printf "%s%s %s", n++ ? ", " : "", $2, $3 }') of Debian $NEWER_RELEASE with apt (libc stays)"
  logged apt_get -o APT::Default-Release= install -y --no-install-recommends "$@"
}

# touches_only_these PLAN: at least one package is installed, none but these two libraries', and nothing is removed.
touches_only_these() {
  printf '%s\n' "$1" | awk '
    $1 == "Inst" && $2 ~ /^(liburing(2|-dev)|libllhttp(-dev|[0-9.]+))$/ { good++; next }
    $1 == "Inst" || $1 == "Remv" { bad++ }
    END { exit !(good && !bad) }'
}

# The machine's own suite may have them (liburing 2.3 in Debian 12; both in newer ones).
libraries_from_own_suite() {
  NEWER_APT=
  say "installing $(list "$(printf '%s\n' "$@")") with apt, from the machine's own suite"
  for package in "$@"; do apt_install "$package" || true; done
}
