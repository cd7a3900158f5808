# shellcheck shell=bash
# A Ruby built from Debian's source package, in the cache. Needs no root once the packages for its
# build are there.

# The least version that may be built: earlier 3.3 can hang after fork.
RUBY_LEAST=3.3.5

# ruby_build SERIES, once packages_make ruby is done: each version that the newer suites list,
# newest first (a listed tarball may be gone from the mirror). Not-0 when none of the series can be
# had; fails when one was had and would not build.
ruby_build() {
  local version
  BUILD_REASON=
  rm -rf "$RAFFIA_CACHE"/build.* # what a killed build left; the lock says that nobody is at it
  open_log "ruby-$1-source"
  if ! newer_suites_open; then
    BUILD_REASON="no Debian mirror in this machine's apt sources has $NEWER_RELEASE (see $LOG)"
    return 1
  fi
  for version in $(ruby_source_versions "$1"); do
    if ruby_build_version "$1" "$version"; then return 0; fi
    BUILD_REASON="the source of ruby$1 $version cannot be downloaded (see $LOG)"
  done
  return 1
}

ruby_source_versions() {
  local version
  newer_apt apt-cache showsrc --only-source "ruby$1" 2>>"$LOG" |
    sed -n 's/^Version: //p' | sort -u -r -V |
    while read -r version; do
      if dpkg --compare-versions "$version" ge "$RUBY_LEAST"; then echo "$version"; fi
    done
}

# ruby_build_version SERIES DEBIAN-VERSION: not-0 only when the source cannot be had.
ruby_build_version() {
  local version=${2%-*} prefix started=$SECONDS
  prefix=$RAFFIA_CACHE/ruby-$version
  WORK=$(mktemp -d "$RAFFIA_CACHE/build.XXXXXX") || fail "cannot write to $RAFFIA_CACHE"
  say "fetching the source of ruby$1 $2"
  if ! (cd "$WORK" && logged newer_apt apt-get source --only-source "ruby$1=$2"); then
    ruby_build_clear
    return 1
  fi
  open_log "ruby-$version-build"
  say "building Ruby $version into $prefix: about $(minutes_to_build) minutes, once; output in $LOG"
  (cd "$WORK/ruby$1-$version" && ruby_compile "$prefix") ||
    fail_with_log "Ruby $version did not build" \
    "install a Ruby >= $RUBY_LEAST with its headers by any other means, or report this with the log"
  ruby_build_clear
  date -u +"built from Debian's ruby$1 $2 on %Y-%m-%d" >"$prefix/$COMPLETE"
  ruby_choose "$prefix/bin/ruby" ||
    fail "the Ruby that was built cannot be used: $RUBY_REASON" "see $LOG"
  say "built Ruby $version in $((SECONDS - started)) s$(ruby_yjit_note "$prefix/bin/ruby")"
}

# The folder that it is built in; also called after Ctrl-C.
ruby_build_clear() {
  [ -z "${WORK:-}" ] || rm -rf "$WORK"
  WORK=
}

# Debian's patches are newer than the generated files that they do not touch; without the touch make
# wants autoconf. Left out: documents and the interpreter's own test extensions. libruby-static.a
# stays, less 140 MB of its debugging symbols: every extconf.rb links its probes against it. Without
# RJIT: nobody uses it, and a Ruby that has it (or YJIT, which is worth it) counts each instruction
# that it interprets, in one place that all Ractors then fight for.
ruby_compile() {
  rm -rf "$1" &&
    touch aclocal.m4 && touch configure &&
    logged ./configure --prefix="$1" --disable-install-doc --disable-install-capi \
      --disable-rjit --with-out-ext='-test-*,*win32*' &&
    logged make -j"$(jobs_for_make)" main &&
    logged make install-nodoc &&
    logged strip --strip-debug "$1/lib/libruby-static.a"
}

# About 6 minutes of one core, and a part that cores do not help.
minutes_to_build() { echo $((1 + 6 / $(jobs_for_make))); }

ruby_yjit_note() {
  "$1" --disable-gems -e 'exit !!defined?(RubyVM::YJIT)' ||
    echo " (without YJIT: it needs a working rustc while Ruby is built)"
}
