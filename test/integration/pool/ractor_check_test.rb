# frozen_string_literal: true

require_relative "../cli/cli_case"
require "json"

module Raffia
  # `raffia doctor --rack`: each application is a program of a user's, and what is said of it is
  # what the user reads.
  class RactorCheckTest < CLICase
    def setup
      super
      need_cruby "Ractors"
      need_gem "rack"
    end

    def need_gem(name)
      Gem::Specification.find_by_name(name)
    rescue Gem::MissingSpecError
      skip "the gem #{name} is not installed"
    end

    # @return [Array(Integer, String)] the exit code, and what was printed with its lines joined
    def doctor(config, *argv)
      ended = raffia "doctor", "--rack", script(config, "config.ru"), *argv
      assert_empty ended.err.lines.grep_v(/warning|DEPRECATION/)
      [ended.code, ended.out.split.join(" ")]
    end

    def assert_fit(config, *argv)
      code, text = doctor(config, *argv)
      assert_equal 0, code, text
      assert_match(/ok request GET \S+: 200, in a Ractor/, text)
      text
    end

    def assert_unfit(words, config, *argv)
      code, text = doctor(config, *argv)
      assert_equal 1, code, text
      Array(words).each { |part| assert_includes text, part }
    end

    OK = '[200, {"content-type" => "text/plain"}, ["ok"]]'

    def test_a_block_that_captures_what_can_be_frozen
      assert_fit("names = [+'a', {b: +'c'}]\nrun ->(env) { [200, {'content-type' => " \
        "'text/plain'}, [names.inspect]] }")
    end

    def test_a_module_and_an_object
      assert_fit("module App; def self.call(env) = #{OK}; end\nrun App")
      assert_fit("class App; def initialize = @hello = [+'hello']; def call(env) = [200, {}, " \
        "[@hello.first]]; end\nrun App.new")
    end

    # Each Ractor makes its own middlewares, so these may do what they like with their variables.
    def test_a_middleware_that_counts
      assert_fit(<<~RUBY)
        class Count
          def initialize(app, names) = (@app, @names, @lock, @count = app, names, Mutex.new, 0)
          def call(env) = @lock.synchronize { @count += 1 } && @app.call(env)
        end
        use Rack::Lint
        use Count, [+"a"]
        use Rack::ContentLength
        use Rack::ETag
        run(lambda do |env|
          [200, {"content-type" => "text/plain"}, [Rack::Request.new(env).params.inspect]]
        end)
      RUBY
    end

    def test_maps
      config = "map('/a') { use Rack::Head; run ->(_) { #{OK} } }\nmap('/b') { run ->(_) { raise " \
        "'b' } }\nrun ->(_) { [404, {}, []] }"
      text = assert_fit(config, "--path", "/a", "--path", "/c")
      assert_includes text, "GET /c: 404, in a Ractor"
      assert_unfit(["GET /b raised RuntimeError at config.ru:2: b"], config, "--path", "/b")
    end

    def test_roda
      need_gem "roda"
      assert_fit("require 'roda'\nclass App < Roda\n  route { |r| r.root { 'hello' } }\nend\nrun " \
        "App.freeze.app")
    end

    def test_sinatra
      need_gem "sinatra"
      assert_unfit(["raised Ractor::IsolationError",
        "which is not made for Ractors: serve it with processes"],
        "require 'sinatra/base'\nclass App < Sinatra::Base\n  get('/') { 'hello' }\nend\nrun App")
    end

    def test_an_open_file
      assert_unfit(["config.ru: use Rack::CommonLogger, argument 1 > Logger@logdev > " \
        "Logger::LogDevice@dev (File) is an open file", "Make it where it is used"],
        "require 'logger'\nuse Rack::CommonLogger, Logger.new('log')\nrun ->(_) { #{OK} }")
    end

    def test_a_lock_in_the_application
      assert_unfit("config.ru: run > App@lock (Thread::Mutex) belongs to one Ractor",
        "class App; def initialize = @lock = Mutex.new; def call(env) = #{OK}; end\nrun App.new")
    end

    def test_a_block_that_assigns
      assert_unfit(["config.ru: run (block at config.ru:2) uses count (can not make a Proc " \
        "shareable because it accesses outer variables (count))"],
        "count = 0\nrun ->(_) { count += 1; #{OK} }")
    end

    # Frozen is what `run` was given, so this is seen when it is tried.
    def test_a_cache_in_the_application
      assert_unfit(["GET / raised FrozenError at config.ru:1: can't modify frozen Hash: {} (run " \
        "> App@cache)", "Ractor.current[:name]"],
        "class App; def initialize = @cache = {}; def call(env) = @cache[1] ||= #{OK}; end\nrun " \
          "App.new")
    end

    def test_what_the_code_says
      assert_unfit(["run > App#call uses @count, which it assigns to",
        "run > App#call > App#help uses TABLE, which holds a Hash that is not deeply frozen",
        "Freeze it where it is defined, TABLE = Ractor.make_shareable(...)",
        "run > App#call > App#help uses $setting, which is a global variable"],
        "TABLE = {1 => [+'a']}\nclass App\n  def call(env) = (@count = 1) && help\n  def help = " \
          "env['x'] ? [TABLE, $setting] : #{OK}\n  def env = {}\nend\nrun App.new")
    end

    def test_a_middleware_with_a_class_variable
      assert_unfit("use > Count#call uses @@all, which is a class variable",
        "class Count\n  @@all = 0\n  def initialize(app) = @app = app\n  def call(env) = (@@all " \
          "+= 1) && @app.call(env)\nend\nuse Count\nrun ->(_) { #{OK} }")
    end

    def test_what_ruby_cannot_do
      skip "Ruby #{RUBY_VERSION} can" if RUBY_VERSION >= "4"

      assert_unfit(["run > App.call uses Fiber.new, which may crash the process",
        "run > App.call uses Thread.new, which may hang in a Ractor"],
        "module App\n  def self.call(env) = env ? #{OK} : [Fiber.new { 1 }, Thread.new { 2 " \
          "}]\nend\nrun App")
    end

    def test_one_that_ends_the_process
      assert_unfit("the process that tried it came to an end of its own (worker process",
        "run ->(_) { Process.kill(:KILL, $$) }")
    end

    def test_what_is_no_response
      assert_unfit(["raised TypeError", "7 is no response: that is [status, headers, body]"],
        "run ->(_) { 7 }")
    end

    def test_one_that_does_not_load
      assert_unfit(["uninitialized constant Nothing (NameError)",
        "This is an error of the application: config.ru:1"], "use Nothing")
      assert_unfit(["exit (SystemExit)", "This is an error of the application"], "exit(3)")
      assert_unfit("there is nothing to run: config.ru needs a line `run` or `map`",
        "use Rack::Head")
    end

    def test_as_json
      code, text = doctor("run ->(_) { #{OK} }", "--json")
      report = JSON.parse(text)
      assert_equal [0, true], [code, report["ok"]]
      assert_includes report["checks"].map { |check| check["detail"] }, "GET /: 200, in a Ractor"
    end

    def test_no_file
      ended = raffia "doctor", "--rack", "nowhere.ru"
      assert_equal [2, ""], [ended.code, ended.out]
      assert_match(/nowhere\.ru does not exist/, ended.err)
    end
  end
end
