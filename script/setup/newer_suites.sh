# shellcheck shell=bash
# Debian suites newer than the machine's own, from the mirror in the machine's apt sources. They
# have a temporary apt configuration with its own lists, cache and sources; the system's stay as
# they are.

NEWER_RELEASE=trixie        # liburing 2.9, llhttp 9, ruby3.3
NEWER_SOURCES=experimental  # ruby3.4, as source only
NEWER_APT=                  # the temporary configuration's folder once it is open
NEWER_APT_DIR=

# debian_mirrors: "URI<tab>KEYRING" for each Debian mirror that apt knows on this machine, the
# likeliest first. Reads both forms of apt's sources: deb822 paragraphs (*.sources) and one-line
# entries (*.list). Third parties may also call a suite "bookworm main", so entries signed by
# Debian's own keyring come first, then addresses that end in /debian.
debian_mirrors() {
  local codename etc
  etc=${RAFFIA_APT_ETC:-/etc/apt}
  codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release 2>/dev/null | tr -d '"')
  {
    { cat "$etc"/sources.list.d/*.sources 2>/dev/null || true; } | deb822_entries
    { cat "$etc"/sources.list "$etc"/sources.list.d/*.list 2>/dev/null || true; } | one_line_entries
  } | awk -F '\t' -v codename="$codename" '
    # uri, suite, components, keyring
    $2 != codename && $2 !~ /^(stable|oldstable|testing|unstable|sid)$/ { next }
    $1 ~ /^cdrom:/ || " " $3 " " !~ / main / { next }
    {
      rank = 3
      if ($1 ~ /\/debian\/?$/) rank = 2
      if ($4 ~ /debian-archive/) rank = 1
      if (!seen[$1]++) printf "%d\t%s\t%s\n", rank, $1, $4
    }' | sort -s -n -k 1,1 | cut -f 2-
}

deb822_entries() {
  awk '
    function flush(    i, j, n, m, uri, suite) {
      if (field["types"] ~ /(^| )deb( |$)/ && tolower(field["enabled"]) != "no") {
        n = split(field["uris"], uri, " "); m = split(field["suites"], suite, " ")
        # A key may stand in the field itself; only a path can be handed on.
        if (field["signed-by"] !~ /^\//) field["signed-by"] = ""
        for (i = 1; i <= n; i++) for (j = 1; j <= m; j++)
          printf "%s\t%s\t%s\t%s\n", uri[i], suite[j], field["components"], field["signed-by"]
      }
      split("", field); name = ""
    }
    /^#/ { next }
    /^[ \t]*$/ { flush(); next }
    /^[ \t]/ { if (name != "") field[name] = field[name] " " $0; next }
    /^[Tt]ypes:/ { flush() } # files that follow one another need no empty line between them
    {
      name = tolower($0); sub(/:.*/, "", name)
      value = $0; sub(/^[^:]*:[ \t]*/, "", value); field[name] = value
    }
    END { flush() }'
}

one_line_entries() {
  awk '
    $1 != "deb" { next }
    {
      sub(/[ \t]#.*/, ""); keyring = ""; options = ""
      if (match($0, /\[[^]]*\]/)) {
        options = substr($0, RSTART + 1, RLENGTH - 2)
        $0 = substr($0, 1, RSTART - 1) substr($0, RSTART + RLENGTH)
      }
      if (match(options, /signed-by=[^ ,]+/)) keyring = substr(options, RSTART + 10, RLENGTH - 10)
      components = ""
      for (i = 4; i <= NF; i++) components = components (i > 4 ? " " : "") $i
      printf "%s\t%s\t%s\t%s\n", $2, $3, components, keyring
    }'
}

# newer_suites_open: after it NEWER_APT names the temporary configuration. Not-0 when no mirror of
# this machine has the suites.
newer_suites_open() {
  [ -z "${NEWER_APT:-}" ] || return 0
  has apt-get || return 1
  local dir mirrors uri keyring
  mirrors=$(debian_mirrors)
  if [ -z "$mirrors" ]; then
    say "no Debian mirror is named in this machine's apt sources"
    return 1
  fi
  dir=$(mktemp -d "${TMPDIR:-/tmp}/raffia-apt.XXXXXX") || return 1
  NEWER_APT_DIR=$dir # removed by newer_suites_close, also after Ctrl-C
  chmod 755 "$dir"   # apt downloads as its own user
  mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
  newer_apt_conf "$dir" >"$dir/apt.conf"
  while IFS=$'\t' read -r uri keyring; do
    newer_sources_list "$uri" "$keyring" >"$dir/sources.list"
    if logged env APT_CONFIG="$dir/apt.conf" apt-get -o APT::Default-Release= \
      -o APT::Update::Error-Mode=any update; then
      NEWER_APT=$dir
      return 0
    fi
  done <<<"$mirrors"
  return 1
}

newer_suites_close() {
  [ -z "${NEWER_APT_DIR:-}" ] || rm -rf "$NEWER_APT_DIR"
  NEWER_APT=
  NEWER_APT_DIR=
}

newer_apt_conf() {
  cat <<CONF
Dir::State::lists "$1/lists";
Dir::Cache "$1/cache";
Dir::Etc::sourcelist "$1/sources.list";
Dir::Etc::sourceparts "/nonexistent";
Dir::Etc::preferences "/nonexistent";
Dir::Etc::preferencesparts "/nonexistent";
Acquire::Languages "none";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Acquire::Check-Valid-Until "false";
CONF
}

newer_sources_list() {
  local options=
  if [ -z "$2" ] && [ -r /usr/share/keyrings/debian-archive-keyring.gpg ]; then
    set -- "$1" /usr/share/keyrings/debian-archive-keyring.gpg
  fi
  if [ -n "$2" ]; then options="[signed-by=$2] "; fi
  echo "deb $options$1 $NEWER_RELEASE main"
  echo "deb-src $options$1 $NEWER_RELEASE main"
  echo "deb-src $options$1 $NEWER_SOURCES main"
}

# newer_apt COMMAND ARGUMENTS...: an apt command that sees the newer suites only; for looking and
# for sources.
newer_apt() {
  APT_CONFIG=$NEWER_APT/apt.conf "$1" -o APT::Default-Release= "${@:2}"
}

# newer_apt_install PACKAGES...: only after touches_only_these has seen what it would do.
newer_apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive APT_CONFIG="$NEWER_APT/apt.conf" apt-get \
    -o APT::Default-Release= -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 \
    install -y --no-install-recommends --no-remove "$@"
}
