# shellcheck shell=bash
# JRuby: the one on PATH if it is new enough, else the gem jruby-jars, unpacked into the cache with
# a launcher. Used with RAFFIA_RUBY=jruby, and by its tests.

# The series with Ruby 3.4.
JRUBY_REQUIREMENT='~> 10.0.7'

jruby_dir() { echo "$RAFFIA_CACHE/jruby"; }

# Why it could not be had when the tests wanted it. It is asked for again only by bin/setup itself.
jruby_stamp() { echo "$RAFFIA_CACHE/jruby-not-found"; }

# jruby_ready: sets JRUBY.
jruby_ready() {
  local named
  named=$(command -v "${JRUBY_ASKED:-jruby}" 2>/dev/null || true)
  if [ -n "$named" ] && jruby_will_do "$named"; then
    JRUBY=$named
    return 0
  fi
  case ${JRUBY_ASKED:-} in */*) return 1 ;; esac # that one and no other
  JRUBY=$(jruby_dir)/bin/jruby
  # The Java that it is started with is named in it.
  [ -x "$(cat "$(jruby_dir)/$COMPLETE" 2>/dev/null)" ]
}

jruby_will_do() { "$1" -v 2>/dev/null | grep -q '^jruby [1-9][0-9]'; }

# jruby_make: not-0 when it cannot be had; JRUBY_REASON says why. Needs RUBY, for its gem command.
jruby_make() {
  local dir started=$SECONDS
  dir=$(jruby_dir)
  if ! java_find && ! java_make; then
    JRUBY_REASON="there is no Java >= $JAVA_LEAST here, and none could be had (see $LOG)"
    return 1
  fi
  open_log jruby
  say "fetching JRuby (the gem jruby-jars) for $JAVA"
  rm -rf "$dir" && mkdir -p "$dir/bin" || fail "cannot write to $dir"
  if ! jruby_fetch "$dir"; then
    JRUBY_REASON="the gem jruby-jars $JRUBY_REQUIREMENT was not fetched and unpacked (see $LOG)"
    return 1
  fi
  echo "$JAVA" >"$dir/$COMPLETE"
  say "ready with $("$dir/bin/jruby" -e 'puts "JRuby #{JRUBY_VERSION} (Ruby #{RUBY_VERSION})"')" \
    "in $((SECONDS - started)) s"
}

jruby_fetch() {
  (cd "$1" && jruby_gem fetch jruby-jars --version "$JRUBY_REQUIREMENT" &&
    jruby_gem unpack jruby-jars-*.gem) || return 1
  mv "$1"/jruby-jars-*/lib/*.jar "$1" && rm -rf "$1"/jruby-jars-* || return 1
  jruby_unpack "$1" || return 1
  jruby_launcher "$1" # the library has one too, which wants an installed JRuby
  logged "$1/bin/jruby" -e 'require "json"; require "zlib"
    abort unless RbConfig.ruby.start_with?("/")'
}

# shellcheck disable=SC2153 # RUBY is ruby.sh's
jruby_gem() { logged env -u RUBYOPT -u RUBYLIB -u GEM_HOME -u GEM_PATH "$RUBY" -S gem "$@"; }

# Its library, as files: RbConfig.ruby is then a program that can be started, which the lab does.
# JRuby is the one that can read a jar for certain.
jruby_unpack() {
  logged "$JAVA" ${JAVA_LIBRARIES:+"-Djnr.ffi.library.path=$JAVA_LIBRARIES"} \
    -cp "$(printf '%s:' "$1"/*.jar)" org.jruby.Main -e '
    require "fileutils"
    jar = java.util.zip.ZipFile.new(Dir["#{ARGV[0]}/jruby-stdlib-*.jar"].first)
    jar.entries.each do |entry|
      name = entry.name.delete_prefix("META-INF/jruby.home/")
      next if name == entry.name || entry.directory?
      path = File.join(ARGV[0], name)
      FileUtils.mkdir_p(File.dirname(path))
      java.nio.file.Files.copy(jar.get_input_stream(entry), java.io.File.new(path).to_path,
        java.nio.file.StandardCopyOption::REPLACE_EXISTING)
    end' "$1" && rm "$1"/jruby-stdlib-*.jar
}

# JAVA_OPTS is for whoever starts it. The archive, which the first process leaves, halves the start
# of the next.
jruby_launcher() {
  cat >"$1/bin/jruby" <<LAUNCHER
#!/bin/sh
# shellcheck disable=SC2086
exec "$JAVA" ${JAVA_LIBRARIES:+"-Djnr.ffi.library.path=$JAVA_LIBRARIES"} -Djruby.home="$1" \\
  -Xss2m -XX:ErrorFile="$RAFFIA_CACHE/log/jruby-%p.log" \\
  -Xshare:auto -Xlog:cds=off -Xlog:cds+dynamic=off \\
  -XX:+AutoCreateSharedArchive -XX:SharedArchiveFile="$1/jruby.jsa" \\
  --add-opens=java.base/java.io=ALL-UNNAMED --add-opens=java.base/java.nio.channels=ALL-UNNAMED \\
  --add-opens=java.base/sun.nio.ch=ALL-UNNAMED --enable-native-access=ALL-UNNAMED \$JAVA_OPTS \\
  -cp "$(printf '%s\n' "$1"/jruby-core-*.jar)" org.jruby.Main "\$@"
LAUNCHER
  chmod 755 "$1/bin/jruby"
}
