# shellcheck shell=bash
# The set-up as bin/setup, bin/raffia and bin/test use it: source this, then call raffia_setup or raffia_setup_ruby.
# After it RUBY, RUBY_VERSION, RUBY_HAS_YJIT, BUNDLE_HOME are set. Silent when nothing is missing. Everything goes to stderr.

_setup=$(dirname "${BASH_SOURCE[0]}")
for _step in common packages newer_suites libraries ruby ruby_build bundle extension drivers; do
  # shellcheck source=/dev/null
  source "$_setup/$_step.sh"
done

everything_ready() { packages_ready && tools_ready && ruby_ready && bundle_ready && extension_ready; }

# Each step has a cheap check and a slow part; the slow parts run under the lock, in a shell of their own that cleans up after
# Ctrl-C. What they leave half done has no stamp, so the next run does it again.
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

# For an administrator: what needs root, and nothing else.
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

# For the commands that run in that Ruby: the bundle's gems first, then the Ruby's own. Called by somebody's `bundle exec`, they
# must not load that Bundler.
raffia_environment() {
  export GEM_HOME=$BUNDLE_HOME GEM_PATH=$BUNDLE_HOME:$RUBY_GEM_PATH
  case ${RUBYOPT:-} in *bundler*) unset RUBYOPT RUBYLIB BUNDLE_GEMFILE BUNDLE_BIN_PATH ;; esac
}
