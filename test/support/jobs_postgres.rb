# frozen_string_literal: true

require "support/servers"
require "raffia/jobs"

module TestSupport
  # A PostgreSQL server for tests of the job store. Each test has a schema, which is removed after
  # it.
  module JobsPostgres
    def setup
      Raffia::Optional.gem("pg", ">= 1.6", for: "this test")
      @server = PostgreSQL.running
      time = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC, :nanosecond)
      @schema = "test_#{object_id.to_s(36)}_#{time.to_s(36)}"
      @owner = ::Process.pid
      super
    rescue Server::Missing, Raffia::MissingDependency => error
      skip error.message
    end

    def teardown
      super
    ensure
      if @schema && @owner == ::Process.pid
        @server.start # again, after a test that has ended it
        sql("DROP SCHEMA IF EXISTS #{@schema} CASCADE")
        @connections&.each(&:close)
      end
    end

    # @param more [String] options
    def address(more = nil, user: "postgres", database: "postgres", port: @server.port)
      "postgres://#{user}@127.0.0.1:#{port}/#{database}?#{["schema=#{@schema}", *more].join("&")}"
    end

    # A connection of an application.
    def connection(**options)
      PG.connect(host: "127.0.0.1", port: @server.port, user: "postgres", dbname: "postgres",
        **options).tap do |one|
        one.set_notice_processor { nil }
        (@connections ||= []) << one
      end
    end

    # @return [Array<Array<String>>] by a connection that is closed again; `jobs` and so on are the
    #   store's tables
    def sql(statement, *params)
      one = PG.connect(host: "127.0.0.1", port: @server.port, user: "postgres", dbname: "postgres",
        options: "-c search_path=#{@schema} -c client_min_messages=error")
      one.exec_params(statement, params).values
    ensure
      one&.close
    end
  end
end
