# frozen_string_literal: true

require_relative "serve_case"

module Raffia
  # `raffia new`: what it writes is run as its README says, by the raffia that is tested here.
  class CLINewTest < CLIServeCase
    FILES = %w[.gitignore Gemfile README.md app/actors.rb app/greet_job.rb app/visits.rb app/web.rb
      config.ru jobs.rb raffia.rb test/app_test.rb].freeze

    def test_the_application_has_tests_that_pass
      make("my_app")
      ended = inside("my_app") { ruby("test/app_test.rb") }
      assert_equal ["", 0], [ended.err, ended.code], ended.out
      assert_match(/^4 runs, .* 0 failures, 0 errors, 0 skips$/, ended.out)
    end

    def test_the_application_serves_counts_and_greets
      need_gems "rack", "sqlite3"
      make("my_app")
      inside("my_app") do
        serve(command: [EXECUTABLE, "up", "--json"]) do |server|
          assert_equal [1, 2].map { |number| "Hello! You are visitor #{number}.\n" },
            Array.new(2) { server.get.body }
          assert_equal "202", Net::HTTP.post(URI("#{server.url}/greet/Ada"), "").code
          wait_until(PROCESS_PATIENCE, "nobody was greeted") { server.out.include?("Hello Ada!") }
          server.kill(:TERM)
          assert_equal 0, server.ended.exitstatus, server.err
        end
      end
    end

    # With what is installed here, and no other place to look.
    def test_bundler_finds_raffia_in_its_checkout
      need_gems "rack", "sqlite3"
      make("my_app")
      bundle = Gem.bin_path("bundler", "bundle")
      inside("my_app") do
        installed = ruby(bundle, "install", "--local", "--quiet", env: bundler)
        assert_equal 0, installed.code, installed.out + installed.err
        ended = ruby(bundle, "exec", "raffia", "version", env: bundler)
        assert_equal ["", 0], [ended.err, ended.code]
        assert_equal ["raffia", VERSION], ended.out.split.first(2)
      end
    end

    def test_what_it_says_and_writes
      ended = raffia("new", "shop")
      assert_equal ["", 0], [ended.err, ended.code]
      assert_equal [*FILES.map { |file| "wrote shop/#{file}" }, "",
        "Next: cd shop && bundle install && bundle exec raffia up",
        "For that the Ruby of this checkout comes first: export " \
          "PATH=#{RbConfig::CONFIG["bindir"]}:$PATH"].sort, ended.out.lines.map(&:chomp).sort
      assert_equal FILES, Dir.glob("**/*", File::FNM_DOTMATCH, base: File.join(@dir, "shop"))
        .reject { |path| File.directory?(File.join(@dir, "shop", path)) }.sort
      assert_includes read("shop/Gemfile"), %(\ngem "raffia", path: "#{ROOT}"\n)
      assert_match(/\A# shop$/, read("shop/README.md"))
      assert_empty FILES.select { |file| read("shop/#{file}").match?(/APPLICATION|GEM/) }
    end

    def test_another_checkout
      Dir.mkdir(File.join(@dir, "elsewhere"))
      script "", "elsewhere/raffia.gemspec"
      assert_equal 0, raffia("new", "--path", "elsewhere", "shop").code
      assert_includes read("shop/Gemfile"),
        %(path: "#{File.join(File.realpath(@dir), "elsewhere")}")
      refused(/nowhere is no checkout/, "--path", "nowhere", "other")
    end

    def test_names_that_are_none
      ["", ".", "..", "a/b", "../up", "Shop", "two words", "1st", "a--b", "ends-"].each do |name|
        refused(/is no name for an application/, name)
      end
      refused(/needs a name/)
      refused(/needless argument: b/, "a", "b")
      assert_empty Dir.children(@dir) - ["config.ru"]
    end

    def test_a_folder_that_has_something_in_it_is_left_alone
      Dir.mkdir(File.join(@dir, "shop"))
      assert_equal 0, raffia("new", "shop").code
      refused(/shop is there already/, "shop")
      script "mine", "file"
      refused(/file is there already/, "file")
      assert_equal "mine", read("file")
    end

    private

    def make(name) = assert_equal(0, raffia("new", name).code)

    def refused(message, *argv)
      ended = raffia("new", *argv)
      assert_equal ["", 2], [ended.out, ended.code], argv.inspect
      assert_match message, ended.err
    end

    def inside(name)
      outside = @dir
      @dir = File.join(@dir, name)
      yield
    ensure
      @dir = outside
    end

    def read(path) = File.read(File.join(@dir, path))

    # Like an environment without the bundle of the tests.
    def bundler
      {"BUNDLE_GEMFILE" => nil, "BUNDLE_PATH" => nil, "BUNDLE_APP_CONFIG" => nil, "RUBYLIB" => nil,
       "GEM_HOME" => Gem.dir, "GEM_PATH" => Gem.path.join(":")}
    end

    def need_gems(*names)
      names.each do |name|
        if Gem::Specification.find_all_by_name(name).empty?
          skip "the gem #{name} is not installed (bin/setup)"
        end
      end
    end
  end
end
