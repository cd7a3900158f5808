# frozen_string_literal: true

require "test_helper"
require "fileutils"
require "open3"
require "tmpdir"

# The set-up's steps, one by one, with a cache of their own and commands that only pretend. What a
# run on a new machine does is tested by running it on one.
class SetupTest < Raffia::TestCase
  ROOT = File.expand_path("../../..", __dir__)

  def setup
    @dir = Dir.mktmpdir("raffia-setup-test")
    @cache = File.join(@dir, "cache")
    FileUtils.mkdir_p([@cache, stubs])
  end

  def teardown = FileUtils.rm_rf(@dir)

  def test_mirrors_are_read_from_both_forms_of_sources_the_likeliest_first
    etc = File.join(@dir, "apt")
    FileUtils.mkdir_p(File.join(etc, "sources.list.d"))
    File.write(File.join(etc, "sources.list"), <<~LIST)
      # deb http://commented.example/debian stable main
      deb cdrom:[Debian GNU/Linux]/ stable main
      deb http://vendor.example/prod stable main
      deb http://plain.example/debian/ stable main contrib # a remark
      deb [arch=amd64 signed-by=/keys/debian-archive-keyring.gpg] http://signed.example/debian stable main
      deb http://security.example/debian stable-security main
      deb-src http://source.example/debian stable main
    LIST
    File.write(File.join(etc, "sources.list.d", "debian.sources"), <<~SOURCES)
      Types: deb deb-src
      URIs: http://first.example/debian http://second.example/debian
      Suites: stable
       stable-updates
      Components: main
      Signed-By: /keys/debian-archive-keyring.gpg

      Types: deb
      Enabled: no
      URIs: http://disabled.example/debian
      Suites: stable
      Components: main
    SOURCES
    output, = bash("debian_mirrors", "RAFFIA_APT_ETC" => etc)
    assert_equal %w[first second signed plain vendor], output.scan(%r{//(\w+)\.example}).flatten
    assert_includes output, "http://first.example/debian\t/keys/debian-archive-keyring.gpg"
  end

  def test_a_newer_suite_may_bring_its_two_libraries_and_nothing_else
    libraries = "Inst liburing2 (2.9-1 Debian:13)\nInst liburing-dev (2.9-1)\nInst libllhttp9.2 " \
      "(9.2)\nInst libllhttp-dev (9.2)"
    assert_predicate touches_only_these(libraries), :success?
    refute_predicate touches_only_these("#{libraries}\nInst libc6 [2.36] (2.41)"), :success?
    refute_predicate touches_only_these("#{libraries}\nRemv something [1]"), :success?
    refute_predicate touches_only_these("E: Unable to locate package libllhttp-dev"), :success?
  end

  def test_packages_come_from_the_machines_own_suites_while_newer_ones_are_open
    stub("apt-get", 'echo "configuration:$APT_CONFIG arguments:$*"')
    stub("id", "echo 0")
    output, = bash("NEWER_APT=/newer; apt_get install wrk")
    assert_match(/\Aconfiguration: arguments:.*install wrk/, output)
    output, = bash("NEWER_APT=/newer; newer_apt_install liburing-dev")
    assert_match(%r{\Aconfiguration:/newer/apt.conf .*--no-remove liburing-dev}, output)
  end

  def test_a_half_built_ruby_is_not_trusted
    ruby = File.join(@cache, "raffia/ruby-3.4.99/bin/ruby")
    FileUtils.mkdir_p(File.dirname(ruby))
    File.write(ruby, "#!/bin/sh\nexec #{RbConfig.ruby} \"$@\"\n")
    FileUtils.chmod(0o755, ruby)
    refute_predicate bash("RUBY_SERIES=; ruby_cached 3.4").last, :success?
    File.write(File.join(@cache, "raffia/ruby-3.4.99/.raffia-complete"), "")
    assert_predicate bash("RUBY_SERIES=; ruby_cached 3.4").last, :success?
  end

  def test_the_ruby_that_is_used_is_printed_and_nothing_else
    2.times do
      assert_equal ["#{RbConfig.ruby}\n", ""],
        run_setup("--ruby", "RAFFIA_RUBY" => RbConfig.ruby).first(2)
    end
  end

  def test_a_ruby_that_will_not_do_is_refused_with_the_reason
    stub("old-ruby", "echo 'is 3.1.2, Raffia needs 3.3.5 or newer' >&2; exit 1")
    output, errors, status = run_setup("--ruby", "RAFFIA_RUBY" => File.join(stubs, "old-ruby"))
    assert_equal ["", 1], [output, status.exitstatus]
    assert_match(/RAFFIA_RUBY names a Ruby that cannot be used: .*old-ruby is 3\.1\.2/, errors)
  end

  def test_a_ruby_of_another_series_is_refused
    _, errors, status = run_setup("--ruby", "RAFFIA_RUBY" => RbConfig.ruby,
      "RAFFIA_RUBY_VERSION" => "2.7")
    assert_equal 1, status.exitstatus
    assert_match(/not of the series 2\.7/, errors)
  end

  def test_without_apt_it_names_all_that_is_missing
    _, errors, status = run_setup("PATH" => bare_path)
    assert_equal 1, status.exitstatus
    ["no apt here", "build-essential: a C compiler", "liburing >= 2.3", "llhttp >= 9",
      "Ruby >= 3.3"].each { |part| assert_includes errors, part }
  end

  def test_without_root_it_names_all_that_is_missing_and_the_command_for_root
    stub("apt-get", "exit 100")
    _, errors, status = run_setup("PATH" => "#{stubs}:#{bare_path("id" => "echo 1000")}")
    assert_equal 1, status.exitstatus
    ["only root can install them", "build-essential", "libssl-dev",
      "bin/setup --packages"].each { |part| assert_includes errors, part }
  end

  def test_drivers_are_installed_by_root_and_their_services_are_not_started
    stub("id", "echo 0")
    stub("apt-get", %(test -x "$POLICY" && sh "$POLICY"; echo "policy:$? arguments:$*"))
    errors = drivers_make("bundle_install() { echo gems for $1 >&2; }")
    assert_match(
      /installing redis-server with apt.*\ngems for .*not found, so .*skipped: redis-server \(/m,
      errors
    )
    assert_match(/policy:101 arguments:.*install -y .*redis-server/,
      File.read(File.join(@cache, "raffia/log/drivers-3.4.5.log")))
    refute_path_exists policy
  end

  def test_who_is_not_root_gets_the_gems_of_the_drivers_only
    stub("id", "echo 1000")
    stub("apt-get", "echo called >&2")
    errors = drivers_make("bundle_install() { return 1; }")
    refute_match(/called|installing redis/, errors)
    assert_match(/skipped: redis-server, gems \(/, errors)
  end

  def test_what_an_administrator_says_of_services_stays
    File.write(policy, "theirs")
    bash("SERVICES_POLICY=#{policy}; services_deny; services_allow")
    assert_equal "theirs", File.read(policy)
  end

  def test_what_drivers_lack_is_asked_for_again_by_setup_only
    assert_equal [false, true, false, true], [
      bash("RUBY_VERSION=3.4.5; drivers_ready").last.success?,
      ready_with("redis-server", again: ""), ready_with("redis-server", again: "yes"),
      ready_with("", again: "yes")
    ]
  end

  def test_what_the_server_is_tested_with_comes_likewise
    stub("id", "echo 0")
    stub("apt-get",
      %[test -x "$POLICY" && sh "$POLICY"; echo "policy:$? arguments:$*"
        case "$*" in *haproxy*) exit 100 ;; esac])
    errors = server_make("bundle_install() { echo gems for $1, $2 >&2; }")
    assert_match(
      Regexp.new('installing nginx-light, haproxy with apt.*\ngems for .*, ' \
        'BUNDLE_WITHOUT=drivers:lab\n.*not found, so parts of the tests of the server ' \
        'are skipped: nginx-light, haproxy \(', Regexp::MULTILINE), errors
    )
    assert_match(/policy:101 arguments:.*install -y .*nginx-light/,
      File.read(File.join(@cache, "raffia/log/server-3.4.5.log")))
    refute_path_exists policy
  end

  def test_who_is_not_root_gets_the_gems_that_the_server_serves_only
    stub("id", "echo 1000")
    errors = server_make("bundle_install() { return 1; }")
    assert_match(/skipped: nginx-light, haproxy, gems \(/, errors)
  end

  def test_the_extension_is_stale_when_any_of_its_files_changes
    ext = File.join(@dir, "ext/raffia/core")
    FileUtils.mkdir_p(ext)
    digests = ["int a;", "int b;"].map do |text|
      File.write(File.join(ext, "a.h"), text)
      bash("RAFFIA_ROOT=#{@dir} RUBY=r RUBY_VERSION=3.4.5 RUBY_ARCH=x; extension_digest").first
    end
    refute_equal(*digests)
  end

  def test_a_java_that_is_new_enough_is_found
    {"17.0.15" => 1, "1.8.0_401" => 1, "21.0.12.1" => 0, "25" => 0}.each do |version, status|
      stub("java", "echo 'openjdk version \"#{version}\" 2026-08-18' >&2")
      assert_equal status, bash("java_will_do #{stubs}/java").last.exitstatus, version
    end
    assert_equal 1, bash("java_will_do #{stubs}/nothing").last.exitstatus
  end

  # Not installed: it wants a newer libc.
  def test_a_newer_java_is_unpacked_with_its_libc_and_runs_on_that
    stub("newer-java", <<~'SCRIPT')
      libraries=$1/usr/lib/x86_64-linux-gnu home=$1/usr/lib/jvm/java-21-openjdk-amd64
      mkdir -p "$libraries" "$home/bin" "$home/conf" "$1/etc/java-21"
      touch "$libraries/libc.so.6" "$1/etc/java-21/settings"
      ln -s /etc/java-21/settings "$home/conf/settings"
      loader="$libraries/ld-linux-x86-64.so.2"
      printf '#!/bin/sh\necho "loader $*"\n' >"$loader" && chmod 755 "$loader"
      touch "$home/bin/java"
    SCRIPT
    output, errors, status = bash('dir=$(java_dir); newer-java "$dir"; java_relink "$dir"; ' \
    'java_launcher "$dir"; ' \
      'cat "$dir/usr/lib/jvm/java-21-openjdk-amd64/conf/settings"; "$dir/bin/java" -version')
    assert_predicate status, :success?, errors
    assert_match(
      Regexp.new('\Aloader --library-path \S+/java-21/usr/lib/x86_64-linux-gnu:\S+/lib ' \
        '\S+openjdk-amd64/bin/java -version$'), output
    )
  end

  def test_jruby_comes_beside_the_ruby_of_the_set_up
    output, = bash('echo "${RAFFIA_RUBY:-none} $JRUBY_ASKED"', "RAFFIA_RUBY" => "/opt/jruby")
    assert_equal "none /opt/jruby\n", output
  end

  def test_a_jruby_on_path_is_taken_if_it_is_new_enough
    {"9.4.8.0 (3.1.4)" => false, "10.0.7.0 (3.4.5)" => true}.each do |version, taken|
      stub("jruby", "echo 'jruby #{version}'")
      output, _, status = bash('jruby_ready && echo "$JRUBY"')
      assert_equal [taken, taken ? "#{stubs}/jruby\n" : ""], [status.success?, output]
    end
  end

  def test_a_jruby_that_is_named_by_its_path_is_that_one_or_none
    _, errors, status = bash("raffia_setup_jruby", "RAFFIA_RUBY" => "#{stubs}/nowhere/jruby")
    refute status.success?
    assert_includes errors, "RAFFIA_RUBY names a JRuby that cannot be used: " \
      "#{stubs}/nowhere/jruby is not there"
  end

  def test_a_jruby_that_cannot_be_had_is_asked_for_once
    script = "java_find() { return 1; }; java_make() { echo asked >&2; LOG=it; return 1; }; " \
    "jruby_ready() { return 1; }; " \
      'raffia_setup_jruby_for_tests || cat "$(jruby_stamp)"'
    stub("id", "echo 0")
    first, second = Array.new(2) { bash(script).first(2) }
    assert_equal ["there is no Java >= 21 here, and none could be had (see it)\n", "asked\n"], first
    assert_equal [first.first, ""], second
    stub("id", "echo 1000")
    assert_equal "bin/setup --jruby gets it\n",
      bash('jruby_ready() { return 1; }; raffia_setup_jruby_for_tests || echo "$JRUBY_REASON"')
        .first
  end

  def test_help_and_unknown_options
    %w[setup test].each do |name|
      output, errors, status = Open3.capture3("#{ROOT}/bin/#{name}", "-h")
      assert_equal [0, ""], [status.exitstatus, errors]
      assert_match(/\Ausage: bin\/#{name}/, output)
    end
    assert_equal 2, run_setup("--unknown").last.exitstatus
  end

  private

  def policy = File.join(@dir, "policy-rc.d")

  # With one package that cannot be installed.
  # @return [String] what it says
  def drivers_make(bundle_install)
    _, errors, status = bash("RUBY_VERSION=3.4.5; SERVICES_POLICY=#{policy}; " \
    "missing_for_drivers() { echo redis-server; }; #{bundle_install}; " \
      "mkdir -p $(bundle_dir); drivers_make; drivers_ready", "POLICY" => policy)
    assert_predicate status, :success?, errors
    errors
  end

  def server_make(bundle_install)
    _, errors, status = bash("RUBY_VERSION=3.4.5; SERVICES_POLICY=#{policy}; " \
    "missing_for_server() { echo nginx-light; echo haproxy; }; #{bundle_install}; " \
      "mkdir -p $(bundle_dir); server_make; server_ready", "POLICY" => policy)
    assert_predicate status, :success?, errors
    errors
  end

  def ready_with(missing, again:)
    bash("RUBY_VERSION=3.4.5; mkdir -p $(bundle_dir); echo #{missing} >$(extra_stamp drivers); " \
      "TOOLS_AGAIN=#{again}; drivers_ready").last.success?
  end

  def stubs = File.join(@dir, "stubs")

  def stub(name, script, dir = stubs)
    File.write(File.join(dir, name), "#!/bin/bash\n#{script}\n")
    FileUtils.chmod(0o755, File.join(dir, name))
  end

  # A folder with the plain tools of any system in it, and no compiler, package manager or Ruby.
  def bare_path(replaced = {})
    dir = File.join(@dir, "bare")
    FileUtils.mkdir_p(dir)
    %w[bash env dirname cat ls mkdir rm mv sed awk grep sort tr cut uname id flock tail sha256sum
      mktemp].each do |name|
      real = ENV["PATH"].split(":").map { |folder| File.join(folder, name) }
        .find { |path| File.executable?(path) }
      FileUtils.ln_sf(real, File.join(dir, name)) if real && !replaced.key?(name)
    end
    replaced.each { |name, script| stub(name, script, dir) }
    dir
  end

  def environment(more)
    {"XDG_CACHE_HOME" => @cache, "PATH" => "#{stubs}:#{ENV["PATH"]}", "RAFFIA_RUBY" => nil,
     "RAFFIA_RUBY_VERSION" => nil, "APT_CONFIG" => nil}.merge(more)
  end

  # @return [Array(String, String, Process::Status)]
  def bash(script, more = {})
    Open3.capture3(environment(more), "bash", "-c",
      "set -euo pipefail; source #{ROOT}/script/setup/all.sh; #{script}")
  end

  def run_setup(*arguments)
    more = arguments.last.is_a?(Hash) ? arguments.pop : {}
    Open3.capture3(environment(more), "#{ROOT}/bin/setup", *arguments)
  end

  def touches_only_these(plan) = bash('touches_only_these "$PLAN"', "PLAN" => plan).last
end
