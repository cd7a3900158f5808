# shellcheck shell=bash
# The C extension, in lib/raffia/<3.4>/raffia.so of the checkout for each series of Ruby. It is
# built again when its sources, the Ruby, the libraries or the flags change.

extension_paths() {
  EXT_SERIES=${RUBY_VERSION%.*}
  EXT_BUILD=$RAFFIA_ROOT/tmp/ext/$EXT_SERIES
  EXT_FILE=$RAFFIA_ROOT/lib/raffia/$EXT_SERIES/raffia.$RUBY_DLEXT
}

extension_digest() {
  {
    (cd "$RAFFIA_ROOT/ext" && find . -type f \( -name '*.[ch]' -o -name '*.rb' \) |
      LC_ALL=C sort | tr '\n' '\0' | xargs -0 cat /dev/null)
    (cd "$RAFFIA_ROOT/ext" && find . -type f | LC_ALL=C sort)
    echo "$RUBY $RUBY_VERSION $RUBY_ARCH"
    for library in liburing libllhttp libnghttp2 libkqueue; do
      pkg-config --modversion "$library" 2>/dev/null || echo "no $library"
    done
    echo "${CC:-} ${CFLAGS:-} ${RAFFIA_DEBUG:-} ${RAFFIA_SANITIZE:-} ${RAFFIA_KQUEUE:-}"
  } | digest
}

extension_ready() {
  [ -e "$RAFFIA_ROOT/ext/raffia/extconf.rb" ] || return 0
  extension_paths
  [ -e "$EXT_FILE" ] && [ "$(cat "$EXT_BUILD/$COMPLETE" 2>/dev/null)" = "$(extension_digest)" ]
}

extension_make() {
  local started=$SECONDS key
  extension_paths
  open_log "extension-$RUBY_VERSION"
  say "compiling the extension for Ruby $RUBY_VERSION"
  key=$(extension_digest)
  # From nothing, always: an object kept from other flags or another header is a bug that nobody
  # finds.
  rm -rf "$EXT_BUILD" && mkdir -p "$EXT_BUILD" "$(dirname "$EXT_FILE")" ||
    fail "cannot write to $RAFFIA_ROOT/tmp and lib/raffia"
  (cd "$EXT_BUILD" && extension_compile) ||
    fail_with_log "the extension did not compile with Ruby $RUBY_VERSION" \
    "it needs $(meaning liburing-dev), and $(meaning libllhttp-dev)"
  # By rename: a process that has the old file open keeps it whole.
  cp "$EXT_BUILD/raffia.$RUBY_DLEXT" "$EXT_FILE.new" && mv "$EXT_FILE.new" "$EXT_FILE" ||
    fail "cannot write $EXT_FILE"
  extension_loads || fail_with_log "the extension compiled, but Ruby $RUBY_VERSION cannot load it"
  echo "$key" >"$EXT_BUILD/$COMPLETE"
  say "compiled it in $((SECONDS - started)) s"
}

extension_compile() {
  logged env -u RUBYOPT -u RUBYLIB "$RUBY" "$RAFFIA_ROOT/ext/raffia/extconf.rb" &&
    logged make -j"$(jobs_for_make)"
}

extension_loads() {
  if [ -e "$RAFFIA_ROOT/lib/raffia/native.rb" ]; then
    logged env -u RUBYOPT "$RUBY" -I"$RAFFIA_ROOT/lib" -e 'require "raffia/native"'
  else
    logged env -u RUBYOPT "$RUBY" -I"$RAFFIA_ROOT/lib" -r "$EXT_FILE" -e 0
  fi
}
