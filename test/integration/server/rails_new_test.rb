# frozen_string_literal: true

require_relative "rails_new_case"
require "open3"

module Raffia
  # An application that knows nothing of fibers: none of its writes is lost, wherever its requests
  # run.
  class ServerRailsNewTest < ServerRailsNewCase
    SERVE = ["#{ROOT}/exe/raffia", "serve", "-o", "127.0.0.1", "--processes", "2"].freeze
    PINNED = "config.active_support.isolation_level = :thread"

    def test_sqlite
      sqlite
      running(*SERVE) do |port, daemon|
        assert_exact(port)
        assert_equal "fibers", get(port, "/counter/place")
        assert_equal 1,
          daemon.log.scan("requests run in fibers, as many at once as Active Record has " \
            "connections (5): Rails keeps what belongs to one by fiber").size
      end
      running(*SERVE, "--execution", "threads") do |port|
        assert_exact(port)
        assert_equal "threads", get(port, "/counter/place")
      end
    end

    def test_postgresql
      @server = TestSupport::PostgreSQL.running
      prepare("postgresql://postgres@127.0.0.1:#{@server.port}/postgres")
      running(*SERVE) do |port|
        assert_exact(port)
        assert_equal "fibers", get(port, "/counter/place")
        # With five connections, and one process or the other.
        crowds = Array.new(40) { Thread.new { get(port, "/counter/crowd").to_i } }.map(&:value)
        assert_includes 2..5, crowds.max
      end
      running(*SERVE, "--execution", "threads", "--threads", "5") do |port|
        assert_exact(port)
        assert_equal "threads", get(port, "/counter/place")
      end
    rescue TestSupport::Server::Missing => error
      skip error.message
    end

    def test_by_rails_server
      sqlite
      running("bin/rails", "server", "-u", "raffia", "-b", "127.0.0.1") do |port, daemon|
        assert_equal "fibers", get(port, "/counter/place")
        assert_equal 1, daemon.log.scan("requests run in fibers").size
      end
    end

    # It loads its server when the application is there already.
    def test_by_rackup
      sqlite
      running("-e", 'load Gem.bin_path("rackup", "rackup")', "--", "-s", "raffia", "-o",
        "127.0.0.1", "-O", "processes=2") do |port, daemon|
        assert_equal "threads", get(port, "/counter/place")
        assert_equal 1,
          daemon.log.scan(
            /requests run on 5 threads: .*isolation_level was :thread when the server began/
          ).size
      end
    end

    def test_one_that_wants_threads_gets_them
      sqlite
      pinned do
        running("#{ROOT}/exe/raffia", "up", "--processes", "2", "--jobs", "1", "-o", "127.0.0.1",
          "--store", "sqlite:#{@dir}/storage/jobs.db") do |port, daemon|
          assert_equal "threads", get(port, "/counter/place")
          assert_equal 1,
            daemon.log.scan(
              /requests run on 5 threads: config\.active_support\.isolation_level is :thread$/
            ).size
        end
      end
    end

    def test_connections_are_never_shared
      sqlite
      pinned do
        output, status = raffia("serve", "--execution", "fibers", "--processes", "0", "-p", "0")
        assert_equal 2, status, output
        assert_match(
          Regexp.new("\\Araffia: execution fibers: config\\.active_support\\.isolation_level is " \
            ":thread, so requests would share connections"), output
        )
        output, status = raffia("serve", "--check")
        assert_equal 0, status, output
        assert_match(
          /^Requests run on 5 threads: config\.active_support\.isolation_level is :thread$/, output
        )
      end
    end

    private

    def sqlite = prepare("sqlite3:#{@dir}/storage/production.sqlite3")

    def pinned
      path = File.join(@dir, "config/initializers/isolation.rb")
      File.write(path, "Rails.application.#{PINNED}\n")
      yield
    ensure
      File.unlink(path)
    end
  end
end
