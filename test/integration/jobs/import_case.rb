# frozen_string_literal: true

require "fileutils"
require "support/servers"
require_relative "../cli/cli_case"
require "raffia/jobs"
require "raffia/jobs/import"

# Trilogy wants it. There may be two, Ruby's own and the bundle's, and RubyGems does not choose.
gem "bigdecimal" unless Gem::Specification.find_all_by_name("bigdecimal").empty?

module Raffia
  # The parent of the tests that import jobs: real gems enqueue them, in a process of their own.
  class JobsImportCase < CLICase
    Jobs = Raffia::Jobs
    Import = Raffia::Jobs::Import

    # A Rails application with jobs; DATABASE_URL and ADAPTER say where they go.
    APPLICATION = <<~RUBY
      require "rails"
      require "active_record/railtie"
      require "active_job/railtie"
      require ENV.fetch("GEM")

      class Shop < Rails::Application
        config.load_defaults 8.0
        config.eager_load = false
        config.logger = Logger.new(nil)
        config.secret_key_base = "0" * 64
        config.active_job.queue_adapter = ENV.fetch("ADAPTER").to_sym
      end
      Shop.initialize!
      ActiveRecord::Schema.verbose = false

      class MailJob < ActiveJob::Base
        queue_as :mail
        def perform(*) = nil
      end

      class FailingJob < ActiveJob::Base
        def perform(*) = raise(ArgumentError, "on purpose")
      end
    RUBY

    def setup
      super
      @store = Jobs::Store.open("sqlite:#{File.join(@dir, "jobs.db")}")
    end

    def teardown
      @store&.close
      super
    end

    private

    def require_gems(*names)
      names.each do |name|
        if Gem::Specification.find_all_by_name(name).empty?
          skip "the gem #{name} is not installed (bin/setup --server)"
        end
      end
    end

    # An empty database of the Redis of all tests.
    # @return [RedisClient]
    def redis_client(url)
      Raffia::Optional.gem("redis-client", ">= 0.27", for: "this test", feature: "redis_client")
      RedisClient.config(url:).new_client.tap { |client| client.call("FLUSHDB") }
    end

    # Runs a program, and fails the test with what it says.
    def run_program(text, env = {})
      ended = ruby("-W0", script(text), env:)
      assert_predicate ended.status, :success?, ended.err
      ended.out
    end

    def import(from, url, **options)
      one = Import.new(from, url, to: @store, **options)
      one.run
    ensure
      one&.close
    end

    def plan(from, url, **options)
      one = Import.new(from, url, to: @store, **options)
      one.plan
    ensure
      one&.close
    end

    def items(set, queue = nil) = @store.entries(set, queue:, limit: 10_000).map(&:item)

    # A database of its own on a server for all tests, or a file.
    def database(kind)
      name = "import_#{::Process.pid}_#{object_id}"
      case kind
      when :sqlite then "sqlite3:#{File.join(@dir, "shop.sqlite3")}"
      when :postgres then postgres(name)
      else mariadb(name)
      end
    rescue TestSupport::Server::Missing => error
      skip error.message
    end

    def postgres(name)
      Raffia::Optional.gem("pg", ">= 1.6", for: "this test")
      port = TestSupport::PostgreSQL.running.port
      connection = PG.connect(host: "127.0.0.1", port:, user: "postgres", dbname: "postgres")
      connection.exec("CREATE DATABASE #{name}")
      "postgresql://postgres@127.0.0.1:#{port}/#{name}"
    ensure
      connection&.close
    end

    def mariadb(name)
      Raffia::Optional.gem("trilogy", ">= 2.8", for: "this test")
      port = TestSupport::MariaDB.running.port
      connection = Trilogy.new(host: "127.0.0.1", port:, username: "root")
      connection.query("CREATE DATABASE #{name} CHARACTER SET utf8mb4")
      "trilogy://root@127.0.0.1:#{port}/#{name}"
    ensure
      connection&.close
    end
  end
end
