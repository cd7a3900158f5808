# shellcheck shell=bash
# A Java >= 21 for JRuby 10: the one on PATH, else the one of the machine's own suite, else Debian
# 13's. That one needs a newer libc than Debian 12's, so it is not installed but unpacked into the
# cache, together with its libc, for JRuby alone. It takes no root.

JAVA_LEAST=21
JAVA_PACKAGE=openjdk-21-jre-headless

# java_release JAVA: its number, such as 21.
java_release() { "$1" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1; }

java_will_do() {
  local release
  release=$(java_release "$1" 2>/dev/null || true)
  [ -n "$release" ] && [ "$release" -ge "$JAVA_LEAST" ]
}

java_dir() { echo "$RAFFIA_CACHE/java-$JAVA_LEAST"; }

# java_find: sets JAVA, and JAVA_LIBRARIES where its libraries are its own.
java_find() {
  local candidate
  JAVA_LIBRARIES=
  for candidate in ${JAVA_HOME:+"$JAVA_HOME/bin/java"} "$(command -v java || true)" \
    /usr/lib/jvm/*/bin/java; do
    if [ -x "$candidate" ] && java_will_do "$candidate"; then
      JAVA=$candidate
      return 0
    fi
  done
  [ -e "$(java_dir)/$COMPLETE" ] || return 1
  JAVA=$(java_dir)/bin/java
  JAVA_LIBRARIES=$(java_libraries)
}

# java_make: after java_find found none. Not-0 when there is none to be had.
java_make() {
  open_log java
  if [ "$(id -u)" = 0 ] && has apt-cache &&
    apt-cache policy "$JAVA_PACKAGE" | grep -q 'Candidate: [0-9]'; then
    say "installing $JAVA_PACKAGE with apt"
    if apt_install "$JAVA_PACKAGE" && java_find; then return 0; fi
  fi
  java_unpack && java_find
}

java_unpack() {
  local dir
  dir=$(java_dir)
  newer_suites_open || return 1
  say "unpacking Debian $NEWER_RELEASE's $JAVA_PACKAGE into the cache (46 MB; nothing is installed)"
  rm -rf "$dir" && mkdir -p "$dir/packages" || return 1
  (cd "$dir/packages" && logged newer_apt apt-get -o APT::Sandbox::User=root download \
    "$JAVA_PACKAGE" libc6 libgcc-s1 libstdc++6 zlib1g) || return 1
  for package in "$dir"/packages/*.deb; do logged dpkg-deb -x "$package" "$dir" || return 1; done
  rm -rf "$dir/packages"
  java_relink "$dir"
  java_launcher "$dir"
  logged "$dir/bin/java" -version || return 1
  date -u +"unpacked on %Y-%m-%d" >"$dir/$COMPLETE"
}

# Its settings are links into /etc.
java_relink() {
  local link target
  find "$1/usr/lib/jvm" -type l | while read -r link; do
    target=$(readlink "$link")
    case $target in
    /*) if [ -e "$1$target" ]; then ln -sfn "$1$target" "$link"; fi ;;
    esac
  done
}

# The folder with its libc, which Java's FFI must not look for elsewhere: two of them in a process
# crash it.
java_libraries() { dirname "$(printf '%s\n' "$(java_dir)"/usr/lib/*/libc.so.6 | head -n 1)"; }

java_launcher() {
  local libraries home
  libraries=$(java_libraries)
  home=$(printf '%s\n' "$1"/usr/lib/jvm/java-*-openjdk-*/bin/java | sed 's:/bin/java$::' |
    grep -v 'java-1\.' | head -n 1)
  mkdir -p "$1/bin"
  cat >"$1/bin/java" <<LAUNCHER
#!/bin/sh
exec "$(printf '%s\n' "$libraries"/ld-linux*.so.* | head -n 1)" \\
  --library-path "$libraries:$home/lib" "$home/bin/java" "\$@"
LAUNCHER
  chmod 755 "$1/bin/java"
}
