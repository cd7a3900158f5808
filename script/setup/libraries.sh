# shellcheck shell=bash
# liburing and llhttp. Debian 12 has liburing 2.3 and no llhttp; Debian 13's packages of both
# install on Debian 12. They are taken only if apt's simulation changes nothing but these libraries,
# and above all not libc.

missing_libraries() { missing_for_extension | grep -e '^liburing' -e '^libllhttp' || true; }

libraries_make() {
  local missing
  missing=$(missing_libraries)
  [ -n "$missing" ] || return 0
  open_log libraries
  # shellcheck disable=SC2086 # one word for each package
  libraries_from_newer $missing || libraries_from_own_suite $missing
  missing=$(missing_libraries)
  [ -z "$missing" ] || fail_with_log "could not install $(list "$missing")" \
    "$(for name in $missing; do
      printf '%s: %s; ' "$name" "$(meaning "$name")"
    done)install by hand, then run this again"
}

libraries_from_newer() {
  local plan
  if ! newer_suites_open; then
    say "Debian $NEWER_RELEASE cannot be reached through this machine's mirror (see $LOG)"
    return 1
  fi
  plan=$(newer_apt apt-get install -s --no-install-recommends "$@" 2>&1)
  printf '%s\n' "$plan" >>"$LOG"
  if ! touches_only_these "$plan"; then
    say "Debian $NEWER_RELEASE's $(list "$(printf '%s\n' "$@")") would replace more than itself" \
      "here, so it is not taken (see $LOG)"
    return 1
  fi
  say "installing $(printf '%s\n' "$plan" | awk '
    $1 == "Inst" { gsub(/[()]/, "", $3); printf "%s%s %s", n++ ? ", " : "", $2, $3 }
  ') of Debian $NEWER_RELEASE with apt (libc stays)"
  logged newer_apt_install "$@"
}

# touches_only_these PLAN: at least one package is installed, none but these two libraries', and
# nothing is removed.
touches_only_these() {
  printf '%s\n' "$1" | awk '
    $1 == "Inst" && $2 ~ /^(liburing(2|-dev)|libllhttp(-dev|[0-9.]+))$/ { good++; next }
    $1 == "Inst" || $1 == "Remv" { bad++ }
    END { exit !(good && !bad) }'
}

# The machine's own suite may have them (liburing 2.3 in Debian 12; both in newer ones).
libraries_from_own_suite() {
  say "installing $(list "$(printf '%s\n' "$@")") with apt, from the machine's own suite"
  for package in "$@"; do apt_install "$package" || true; done
}
