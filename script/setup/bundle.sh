# shellcheck shell=bash
# The gems of the Gemfile's groups, in the cache: a folder for each Ruby and each content of the
# Gemfile. Commands reach them by GEM_HOME, so a script run by `bin/raffia run` sees no Bundler of
# ours.

# The key has only the dependencies of the gemspec: a new word in its description needs no other
# gems.
bundle_dir() {
  local key
  key=$({ cat "$RAFFIA_ROOT/Gemfile" && grep dependency "$RAFFIA_ROOT/raffia.gemspec"; } | digest)
  echo "$RAFFIA_CACHE/bundle/$RUBY_VERSION-$key"
}

# bundle_ready: sets BUNDLE_HOME, which is what GEM_HOME becomes.
bundle_ready() {
  local dir
  dir=$(bundle_dir)
  BUNDLE_HOME=$dir/ruby/$RUBY_API
  [ -e "$dir/$COMPLETE" ]
}

bundle_make() {
  local dir started=$SECONDS
  dir=$(bundle_dir)
  open_log "bundle-$RUBY_VERSION"
  say "installing the gems of the Gemfile for Ruby $RUBY_VERSION into the cache: about a minute," \
    "once"
  rm -rf "$dir" && mkdir -p "$dir" || fail "cannot write to $dir"
  # The lock file lands beside this one, not in the checkout: two Rubies resolve to two of them.
  echo "eval_gemfile '$RAFFIA_ROOT/Gemfile'" >"$dir/Gemfile"
  bundle_install "$dir" BUNDLE_WITHOUT=drivers:lab:server ||
    fail_with_log "bundle install did not succeed" \
      "check that the gem source of the Gemfile (or its mirror in Bundler's configuration) answers"
  date -u +"installed on %Y-%m-%d" >"$dir/$COMPLETE"
  say "installed the gems in $((SECONDS - started)) s"
}

# bundle_install DIR [VARIABLE=VALUE]
bundle_install() {
  logged env -u RUBYOPT -u RUBYLIB -u GEM_HOME -u GEM_PATH -u BUNDLE_WITHOUT -u BUNDLE_FROZEN \
    -u BUNDLE_DEPLOYMENT BUNDLE_GEMFILE="$1/Gemfile" BUNDLE_PATH="$1" \
    BUNDLE_APP_CONFIG="$1/.bundle" BUNDLE_JOBS="$(jobs_for_make)" "${@:2}" \
    "$RUBY" -e 'load Gem.bin_path("bundler", "bundle")' install --retry 3
}
