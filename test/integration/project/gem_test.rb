# frozen_string_literal: true

require_relative "../cli/cli_case"
require "raffia"

module Raffia
  # The gem as it is packed: whether all is in it that it needs, and nothing else.
  class GemTest < CLICase
    # The files of git that go into the gem.
    SHIPPED = Regexp.union(%r{\A(?:lib|ext|exe|sig|docs|guides)/},
      /\A(?:CHANGELOG|README|SECURITY)\.md\z/, /\A(?:LICENSE|\.yardopts)\z/)

    # Each component, the layers that need no other gem, and one page of the dashboard, which needs
    # more than Ruby.
    PROGRAM = <<~RUBY
      %w[raffia raffia/actor raffia/jobs raffia/jobs/worker raffia/jobs/testing raffia/jobs/web
        raffia/lab raffia/cli raffia/compat raffia/compat/celluloid raffia/compat/evt
        raffia/compat/parallel raffia/compat/sidekiq raffia/compat/sucker_punch]
        .each { |file| require file }
      require "raffia/server" if Raffia::Native.const_defined?(:HTTP1)
      Raffia::Jobs.store = "memory:"
      status, = Raffia::Jobs::Web.new.call("REQUEST_METHOD" => "GET", "PATH_INFO" => "/",
        "HTTP_HOST" => "localhost", "REMOTE_ADDR" => "127.0.0.1")
      p status, $LOADED_FEATURES.select { |file| file.start_with?(ARGV.first) },
        Raffia.map(1..3, on: :threads) { |n| n * n }
    RUBY

    def test_it_has_what_git_has
      tracked, status = Open3.capture2("git", "ls-files", chdir: ROOT, err: File::NULL)
      skip "this is no checkout of git" unless status.success?
      packed = Gem::Specification.load(File.join(ROOT, "raffia.gemspec")).files
      shipped = tracked.lines(chomp: true).grep(SHIPPED).grep_v(%r{\Adocs/images/})
      assert_equal shipped.sort, packed.sort
    rescue Errno::ENOENT
      skip "git is not installed here"
    end

    def test_which_rubies_it_is_for
      rubies = Gem::Specification.load(File.join(ROOT, "raffia.gemspec")).required_ruby_version
      assert_equal %w[3.3.5 3.4.0 4.0.0],
        %w[3.3.4 3.3.5 3.4.0 4.0.0 4.1.0.dev 4.1.0.preview1 4.1.0 5.0.0].select { |one|
          rubies.satisfied_by?(Gem::Version.new(one))
        }
    end

    # But for compiling, which the set-up has done: this takes its extension.
    def test_all_works_from_what_is_packed
      skip "the extension is not built" unless Native.available?
      gem("build", "--strict", "raffia.gemspec", "--output", File.join(@dir, "raffia.gem"),
        chdir: ROOT)
      gem("unpack", "raffia.gem")
      home = File.join(File.realpath(@dir), "raffia")
      FileUtils.cp(Native::FILE, File.join(home, "lib/raffia/"))

      assert_equal ["200\n[]\n[1, 4, 9]\n", true],
        plain("-I#{home}/lib", script(PROGRAM), "#{ROOT}/")
      assert_includes plain("-I#{home}/lib", "#{home}/exe/raffia", "new", "my_app").first,
        "wrote my_app/.gitignore"
      out, fine = plain("-I#{home}/lib", "#{home}/exe/raffia", "doctor")
      assert(fine, out)
      assert_match(/raffia\.\w+ +loaded$/, out)
    end

    private

    def gem(*arguments, chdir: @dir)
      out, fine = plain(File.join(RbConfig::CONFIG["bindir"], "gem"), *arguments, chdir: chdir)
      assert(fine, out)
    end

    def plain(*arguments, chdir: @dir)
      out, status = Open3.capture2e(clean({"RUBYLIB" => nil}), RbConfig.ruby, *arguments,
        chdir: chdir)
      [out, status.success?]
    end
  end
end
