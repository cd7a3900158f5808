# frozen_string_literal: true

require_relative "server_rails_case"

module Raffia
  # Active Record on fibers: a connection for each request that is at work, and none is shared.
  module ServerRailsDatabases
    AT_ONCE = 20

    # All of them are at the database at one time: it counts them. One after the other they would never be that many.
    def test_requests_are_at_the_database_side_by_side
      with_database do |port|
        http(port) do |http|
          %w[Ada Grace].each { |name| assert_equal "200", http.post("/people", "name=#{name}").code }
          assert_equal %w[Ada Grace], JSON.parse(http.get("/people").body)
        end
        requests = Array.new(AT_ONCE) { Thread.new { http(port) { |http| http.get("/wait") } } }
        wait_until(30) { waiting >= AT_ONCE }
        answers = requests.map(&:value)
        assert_equal({"200" => AT_ONCE}, answers.map(&:code).tally, answers.map(&:body).uniq.first)
        pairs = answers.map { |answer| JSON.parse(answer.body) }
        pairs.each { |first, second| assert_equal first, second } # a transaction stays on its connection
        assert_equal AT_ONCE, pairs.map(&:first).uniq.size
      end
    end

    private

    def with_database
      need_gem "activerecord", gem_name
      @server = server.running
      prepare
      rails({"DATABASE_URL" => url, "WAIT" => pause, "WHO" => who}) { |port| yield port }
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
    def pause = "SELECT pg_sleep(3)"
    def who = "SELECT pg_backend_pid()"
    def prepare = require("pg")

    def waiting
      PG.connect(host: "127.0.0.1", port: @server.port, user: "postgres") do |connection|
        connection.exec("SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT pg_sleep%'").getvalue(0, 0).to_i
      end
    end
  end

  class ServerRailsMariaDBTest < ServerRailsCase
    include ServerRailsDatabases

    private

    def gem_name = "trilogy"
    def server = TestSupport::MariaDB
    def url = "trilogy://root@127.0.0.1:#{@server.port}/rails?pool=#{AT_ONCE + 5}"
    def pause = "SELECT SLEEP(3)"
    def who = "SELECT CONNECTION_ID()"

    def prepare
      require "trilogy"
      admin { |connection| connection.query("CREATE DATABASE IF NOT EXISTS rails") }
    end

    def waiting
      admin do |connection|
        connection.query("SELECT count(*) FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'").first.first
      end
    end

    def admin
      connection = Trilogy.new(host: "127.0.0.1", port: @server.port, username: "root")
      yield connection
    ensure
      connection&.close
    end
  end
end
