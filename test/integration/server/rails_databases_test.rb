# frozen_string_literal: true

require_relative "rails_case"

module Raffia
  # Active Record on fibers: a connection for each request that is at work, and none is shared.
  module ServerRailsDatabases
    AT_ONCE = 20
    CLOSE = {"pg" => "SELECT pg_advisory_lock(1)",
             "trilogy" => "SELECT GET_LOCK('gate', 600)"}.freeze
    WAIT = {"pg" => "SELECT pg_advisory_xact_lock_shared(1)",
            "trilogy" => "SELECT GET_LOCK('gate', 600), RELEASE_LOCK('gate')"}.freeze
    OPEN = {"pg" => "SELECT pg_advisory_unlock(1)",
            "trilogy" => "SELECT RELEASE_LOCK('gate')"}.freeze
    COUNT = {"pg" => "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND " \
      "state = 'active'",
             "trilogy" => "SELECT count(*) FROM information_schema.processlist WHERE state = " \
               "'User lock'"}.freeze

    # All of them are at the database at one time: each waits there at a gate, and it counts them.
    # One after the other they would never be that many.
    def test_requests_are_at_the_database_side_by_side
      with_database do |port|
        http(port) do |http|
          %w[Ada Grace].each do |name|
            assert_equal "200", http.post("/people", "name=#{name}").code
          end
          assert_equal %w[Ada Grace], JSON.parse(http.get("/people").body)
        end
        answers = at_the_gate do
          Array.new(AT_ONCE) { Thread.new { http(port) { |http| http.get("/wait") } } }
        end
        assert_equal({"200" => AT_ONCE}, answers.map(&:code).tally, answers.map(&:body).uniq.first)
        pairs = answers.map { |answer| JSON.parse(answer.body) }
        # a transaction stays on its connection
        pairs.each { |first, second| assert_equal first, second }
        assert_equal AT_ONCE, pairs.map(&:first).uniq.size
      end
    end

    private

    # @return [Array] what the threads of the block have, when the gate was opened for them
    def at_the_gate
      observed do |observer|
        ask(observer, CLOSE[gem_name])
        threads = yield
        wait_until(60) { ask(observer, COUNT[gem_name]).to_i == AT_ONCE }
        ask(observer, OPEN[gem_name])
        threads.map(&:value)
      end
    end

    def with_database
      need_gem "activerecord", gem_name
      @server = server.running
      prepare
      rails({"DATABASE_URL" => url, "WAIT" => WAIT[gem_name], "WHO" => who}) { |port| yield port }
    rescue TestSupport::Server::Missing => error
      skip error.message
    end
  end

  class ServerRailsPostgreSQLTest < ServerRailsCase
    include ServerRailsDatabases

    private

    def gem_name = "pg"
    def server = TestSupport::PostgreSQL
    def url = "postgresql://postgres@127.0.0.1:#{@server.port}/postgres?pool=#{AT_ONCE + 5}"
    def who = "SELECT pg_backend_pid()"
    def prepare = require("pg")

    def observed(&) = PG.connect(host: "127.0.0.1", port: @server.port, user: "postgres", &)
    def ask(observer, statement) = observer.exec(statement).getvalue(0, 0)
  end

  class ServerRailsMariaDBTest < ServerRailsCase
    include ServerRailsDatabases

    private

    def gem_name = "trilogy"
    def server = TestSupport::MariaDB
    def url = "trilogy://root@127.0.0.1:#{@server.port}/rails?pool=#{AT_ONCE + 5}"
    def who = "SELECT CONNECTION_ID()"

    def prepare
      # there are two versions of a gem that it wants
      Raffia::Optional.gem("trilogy", for: "this test")
      observed { |connection| connection.query("CREATE DATABASE IF NOT EXISTS rails") }
    end

    def ask(observer, statement) = observer.query(statement).first.first

    def observed
      connection = Trilogy.new(host: "127.0.0.1", port: @server.port, username: "root")
      yield connection
    ensure
      connection&.close
    end
  end
end
