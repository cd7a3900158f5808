# frozen_string_literal: true

require "test_helper"
require "raffia/server"
require "raffia/server/config_file"
require "tmpdir"

module Raffia
  class ServerConfigFileTest < TestCase
    def setup
      super
      @dir = Dir.mktmpdir("raffia-test-")
      @path = File.join(@dir, "raffia.rb")
    end

    def teardown
      FileUtils.remove_entry(@dir)
      super
    end

    def test_settings
      given = read(<<~RUBY).given
        bind "tcp://[::]:1"
        bind "unix:///a.sock", mode: "0660"
        processes 2 + 2
        preload
        early_hints false
        max_body "1m"
        tls "a.pem", "a.key"
        tls "b.pem", "b.key"
        access_log "-" if ENV.key?("PATH")
      RUBY
      assert_equal({bind: ["tcp://[::]:1", "unix:///a.sock?mode=0660"], processes: 4, preload: true,
        early_hints: false, max_body: 1 << 20,
                    tls_cert: %w[a.pem b.pem].map { File.expand_path(_1) },
                    tls_key: %w[a.key b.key].map { File.expand_path(_1) }, access_log: "-"}, given)
    end

    def test_each_setting_is_a_word
      Server::Settings.each do |row|
        value = if row.default.nil? || row.default == []
          {port: 1, count: 1, limit: 1, bytes: 1, seconds: 1, codings: "gzip",
           status_files: "503=x"}.fetch(row.type, "info")
        else
          row.default
        end
        value = row.type.first if row.type.is_a?(Array)
        assert read("#{row.name} #{value.inspect}").given.key?(row.name), row.name
      end
    end

    def test_hooks
      hooks = read("after_fork { |index| throw :forked, index }\nafter_fork { }\non_stop { }").hooks
      assert_equal 3, catch(:forked) { hooks.call(:after_fork, 3) }
      assert hooks.any?(:on_stop)
      refute hooks.any?(:before_fork)
      hooks.call(:before_fork, 1)
    end

    def test_the_application
      assert_equal [200, {}, []], read("app { |env| [200, {}, []] }").application.load.call({})
      assert_equal 7, read("app ->(env) { 7 }").application.load.call({})
      File.write(File.join(@dir, "it.rb"), "->(env) { 8 }")
      assert_equal 8, read("rackup #{File.join(@dir, "it.rb").inspect}").application.load.call({})
      assert_nil read("").application
    end

    {
      "one\nproceses 3" => "2: there is no word one",
      "processes 1\n\nproceses 3" => "3: there is no word proceses: did you mean processes?",
      "idle_timeout 'soon'" => '1: idle_timeout "soon" makes no sense: use seconds, such as 30, ' \
        '0.5 or "2m", or off',
      "def helper = processes(-1)\n\nhelper" => "1: processes -1 makes no sense",
      "processes" => "1: processes needs a value",
      "port 1, 2" => "1: port takes one value",
      "after_fork" => "1: after_fork needs a block",
      "rackup 'nowhere.ru'" => "1: nowhere.ru does not exist",
      "after_frok { }" => "1: there is no word after_frok: did you mean after_fork?"
    }.each do |text, message|
      define_method(:"test_refused: #{text}") do
        expected = text.start_with?("one") ? "1: there is no word one" : message
        assert_refused(/\A#{Regexp.escape("#{@path}:#{expected}")}/) { read(text) }
      end
    end

    def test_other_errors_are_rubys
      error = assert_raises(RuntimeError) { read("\nraise 'mine'") }
      assert_match(/\A#{Regexp.escape(@path)}:2:/, error.backtrace.first)
      assert_raises(SyntaxError) { read("def (") }
      assert_raises(NameError) { read("Nowhere") }
      assert_raises(NoMethodError) { read("nil.upcase") }
    end

    def test_a_file_that_is_not_there
      assert_raises(NotFound) { Server::ConfigFile.read("#{@dir}/none.rb") }
      assert_raises(NotFound) { Server::ConfigFile.read(@dir) }
    end

    private

    def read(text)
      File.write(@path, text)
      Server::ConfigFile.read(@path)
    end
  end
end
