# shellcheck shell=bash
# Chooses a Ruby: the one on PATH if it is fit, else the cached one, else a new build
# (ruby_build.sh). The choice is stored, so that the next run need not start a Ruby to repeat it.
#
#   RAFFIA_RUBY=/path/to/ruby      this one and no other
#   RAFFIA_RUBY_VERSION=3.3        only Rubies of this series

RUBY_SERIES=${RAFFIA_RUBY_VERSION:-}
RUBY_CHOICE=$RAFFIA_CACHE/ruby-for-${RAFFIA_RUBY:+asked-}${RUBY_SERIES:-any}

# ruby_probe RUBY: may it be used? Prints what the set-up wants to know of it, or says on stderr why
# not.
ruby_probe() {
  env -u RUBYOPT -u RUBYLIB -u GEM_HOME -u GEM_PATH -u BUNDLE_GEMFILE SERIES="$RUBY_SERIES" \
    HAS_CC="$(command -v cc || true)" "$1" -e '
    series = ENV["SERIES"]
    abort "is #{RUBY_ENGINE}, not CRuby" unless RUBY_ENGINE == "ruby"
    numbers = RUBY_VERSION.split(".").map(&:to_i)
    abort "is #{RUBY_VERSION}, Raffia needs 3.3.5 or newer" if (numbers <=> [3, 3, 5]) < 0
    unless series.empty? || RUBY_VERSION.start_with?("#{series}.")
      abort "is #{RUBY_VERSION}, not of the series #{series}"
    end
    header = File.join(RbConfig::CONFIG["rubyhdrdir"].to_s, "ruby.h")
    abort "has no headers to build extensions with" unless File.exist?(header)
    %w[mkmf openssl zlib psych socket etc io/console bundler].each do |feature|
      require feature
    rescue LoadError
      abort "has no #{feature}"
    end
    require "tmpdir"
    program = "int main(void) { return 0; }"
    linked = Dir.mktmpdir do |dir|
      Dir.chdir(dir) { ENV["HAS_CC"].empty? || try_link(program) rescue false }
    end
    abort "cannot build extensions (its headers or libruby are not whole)" unless linked
    puts "RUBY=#{RbConfig.ruby}", "RUBY_VERSION=#{RUBY_VERSION}",
      "RUBY_API=#{RbConfig::CONFIG["ruby_version"]}", "RUBY_ARCH=#{RUBY_PLATFORM}",
      "RUBY_DLEXT=#{RbConfig::CONFIG["DLEXT"]}", "RUBY_GEM_PATH=#{Gem.path.join(":")}",
      "RUBY_HAS_YJIT=#{"yes" if defined?(RubyVM::YJIT)}"'
}

# The key of the choice: the Ruby on PATH (the file, its size and date), and the requested one.
ruby_choice_key() {
  local on_path
  on_path=$(command -v "${RAFFIA_RUBY:-ruby}" 2>/dev/null || true)
  if [ -n "$on_path" ]; then on_path="$on_path $(ls -lLn "$on_path" 2>/dev/null || true)"; fi
  printf 'KEY=%s\n' "${RAFFIA_RUBY:+asked for: }$on_path"
}

# ruby_ready: sets RUBY and what ruby_probe tells of it, from the choice that was written down.
ruby_ready() {
  [ -r "$RUBY_CHOICE" ] || return 1
  local name value key=
  RUBY=
  while IFS='=' read -r name value; do
    case $name in
    KEY) key=$value ;;
    RUBY) RUBY=$value ;;
    RUBY_VERSION) RUBY_VERSION=$value ;;
    RUBY_API) RUBY_API=$value ;;
    RUBY_ARCH) RUBY_ARCH=$value ;;
    RUBY_DLEXT) RUBY_DLEXT=$value ;;
    RUBY_GEM_PATH) RUBY_GEM_PATH=$value ;;
    RUBY_HAS_YJIT) RUBY_HAS_YJIT=$value ;;
    esac
  done <"$RUBY_CHOICE"
  [ -x "$RUBY" ] && [ "KEY=$key" = "$(ruby_choice_key)" ] || return 1
  case $RUBY in
  "$RAFFIA_CACHE"/*) [ -e "${RUBY%/bin/*}/$COMPLETE" ] ;;
  esac
}

# ruby_choose RUBY: write the choice down if this one will do; else not-0, and the reason in
# RUBY_REASON.
ruby_choose() {
  local facts
  if ! facts=$(ruby_probe "$1" 2>&1); then
    RUBY_REASON="$1 $(printf '%s\n' "$facts" | tail -n 1)"
    return 1
  fi
  mkdir -p "$RAFFIA_CACHE"
  { ruby_choice_key && printf '%s\n' "$facts"; } >"$RUBY_CHOICE.new" &&
    mv "$RUBY_CHOICE.new" "$RUBY_CHOICE"
}

# ruby_cached SERIES: choose the newest of the series that is whole in the cache.
ruby_cached() {
  local dir
  while read -r dir; do
    if [ -e "$dir/$COMPLETE" ] && ruby_choose "$dir/bin/ruby"; then return 0; fi
  done < <(printf '%s\n' "$RAFFIA_CACHE"/ruby-"$1".*/ | sed 's:/$::' | sort -r -V)
  return 1
}

# ruby_find: one that is there already. 3.4 is preferred, so a cached 3.3 is no reason not to build
# a 3.4.
ruby_find() {
  RUBY_REASON=
  if [ -n "${RAFFIA_RUBY:-}" ]; then
    ruby_choose "$RAFFIA_RUBY" ||
      fail "RAFFIA_RUBY names a Ruby that cannot be used: $RUBY_REASON" "name another, or unset it"
    return 0
  fi
  if has ruby && ruby_choose "$(command -v ruby)"; then return 0; fi
  if ruby_cached "${RUBY_SERIES:-3.4}"; then return 0; fi
  if [ -n "$RUBY_REASON" ]; then say "not used: $RUBY_REASON"; fi
  return 1
}

# ruby_make: after ruby_find found none.
ruby_make() {
  local series
  for series in ${RUBY_SERIES:-3.4 3.3}; do
    if ruby_cached "$series" || ruby_build "$series"; then return 0; fi
  done
  local reason=${BUILD_REASON:-no source package was found}
  fail "there is no Ruby >= ${RUBY_SERIES:-3.3.5} here, and none could be built: $reason" \
    "install one with its headers, and put it on PATH or name it: RAFFIA_RUBY=/path/to/ruby"
}
