# frozen_string_literal: true

require "support/servers"
require "raffia/jobs"
require "raffia/jobs/stores/mysql"

module TestSupport
  # A MariaDB server for tests of the job store. Each test has a database, which is removed after
  # it.
  module JobsMySQL
    # Makes a database, or drops it, and returns its address.
    def self.database(server, name, change = "CREATE DATABASE IF NOT EXISTS")
      Raffia::Jobs::Stores::MySQL::Driver.load
      one = Trilogy.new(host: "127.0.0.1", port: server.port, username: "root")
      one.query("#{change} #{name}")
      one.close
      "mysql://root@127.0.0.1:#{server.port}/#{name}"
    end

    def setup
      Raffia::Jobs::Stores::MySQL::Driver.load
      @server = MariaDB.running
      time = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC, :nanosecond)
      @schema = "test_#{object_id.to_s(36)}_#{time.to_s(36)}"
      @owner = ::Process.pid
      sql("CREATE DATABASE #{@schema}", database: nil)
      super
    rescue Server::Missing, Raffia::MissingDependency => error
      skip error.message
    end

    def teardown
      super
    ensure
      if @schema && @owner == ::Process.pid
        @server.start # again, after a test that has ended it
        @connections&.each(&:discard!) # with their locks
        sql("DROP DATABASE IF EXISTS #{@schema}", database: nil)
      end
    end

    # @param more [String] options
    def address(more = nil, user: "root", database: @schema, port: @server.port)
      "mysql://#{user}@127.0.0.1:#{port}/#{database}?#{[*more].join("&")}".delete_suffix("?")
    end

    # A connection of an application.
    def connection(database: @schema, **options)
      Trilogy.new(host: "127.0.0.1", port: @server.port, username: "root", database: database,
        **options).tap { |one| (@connections ||= []) << one }
    end

    # @return [Array<Array>] by a connection that is closed again; the store's tables are
    #   raffia_jobs and so on
    def sql(statement, database: @schema)
      one = Trilogy.new({host: "127.0.0.1", port: @server.port, username: "root",
                         database: database}.compact)
      one.query(statement).rows
    ensure
      one&.close
    end
  end
end
