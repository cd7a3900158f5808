# frozen_string_literal: true

require "test_helper"

module Raffia
  # Handlers and blocks of programs for sidekiq: their calls when jobs fail, and their results.
  class CompatSidekiqFailuresTest < TestCase
    BEGINNING = <<~RUBY
      ENV["RAFFIA_STORE"] = "memory:"
      require "raffia/compat/sidekiq"
      require "raffia/jobs/worker"
      TOLD = Thread::Queue.new
      Sidekiq.default_configuration.logger = nil
      class Failing
        include Sidekiq::Job
        sidekiq_options retry: 0
        sidekiq_retries_exhausted { |job, error|
          TOLD << [:exhausted, job["class"], job["error_message"], error.message]
          nil
        }
        def perform(*args) = raise("bad")
      end
      def work
        Raffia::Jobs.run_in_process(log: Logger.new(nil)) do
          yield
          sleep(0.01) until Raffia::Jobs.store.counts.slice(:queue, :running,
            :scheduled).values.sum.zero?
        end
        puts Array.new(TOLD.size) { TOLD.pop.inspect }
        p Raffia::Jobs.store.counts.slice(:retry, :dead).values
      end
      Sidekiq.default_configuration.death_handlers << ->(job, error) {
        TOLD << [:dead, job["class"], job.key?("discarded_at")]
      }
    RUBY

    def test_error_handlers_get_the_arguments_they_take_despite_errors
      assert_equal <<~TEXT, output_of(BEGINNING + <<~RUBY)
        [:two, "bad", "Failing"]
        [:three, "bad", true]
        [:exhausted, "Failing", "bad", "bad"]
        [:dead, "Failing", false]
        [:two, "not yet", "Unready"]
        [:three, "not yet", true]
        [:exhausted, "Unready", "not yet", "not yet"]
        [:dead, "Unready", false]
        [0, 2]
      TEXT
        class Unready < Failing
          def perform = raise(NotImplementedError, "not yet")
        end
        class Three
          def call(error, context, configuration) = TOLD <<
            [:three, error.message, configuration.equal?(Sidekiq.default_configuration)]
        end
        Sidekiq.configure_server do |config|
          config.error_handlers << ->(*) { raise "of the handler" }
          config.error_handlers << ->(error, context) {
            TOLD << [:two, error.message, context[:job]["class"]]
          }
          config.error_handlers << Three.new
        end
        work do
          Failing.perform_async
          sleep(0.01) until TOLD.size == 4
          Unready.perform_async
        end
      RUBY
    end

    def test_a_failing_block_does_not_prevent_death_handlers
      assert_equal "[:error, \"of the block\"]\n[:error, \"of the first\"]\n[:second]\n[0, 1]\n",
        output_of(BEGINNING + <<~RUBY)
          class Careless < Failing
            sidekiq_retries_exhausted { raise "of the block" }
          end
          config = Sidekiq.default_configuration
          config.error_handlers << ->(error, context) {
            TOLD << [:error, error.message] if context[:context].start_with?("Error calling")
          }
          config.death_handlers.replace([->(*) { raise "of the first" },
            ->(*) { TOLD << [:second] }])
          work { Careless.perform_async }
        RUBY
    end

    def test_an_unknown_job_is_reported
      assert_equal "[:error, \"Raffia::Jobs::UnknownJob\", \"Unknown\"]\n" \
        "[:dead, \"Unknown\", false]\n[:error, \"Raffia::Jobs::UnknownJob\", \"Later\"]\n" \
        "[1, 1]\n", output_of(BEGINNING + <<~RUBY)
          Sidekiq.default_configuration.error_handlers << ->(error, context) {
            TOLD << [:error, error.class.name, context[:job]["class"]]
          }
          work do
            Sidekiq::Client.push("class" => "Unknown", "args" => [], "retry" => 0)
            sleep(0.01) until TOLD.size == 2
            Sidekiq::Client.push("class" => "Later", "args" => [])
            sleep(0.01) until TOLD.size == 3
          end
        RUBY
    end

    def test_a_job_without_retries_never_exhausts_them
      assert_equal "[:dead, \"Once\", false]\n[0, 0]\n", output_of(BEGINNING + <<~RUBY)
        class Once < Failing
          sidekiq_options retry: false
        end
        work { Once.perform_async }
      RUBY
    end

    def test_discard_works_in_each_hook
      assert_equal <<~TEXT, output_of(BEGINNING + <<~RUBY)
        [:dead, "Unwanted", true]
        [:exhausted]
        [:dead, "Exhausted", true]
        [:exhausted, "Killed", "bad", "bad"]
        [:dead, "Killed", false]
        [0, 1]
      TEXT
        class Unwanted < Failing
          sidekiq_options retry: 5
          sidekiq_retry_in { :discard }
        end
        class Exhausted < Failing
          sidekiq_retries_exhausted { TOLD << [:exhausted]; :discard }
        end
        class Killed < Unwanted
          sidekiq_retry_in { :kill }
        end
        work do
          [[Unwanted, 1], [Exhausted, 3], [Killed, 5]].each do |job, told|
            job.perform_async
            sleep(0.01) until TOLD.size == told
          end
        end
      RUBY
    end

    def test_retries_follow_the_block_and_the_configured_limit
      assert_equal "[0, \"bad\", 0, true]\n[1, \"bad\", 1, true]\n" \
        "[:exhausted, \"Later\", \"bad\", \"bad\"]\n[:dead, \"Later\", false]\n[0, 1]\n",
        output_of(BEGINNING + <<~RUBY)
          class Later < Failing
            sidekiq_options retry: true
            sidekiq_retry_in { |count, error, job|
              TOLD << [count, error.message, job["retry_count"], job.key?("failed_at")]
              "0.01"
            }
          end
          Sidekiq.default_configuration[:max_retries] = 2
          work do
            Later.perform_async
            sleep(0.01) until Raffia::Jobs.store.counts[:dead] == 1
          end
        RUBY
    end
  end
end
