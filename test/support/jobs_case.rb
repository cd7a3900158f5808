# frozen_string_literal: true

require "test_helper"
require "logger"
require "stringio"
require "raffia/jobs"
require "raffia/jobs/worker"

module TestSupport
  # The parent of tests that have workers work, in this process: with a store in memory, unless they
  # say otherwise.
  class JobsCase < Raffia::TestCase
    Jobs = Raffia::Jobs
    Worker = Raffia::Jobs::Worker

    # Effects of jobs, in order.
    SEEN = Thread::Queue.new

    # Hands its arguments in.
    class NoteJob
      include Raffia::Job

      def perform(*args) = SEEN << args
    end

    # Waits until it is interrupted; the gate tells that it has begun.
    class StuckJob
      include Raffia::Job

      def perform(name = nil)
        SEEN << [:began, name]
        sleep
      ensure
        SEEN << [:left, name]
      end
    end

    def setup
      super
      SEEN.clear
      @out = StringIO.new
      @log = ::Logger.new(@out)
      @log.formatter = Raffia::Log::Json.new
      @handles = []
      @kept = Jobs::Setup.current.instance_variable_get(:@store)
      Jobs.store = @store = open_store
    end

    def teardown
      @handles.each { |handle| handle.stop if handle.running? }
      @store.close
      Jobs::Setup.current.instance_variable_set(:@store, @kept)
      Jobs::Setup.current.instance_variable_set(:@client, nil)
      super
    end

    def open_store = Jobs::Store.open("memory:")

    # @return [Jobs::Worker::Handle]
    def work(store = @store, **options)
      @handles <<
        (handle = Worker.new(store, log: @log, timeout: 5, recover: 0.05, **options).start)
      handle
    end

    # @return [Object] what the next job has seen
    def seen(timeout = PATIENCE)
      SEEN.pop(timeout: timeout) || flunk("no job came\n#{@out.string}")
    end

    def enqueue(job, *args, **fields)
      @store.enqueue(
        [Jobs::Draft.of(Jobs::Client::PayloadBuilder.build({"class" => job.is_a?(Class) ? job.name :
          job,
          "args" => args, **fields.transform_keys(&:to_s)}))]
      ).first
    end

    # Waits until so many are where they are expected.
    def await_counts(**expected)
      wait_until { @store.counts.slice(*expected.keys) == expected }
    rescue Minitest::Assertion
      flunk("expected #{expected}, and there are #{@store.counts}\n#{@out.string}")
    end

    # @return [Array<Hash>] what was logged about this event
    def logged(event)
      @out.string.lines.map { |line| JSON.parse(line) }.select { |line| line["event"] == event }
    end

    # @return [Hash] the payload of the only one there
    def only(set)
      @store.entries(set).tap { |entries| assert_equal(1, entries.size, @out.string) }.first.item
    end
  end
end
