# frozen_string_literal: true

require_relative "server_case"
require "raffia/server/file_watcher"

module Raffia
  # Changes of an application's files under a running server.
  class ServerWatchTest < ServerCase
    FileWatcher = Raffia::Server::FileWatcher
    CONFIG = <<~RUBY
      load File.expand_path("answer.rb")
      run ->(_) { [200, {}, [ANSWER]] }
    RUBY

    def test_a_change_is_served_and_one_that_does_not_load_is_shown
      program(CONFIG, files: {"answer.rb" => "ANSWER = \"one\"\n"}, processes: 1, watch: true,
        environment: "development") do |port, daemon|
        assert_equal "one", get(port).body
        change(daemon, "answer.rb", "ANSWER = \"two\"\n")
        wait_until(60) { get(port).body == "two" }
        change(daemon, "answer.rb", "ANSWER = (\n")
        page = nil
        wait_until(60) { (page = get(port)).code == "500" }
        assert_match(/SyntaxError.*answer\.rb/m, page.body)
        change(daemon, "answer.rb", "ANSWER = missing\n")
        wait_until(60) { get(port).body.start_with?("NameError") }
        change(daemon, "answer.rb", "ANSWER = \"three\"\n")
        wait_until(60) { get(port).body == "three" }
      end
    end

    # The new code says when it begins to load, and goes on when the test lets it.
    def test_requests_wait_for_the_code_that_loads
      program(CONFIG, files: {"answer.rb" => "ANSWER = \"one\"\n"}, processes: 1, watch: true,
        environment: "development") do |port, daemon|
        kept = connect(port)
        kept.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
        assert_match(/one\z/, kept.readpartial(4096))
        change(daemon, "answer.rb", <<~RUBY)
          File.write("loading", "")
          sleep 0.01 until File.exist?("go")
          ANSWER = "two"
        RUBY
        assert_empty kept.read, "a connection that is kept would have the old code"
        wait_until(60) { File.exist?("#{daemon.dir}/loading") }
        answer = ::Thread.new { get(port).body }
        assert_nil answer.join(0.5)&.value, daemon.log
        File.write("#{daemon.dir}/go", "")
        assert_equal "two", answer.value
      ensure
        kept&.close
      end
    end

    def test_files_that_the_application_has_loaded_count_wherever_they_are
      Dir.mktmpdir do |elsewhere|
        files = {"vendor/engine.rb" => "ONE = 1\n"}
        File.write("#{elsewhere}/other.rb", "OTHER = 1\n")
        config = <<~RUBY
          require File.expand_path("vendor/engine.rb")
          require "#{elsewhere}/other.rb"
          run ->(_) { [200, {}, ["\#{ONE} \#{OTHER}"]] }
        RUBY
        program(config, files: files, processes: 1, watch: true,
          environment: "development") do |port, daemon|
          assert_equal "1 1", get(port).body
          # The worker tells a moment later which folders these are.
          served_after("2 1", port) { change(daemon, "vendor/engine.rb", "ONE = 2\n") }
          served_after("2 2", port) { File.write("#{elsewhere}/other.rb", "OTHER = 2\n") }
        end
      end
    end

    # inotify_add_watch(2) and ENOSPC.
    def test_without_enough_watches_of_inotify_times_are_compared
      number = {"x86_64-linux" => 254, "aarch64-linux" => 27}[RUBY_PLATFORM] or
        skip "the number of the system call is not known here"
      program(CONFIG, files: {"answer.rb" => "ANSWER = \"one\"\n"}, processes: 1, watch: true,
        environment: "development", env: {"RUBYOPT" => "-r#{ROOT}/test/support/refuse.rb",
                                          "REFUSE" => "#{number}:28"}) do |port, daemon|
        assert_equal "one", get(port).body
        assert_match(/looked at once a second.*No space left/, daemon.log)
        served_after("two", port) { change(daemon, "answer.rb", "ANSWER = \"two\"\n") }
      end
    end

    def test_it_is_refused_where_it_cannot_work
      error = assert_raises(Raffia::ConfigError) do
        Raffia::Server.new(HELLO, watch: true, processes: 0, environment: "development")
      end
      assert_match(/watch replaces worker processes.*use processes 1 or more/, error.message)
      error = assert_raises(Raffia::ConfigError) do
        Raffia::Server.new(HELLO, watch: true, processes: 1, environment: "production")
      end
      assert_match(/watch is for development/, error.message)
    end

    {inotify: FileWatcher::Inotify, polling: FileWatcher::Polling}.each do |name, kind|
      define_method(:"test_sources_count_by_#{name}") do
        Dir.mktmpdir do |folder|
          source = (name == :inotify) ? kind.open : kind.new(0)
          skip "no inotify here" unless source
          File.write("#{folder}/a.rb", "1")
          source.begin(FileWatcher.folders(folder))
          refute_predicate source, :changed?
          File.write("#{folder}/a.txt", "1")
          refute_predicate source, :changed?
          File.write("#{folder}/b.rb.tmp", "2")
          File.rename("#{folder}/b.rb.tmp", "#{folder}/b.rb")
          assert_predicate source, :changed?
          refute_predicate source, :changed?
          File.unlink("#{folder}/a.rb")
          assert_predicate source, :changed?
        ensure
          source&.close
        end
      end
    end

    def test_folders_without_source_are_left_out
      Dir.mktmpdir do |folder|
        %w[lib/a app/models config .git/x node_modules/y log tmp/cache].each do |path|
          FileUtils.mkdir_p("#{folder}/#{path}")
        end
        names = -> { FileWatcher.folders(folder).map { |path| path.delete_prefix(folder) }.sort }
        assert_equal ["", "/app", "/app/models", "/config", "/lib", "/lib/a", "/tmp"], names.call
        File.write("#{folder}/config/application.rb", "")
        assert_equal ["", "/config", "/lib", "/lib/a", "/tmp"], names.call
      end
    end

    private

    def get(port)
      Net::HTTP.get_response(URI("http://127.0.0.1:#{port}/"), {"accept" => "*/*"})
    end

    # Changes until one is seen.
    def served_after(body, port)
      wait_until(60) do
        yield
        sleep 0.5
        get(port).body == body
      end
    end

    # As editors do.
    def change(daemon, name, text)
      path = File.join(daemon.dir, name)
      File.write("#{path}.new", text)
      File.rename("#{path}.new", path)
    end
  end
end
