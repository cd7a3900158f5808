# frozen_string_literal: true

require "test_helper"

module Raffia
  # Iterable jobs that are written for sidekiq.
  class CompatSidekiqIterableTest < TestCase
    BEGINNING = <<~RUBY
      ENV["RAFFIA_STORE"] = "memory:"
      require "raffia/compat/sidekiq"
      require "raffia/jobs/worker"
      Sidekiq.default_configuration.logger = nil
      TOLD = Thread::Queue.new
      class Steps
        include Sidekiq::IterableJob
        sidekiq_options retry: 3
        sidekiq_retry_in { 0.01 }
        def build_enumerator(first, cursor:)
          array_enumerator((first..first + 4).to_a, cursor: cursor)
        end
        def each_iteration(number, first) = TOLD << [number, cursor, current_object, arguments]
        %i[on_start on_resume on_stop on_cancel on_complete].each { |name|
          define_method(name) { TOLD << name }
        }
      end
      STORE = Raffia::Jobs.store
      def working = Raffia::Jobs.run_in_process(store: STORE, log: Logger.new(nil)) { yield }
      def told(count) = puts(Array.new(count) { TOLD.pop }.inspect.gsub("=>", " => "))
    RUBY

    def test_steps_and_their_hooks
      steps = [[7, 0, 7, [7]], [8, 1, 8, [7]], [9, 2, 9, [7]], [10, 3, 10, [7]], [11, 4, 11, [7]]]
      calls = [:on_start, *steps, :on_stop, :on_complete]
      assert_equal "#{calls}\n0\n", output_of(BEGINNING + <<~RUBY)
        Steps.perform_inline(7)
        told(8)
        p STORE.keys("").size
      RUBY
    end

    def test_a_job_continues_at_its_step_after_the_worker_stops
      assert_equal <<~TEXT, output_of(BEGINNING + <<~RUBY)
        [:on_start, 1, :begun, :on_stop]
        {queue: 1, retry: 0, dead: 0, failed: 0}
        1
        [:on_resume, 2, 3, 4, 5, :on_stop, :on_complete]
        0
      TEXT
        class Held < Steps
          GATE = Thread::Queue.new
          def each_iteration(number, _first)
            TOLD << number
            return unless number == 1
            TOLD << :begun
            sleep(0.01) until interrupted?
          end
        end
        Held.perform_async(1)
        working { sleep(0.01) until TOLD.size == 3 }
        told(4)
        puts STORE.counts.slice(:queue, :retry, :dead, :failed).inspect.gsub(/:(\\w+)=>/, '\\\\1: ')
        p STORE.keys("").size # where it was
        working { told(7) }
        p STORE.keys("").size
      RUBY
    end

    def test_a_failed_step_is_the_first_of_the_next_attempt
      assert_equal "[:on_start, 1, 2, :on_resume, 2, 3, 4, 5, :on_stop, :on_complete]\n",
        output_of(BEGINNING + <<~RUBY)
          class Failing < Steps
            SECOND = []
            def each_iteration(number, _first)
              TOLD << number
              raise "once" if number == 2 && SECOND.push(:tried).one?
            end
          end
          Failing.perform_async(1)
          working { told(10) }
        RUBY
    end

    def test_cancel_abort_no_steps_and_the_longest_run
      assert_equal <<~TEXT, output_of(BEGINNING + <<~RUBY)
        [:on_start, :on_cancel, :on_stop, :on_complete]
        true
        [:on_start, [1, 0, 1, [1]], :on_stop, :on_complete]
        Sidekiq::Job::Interrupted
        [:on_start, :on_stop]
        ["Steps2 is an iterable job, whose perform is there: it has each_iteration", true, true]
      TEXT
        jid = Steps.perform_async(1)
        at = Sidekiq::Client.new.cancel!(jid)
        working { told(4) }
        p at == Time.now.to_i || at > Time.now.to_i - 60
        class Aborting < Steps
          def each_iteration(number, _first) = (number == 1) ? super : throw(:abort)
        end
        Aborting.perform_inline(1)
        told(4)
        Class.new(Steps) {
          def self.name = "Steps"
          def build_enumerator(*, cursor:) = nil
        }.new.perform
        Sidekiq.default_configuration[:max_iteration_runtime] = -1
        begin
          Steps.perform_inline(1)
        rescue Sidekiq::Job::Interrupted => interrupted
          puts interrupted.class
        end
        told(2)
        errors = [-> { class Steps2 < Steps; def perform = nil; end },
          -> { Steps.new.array_enumerator(1, cursor: nil) },
          -> { Class.new(Steps) { def build_enumerator(*, cursor:) = [] }.new.perform }
        ].map do |wrong|
          wrong.call
        rescue => error
          error.is_a?(ArgumentError) || error.message
        end
        p errors
      RUBY
    end

    def test_records_and_rows
      %w[activerecord sqlite3 csv].each do |gem|
        if Gem::Specification.find_all_by_name(gem).empty?
          skip "the gem #{gem} is not installed (bin/setup)"
        end
      end
      assert_equal <<~TEXT, output_of(BEGINNING + <<~RUBY)
        [[[2, 2], [3, 3], [4, 4]], 4]
        [[[2, 3], 2], [[4], 4]]
        [[[1, 2], 1], [[3, 4], 3]]
        2
        [["b", 1], ["c", 2]]
        [[["c"], 1]]
        "csv must be a CSV, such as CSV.open(path), and is Array"
      TEXT
        require "active_record"
        require "csv"
        require "tempfile"
        ActiveRecord::Base.establish_connection(adapter: "sqlite3", database: ":memory:")
        ActiveRecord::Schema.verbose = false
        ActiveRecord::Schema.define { create_table(:things) { |table| table.string :name } }
        class Thing < ActiveRecord::Base
        end
        4.times { Thing.create!(name: "x") }
        job = Steps.new
        records = job.active_record_records_enumerator(Thing.all, cursor: 2)
        p [records.map { |thing, cursor| [thing.id, cursor] }, records.size]
        p job.active_record_batches_enumerator(Thing.all, cursor: 2,
          batch_size: 2).map { |things, cursor| [things.map(&:id), cursor] }
        relations = job.active_record_relations_enumerator(Thing.all, cursor: nil, batch_size: 2)
        p relations.map { |things, cursor| [things.ids, cursor] }
        p relations.size
        Tempfile.create do |file|
          file.write("name\\na\\nb\\nc\\n")
          file.flush
          p job.csv_enumerator(CSV.open(file.path, headers: true),
            cursor: 1).map { |row, cursor| [row["name"], cursor] }.to_a
          p job.csv_batches_enumerator(CSV.open(file.path, headers: true), cursor: 1,
            batch_size: 2).map { |rows, cursor| [rows.map { |row| row["name"] }, cursor] }.to_a
        end
        begin
          job.csv_enumerator([], cursor: nil)
        rescue ArgumentError => error
          p error.message
        end
      RUBY
    end
  end
end
