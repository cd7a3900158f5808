# frozen_string_literal: true

require "test_helper"
require "support/jobs_mysql"
require "raffia/jobs/durable"
require_relative "work_case"

module Raffia
  # Steps in transactions of the application's database, whose worker process is killed before and
  # after the commit.
  module JobsDurableTransaction
    PROGRAM = <<~'RUBY'
      require "raffia/jobs"
      require "./application"

      class NoteJob
        include Raffia::Job

        def perform(name) = File.write("noted", "#{name} #{jid}\n", mode: "a")
      end

      class Transfer
        include Raffia::Durable

        def call(names)
          names.map do |name|
            transaction(name, on: Application.connection(name)) do |connection, step|
              Application.effect(connection, name)
              step.enqueue(NoteJob, name)
              Application.die("before-#{name}")
              [name, step.key]
            end
          end
        end
      end

      # Dies after the application's commit, and before the record in the store of jobs.
      Raffia::Jobs::Durable::StepTable.prepend(Module.new {
        def once(key) = super.tap { Application.die("after-#{key}") }
      })

      module Application
        def self.effect(connection, name)
          sql = "INSERT INTO effects (name) VALUES ('#{name}')"
          case connection.class.name
          when "PG::Connection" then connection.exec(sql)
          when "Trilogy" then connection.query(sql)
          else connection.execute(sql)
          end
        end

        # Once for each name.
        def self.die(name)
          return if File.exist?(name)

          File.write(name, "")
          Process.kill(:KILL, Process.pid)
          sleep
        end
      end
    RUBY

    module OnAnyDatabase
      def setup
        super
        script PROGRAM, "jobs.rb"
        script <<~RUBY, "application.rb"
          #{driver}
          #{preload}

          module Application
            def self.connection(name) = (name == "plain") ? plain : record

            def self.plain = #{plain}

            def self.record
              ActiveSupport::IsolatedExecutionState.isolation_level = :fiber
              ActiveRecord::Base.establish_connection(#{options})
              ActiveRecord::Base
            end
          end
        RUBY
        load(File.join(@dir, "application.rb"))
        @kept = Jobs::Setup.current.given
        Jobs.store = @store
        prepare
      end

      def teardown
        Jobs::Setup.current.given = @kept if @dir
        super
      end

      def url = "sqlite:#{@dir}/jobs.db"

      def names = active_record? ? %w[plain record] : %w[plain]

      def active_record? = Gem::Specification.find_all_by_name("activerecord").any?

      # Once for all processes, before they are forked.
      def preload
        return unless active_record?

        "require \"active_record\"\n" \
          "require \"active_record/connection_adapters/#{options[:adapter]}_adapter\""
      end

      def test_a_kill_before_or_after_the_commit_leaves_one_effect_and_one_record
        id = begin_function
        work("--processes", "2") do
          await("it has not ended: #{Durable.flow(id)}") { Durable.status(id) == "done" }
          await("jobs were not run") { noted.map(&:first).uniq.sort == names.sort }
        end
        assert_equal(names, Durable.result(id).map(&:first))
        assert_equal(names.to_h { |name| [name, 1] }, effects.tally)
        assert_equal(names.size, steps)
        # The jobs of the transactions were enqueued once each.
        assert_equal(names.size, noted.uniq.size)
        assert_equal(2 * names.size, Dir.children(@dir).grep(/\A(?:before|after)-/).size)
        assert_equal(["transaction"] * names.size, @store.flow_steps(id).map(&:kind))
        assert_empty(@store.check)
      end

      def test_a_second_attempt_waits_for_the_first_one_and_takes_its_record
        gate = Thread::Queue.new
        open { |one| Jobs::Durable::StepTable.new(one).once("other") { "1" } }
        first = in_thread { |one| one.once("key") { gate.push(1) && sleep(0.05) && "first" } }
        gate.pop(timeout: TestCase::PATIENCE)
        second = in_thread { |one| one.once("key") { "second" } }
        assert_equal(%w[first first], [first.value, second.value])
      end

      private

      def in_thread
        Thread.new { open { |database| yield Jobs::Durable::StepTable.new(database) } }
      end

      def open
        connection = Application.plain
        Jobs::Durable::ApplicationDatabase.open(connection) { |database| yield database }
      ensure
        connection&.close
      end

      def begin_function
        @store.enqueue([Jobs::Draft.of(Jobs::Client::PayloadBuilder.build({
          "class" => "Transfer", "args" => [names], "raffia" => {"flow" => {"class" => "Transfer"}}
        }))]).first
      end

      def prepare = open { |database| database.run("CREATE TABLE effects (name varchar(20))") }

      def effects = sql("SELECT name FROM effects").flatten

      def steps = sql("SELECT count(*) FROM raffia_steps").dig(0, 0).to_i

      def noted
        path = File.join(@dir, "noted")
        File.exist?(path) ? File.readlines(path).map(&:split) : []
      end
    end

    class OnSQLiteTest < JobsWorkCase
      include OnAnyDatabase

      def driver = "require \"sqlite3\""

      def plain = "SQLite3::Database.new(#{"#{@dir}/application.db".inspect})"

      def options = {adapter: "sqlite3", database: "#{@dir}/application.db"}

      def sql(text) = open { |database| database.connection.execute(text) }
    end

    class OnMySQLTest < JobsWorkCase
      include OnAnyDatabase

      def driver = "gem \"bigdecimal\"\nrequire \"trilogy\""

      def setup
        @server = TestSupport::MariaDB.running
        @name = "transaction_#{object_id}"
        TestSupport::JobsMySQL.database(@server, @name)
        super
      rescue TestSupport::Server::Missing, MissingDependency => error
        skip error.message
      end

      def plain
        "Trilogy.new(host: \"127.0.0.1\", port: #{@server.port}, username: \"root\", " \
          "database: #{@name.inspect})"
      end

      def options
        {adapter: "trilogy", host: "127.0.0.1", port: @server.port, username: "root",
         database: @name}
      end

      def sql(text) = open { |database| database.connection.query(text).rows }

      def teardown
        super
        TestSupport::JobsMySQL.database(@server, @name, "DROP DATABASE") if @dir
      end
    end

    class OnPostgresTest < JobsWorkCase
      include OnAnyDatabase

      def driver = "require \"pg\""

      def setup
        @server = TestSupport::PostgreSQL.running
        Optional.gem("pg", ">= 1.6", for: "this test")
        @name = "transaction_#{object_id}"
        administer("CREATE DATABASE #{@name}")
        super
      rescue TestSupport::Server::Missing, MissingDependency => error
        skip error.message
      end

      def plain
        "PG.connect(host: \"127.0.0.1\", port: #{@server.port}, user: \"postgres\", " \
          "dbname: #{@name.inspect})"
      end

      def options
        {adapter: "postgresql", host: "127.0.0.1", port: @server.port, username: "postgres",
         database: @name}
      end

      def sql(text) = open { |database| database.connection.exec(text).values }

      def teardown
        super
        administer("DROP DATABASE IF EXISTS #{@name} WITH (FORCE)") if @dir
      end

      private

      def administer(text)
        one = PG.connect(host: "127.0.0.1", port: @server.port, user: "postgres",
          dbname: "postgres")
        one.set_notice_processor { nil }
        one.exec(text)
      ensure
        one&.close
      end
    end
  end
end
