# frozen_string_literal: true

require "rbconfig"
require_relative "../work"

module JobsBench
  module Systems
    # A job system: how programs enqueue with it, and how its worker is started.
    class System
      ROOT = File.expand_path("../../..", __dir__)

      # @param database [Databases::Folder, Place]
      # @param concurrency [Integer, nil] jobs at a time
      def initialize(database, concurrency)
        @database = database
        @concurrency = concurrency
      end

      # A workflow, or a durable function, has so many steps.
      STEPS = 10
      # Keys of limits and rates, and jobs of each that may run at a time.
      KEYS, LIMIT = 10, 5

      # @return [String] what jobs are measured: "plain", "limited" (at a time), "rated", "workflow"
      #   (a job is a step of one), "durable" (a job is a step of a function), "fair"
      def kind = ENV.fetch("JOBS_BENCH_KIND", "plain")

      # @return [Boolean] whether jobs are steps
      def steps? = %w[workflow durable].include?(kind)

      # @return [Hash] of the worker
      def env = {}

      # Loads it, and makes its tables.
      # @return [void]
      def connect = raise(NotImplementedError)

      # Around all calls of {push} and {bulk}.
      def session = yield

      # @param number [Integer]
      # @param sent [Float, nil] see {Work.call}
      # @return [void]
      def push(number, sent = nil) = raise(NotImplementedError)

      # Enqueues a job of a tenant, in a fair queue if the system has one.
      # @return [void]
      def push_for(_tenant, number, sent = nil) = push(number, sent)

      # Enqueues jobs of a tenant.
      # @return [void]
      def bulk_for(_tenant, numbers) = bulk(numbers)

      # @param numbers [Enumerable<Integer>] at most 1,000
      # @return [void]
      def bulk(numbers) = numbers.each { |number| push(number) }

      # @return [Array<String>] its worker's command line
      def command
        [RbConfig.ruby, "-I#{ROOT}/lib", File.join(__dir__, "../worker.rb"),
          self.class.name.split("::").last, database.url, database.folder, concurrency.to_s]
      end

      # In the worker's process, where there is no command line for it.
      # @return [void]
      def work = raise(NotImplementedError)

      # @return [Integer] jobs that are still kept, when all is done
      def left = raise(NotImplementedError)

      # @return [Boolean] whether enqueuing and working is done in one process
      def together? = false

      private

      attr_reader :database, :concurrency

      def program(gem, executable, *arguments)
        [RbConfig.ruby, Gem.bin_path(gem, executable), *arguments]
      end
    end
  end
end
