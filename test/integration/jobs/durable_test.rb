# frozen_string_literal: true

require "test_helper"
require "support/jobs_mysql"
require_relative "work_case"

module Raffia
  # Durable functions whose worker process is killed at each boundary of their steps.
  module JobsDurable
    PROGRAM = <<~'RUBY'
      require "raffia/jobs"

      class TenSteps
        include Raffia::Durable

        def call
          values = Array.new(10) do |number|
            die("before#{number}")
            value = step(:effect, number) do |s|
              File.write("effects", "#{number} #{s.key}\n", mode: "a")
              die("within#{number}") if ENV["WITHIN"] == number.to_s
              number * number
            end
            die("after#{number}")
            sleep_for(0.01) if number == 3
            wait_for(:go) if number == 6
            value
          end
          die("end")
          values
        end

        # Once for each name.
        def die(name)
          return if File.exist?(name)

          File.write(name, "")
          Process.kill(:KILL, Process.pid)
          sleep
        end
      end
    RUBY

    module OnAnyStore
      def setup
        super
        script PROGRAM, "jobs.rb"
        @kept = Jobs::Setup.current.given
        Jobs.store = @store
      end

      def teardown
        Jobs::Setup.current.given = @kept
        super
      end

      def test_a_kill_at_each_boundary_leaves_each_effect_recorded_once
        id = begin_function
        work("--lease", "5", "--processes", "2", env: {"WITHIN" => "4"}) do
          await_deaths
          await("it has not ended: #{Durable.flow(id)}") { Durable.status(id) == "done" }
        end
        assert_equal(Array.new(10) { |number| number * number }, Durable.result(id))
        effects = File.readlines(File.join(@dir, "effects")).map(&:split)
        # Step 4 died between its effect and its record, and was tried again with the same key.
        assert_equal((0..9).to_h { |number| [number.to_s, (number == 4) ? 2 : 1] },
          effects.map(&:first).tally)
        assert_equal(10, effects.uniq.size)
        assert_equal(10, @store.flow_steps(id).count { |step| step.kind == "step" })
        await_counts(queue: 0, running: 0, scheduled: 0, dead: 0)
        assert_empty(@store.check)
      end

      private

      # Each for itself: a busy machine takes long to start 22 processes.
      def await_deaths
        names = (0..9).flat_map { |number| ["before#{number}", "after#{number}"] }
        [*names.insert(9, "within4"), "end"].each do |name|
          await("it has not died at #{name}") { File.exist?(File.join(@dir, name)) }
        end
      end

      # The signal comes long before it is taken.
      def begin_function
        require "raffia/jobs/durable"
        id = @store.enqueue([Jobs::Draft.of(Jobs::Client::PayloadBuilder.build({
          "class" => "TenSteps", "args" => [], "raffia" => {"flow" => {"class" => "TenSteps"}}
        }))]).first
        Durable.signal(id, :go)
        id
      end
    end

    class OnSQLiteTest < JobsWorkCase
      include OnAnyStore

      def url = "sqlite:#{@dir}/jobs.db"
    end

    class OnRedisTest < JobsWorkCase
      include OnAnyStore

      def url = "redis://127.0.0.1:#{TestSupport::Redis.running.port}/5"

      def setup
        super
        @store.client.tap { |redis| redis.call("FLUSHDB") }.close
      end
    end

    class OnMySQLTest < JobsWorkCase
      include OnAnyStore

      def setup
        @server = TestSupport::MariaDB.running
        super
      rescue TestSupport::Server::Missing, MissingDependency => error
        skip error.message
      end

      def url = @url ||= TestSupport::JobsMySQL.database(@server, "durable_#{object_id}")

      def teardown
        super
        return unless @url

        TestSupport::JobsMySQL.database(@server, "durable_#{object_id}", "DROP DATABASE")
      end
    end

    class OnPostgresTest < JobsWorkCase
      include OnAnyStore

      def url = "postgres://postgres@127.0.0.1:#{server.port}/postgres?schema=durable_#{object_id}"

      def teardown
        super
        return unless @server

        PG.connect(host: "127.0.0.1", port: @server.port, user: "postgres", dbname: "postgres")
          .tap do |connection|
          connection.exec("SET client_min_messages = error; DROP SCHEMA IF EXISTS " \
            "durable_#{object_id} CASCADE")
        end.close
      end

      private

      def server = @server ||= TestSupport::PostgreSQL.running
    end
  end
end
