# shellcheck shell=bash
# Set-up for bin/setup, bin/raffia and bin/test: source this, then call raffia_setup or
# raffia_setup_ruby. They set RUBY, RUBY_VERSION, RUBY_HAS_YJIT and BUNDLE_HOME, and print to
# stderr, but nothing when nothing is missing.

# JRuby comes beside the Ruby that the set-up itself needs, not in its place.
JRUBY_ASKED=
case ${RAFFIA_RUBY:-} in
jruby | */jruby)
  JRUBY_ASKED=$RAFFIA_RUBY
  unset RAFFIA_RUBY
  ;;
esac

_setup=$(dirname "${BASH_SOURCE[0]}")
for _step in common packages newer_suites libraries ruby ruby_build bundle extension extras \
  drivers lab server java jruby; do
  # shellcheck source=/dev/null
  source "$_setup/$_step.sh"
done

everything_ready() {
  packages_ready && tools_ready && ruby_ready && bundle_ready && extension_ready
}

# Each step has a cheap check and a slow part; the slow parts run under the lock, in a shell of
# their own that cleans up after Ctrl-C. What they leave half done has no stamp, so the next run
# does it again.
raffia_setup() {
  if everything_ready; then return 0; fi
  (locked make_everything) || exit $?
  TOOLS_AGAIN=
  everything_ready || fail "something changed while it was set up" "run it again"
}

raffia_setup_ruby() {
  if ruby_ready; then return 0; fi
  (locked make_ruby) || exit $?
  ruby_ready || fail "something changed while it was set up" "run it again"
}

# After raffia_setup, for tests only. It says what could not be had, and goes on.
raffia_setup_drivers() {
  if drivers_ready; then return 0; fi
  (locked drivers_make) || exit $?
}

# Needs of the lab's experiment with a database. It says what is missing, and the lab skips that
# experiment.
raffia_setup_lab() {
  if lab_ready; then return 0; fi
  (locked lab_make) || exit $?
}

# Like raffia_setup_drivers.
raffia_setup_server() {
  if server_ready; then return 0; fi
  (locked server_make) || exit $?
}

# Set-up for RAFFIA_RUBY=jruby, in place of raffia_setup.
raffia_setup_jruby() {
  if ! jruby_ready; then
    (locked make_jruby) || exit $?
    jruby_ready || fail "something changed while it was set up" "run it again"
  fi
  # shellcheck disable=SC2153 # jruby.sh's
  RUBY=$JRUBY RUBY_HAS_YJIT=
}

# After raffia_setup, for the tests of it; as root only, since it is big. Not-0 when there is none.
raffia_setup_jruby_for_tests() {
  if jruby_ready; then return 0; fi
  if [ "$(id -u)" != 0 ]; then
    JRUBY_REASON="bin/setup --jruby gets it"
  else
    (locked jruby_try) || return 1
  fi
  jruby_ready
}

# The part of the set-up that needs root.
raffia_setup_packages() {
  (locked make_packages)
}

locked() {
  trap 'newer_suites_close; ruby_build_clear; services_allow' EXIT
  trap 'say "interrupted; what was half done is done again by the next run"; exit 130' INT
  trap 'exit 143' TERM HUP
  take_lock
  "$@"
}

# Checked again under the lock: whoever held it may have done the work.
make_ruby() {
  if ruby_ready || ruby_find; then return 0; fi
  packages_make ruby
  ruby_make
}

make_packages() {
  packages_make ruby
  tools_ready || tools_make
}

make_everything() {
  if ruby_ready || ruby_find; then
    packages_make
  else
    packages_make ruby
    ruby_make
  fi
  tools_ready || tools_make
  ruby_ready || fail "the choice of a Ruby could not be written to $RUBY_CHOICE"
  bundle_ready || bundle_make
  extension_ready || extension_make
}

make_jruby() {
  case $JRUBY_ASKED in
  */*)
    fail \
      "RAFFIA_RUBY names a JRuby that cannot be used: $JRUBY_ASKED is not there, or older than 10" \
      "name another, or say RAFFIA_RUBY=jruby"
    ;;
  esac
  make_ruby
  ruby_ready || fail "the choice of a Ruby could not be written to $RUBY_CHOICE"
  jruby_ready || jruby_make || fail "JRuby cannot be had: $JRUBY_REASON" \
    "install one by any means and put it on PATH as jruby"
}

# A failure is remembered: only bin/setup itself tries again, not each run of the other commands.
jruby_try() {
  [ ! -e "$(jruby_stamp)" ] || return 1
  jruby_make || { echo "$JRUBY_REASON" >"$(jruby_stamp)" && return 1; }
}

# Environment of commands in that Ruby: the bundle's gems first, then the Ruby's own. Under
# somebody's `bundle exec` they must not load that Bundler. JRuby has its own gems, and none of the
# bundle's.
raffia_environment() {
  if [ -n "$JRUBY_ASKED" ]; then
    unset GEM_HOME GEM_PATH RUBYOPT RUBYLIB
    return
  fi
  export GEM_HOME=$BUNDLE_HOME GEM_PATH=$BUNDLE_HOME:$RUBY_GEM_PATH
  case ${RUBYOPT:-} in *bundler*) unset RUBYOPT RUBYLIB BUNDLE_GEMFILE BUNDLE_BIN_PATH ;; esac
}
