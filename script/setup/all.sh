# shellcheck shell=bash
# The set-up as bin/setup, bin/raffia and bin/test use it: source this, then call raffia_setup or raffia_setup_ruby.
# After it RUBY, RUBY_VERSION, RUBY_HAS_YJIT, BUNDLE_HOME are set. Silent when nothing is missing. Everything goes to stderr.

_setup=$(dirname "${BASH_SOURCE[0]}")
for _step in common packages newer_suites libraries ruby ruby_build bundle extension; do
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

locked() {
  trap 'newer_suites_close; ruby_build_clear' EXIT
  trap 'say "interrupted; what was half done is done again by the next run"; exit 130' INT
  trap 'exit 143' TERM HUP
  take_lock
  "$@"
}

# Checked again under the lock: whoever held it may have done the work.
make_ruby() { ruby_ready || ruby_make; }

make_everything() {
  packages_ready || packages_make
  tools_ready || tools_make
  if ! ruby_ready; then
    ruby_make
    ruby_ready || fail "the choice of a Ruby could not be written to $RUBY_CHOICE"
  fi
  bundle_ready || bundle_make
  extension_ready || extension_make
}

# For the commands that run in that Ruby: the bundle's gems first, then the Ruby's own.
raffia_environment() {
  export GEM_HOME=$BUNDLE_HOME GEM_PATH=$BUNDLE_HOME:$RUBY_GEM_PATH
  unset RUBYOPT RUBYLIB BUNDLE_GEMFILE BUNDLE_BIN_PATH
}
