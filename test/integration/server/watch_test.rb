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
        # The old worker may answer a few more requests.
        page = nil
        wait_until(60) { (page = get(port)).code == "500" }
        assert_match(/SyntaxError.*answer\.rb/m, page.body)
        change(daemon, "answer.rb", "ANSWER = missing\n")
        wait_until(60) { get(port).body.start_with?("NameError") }
        change(daemon, "answer.rb", "ANSWER = \"three\"\n")
        wait_until(60) { get(port).body == "three" }
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

    # As editors do.
    def change(daemon, name, text)
      path = File.join(daemon.dir, name)
      File.write("#{path}.new", text)
      File.rename("#{path}.new", path)
    end
  end
end
