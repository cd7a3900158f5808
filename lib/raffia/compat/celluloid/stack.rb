# frozen_string_literal: true

module Celluloid
  # Kept for programs that ask whether the system runs; in the gem, a group of threads.
  class Group
    def initialize = @active = true

    def active? = @active

    def assert_active = @active || raise(NotActive)

    def assert_inactive = @active && raise(StillActive)

    def shutdown = @active = false

    class Spawner < Group; end

    class Pool < Group; end
  end

  module Internals
    # The Raffia::Pool where blocks of futures run.
    def self.threads
      ::Raffia::RactorLocal.fetch(:raffia_celluloid_threads) do
        ::Raffia::Pool.new(on: :threads, workers: 1_000)
      end
    end

    class ThreadHandle
      def initialize(cell)
        @cell = cell
      end

      def alive? = @cell.alive?

      def kill = @cell.kill(:killed)

      def join(timeout = nil) = @cell.join(timeout) && self

      def backtrace = []

      def actor = @cell

      def role = :actor
    end

    class Stack
      def initialize(system)
        @actors = system.cells
      end

      attr_reader :actors

      def threads = []

      def print(output = $stderr) = actors.each { |cell| output.print(text(cell)) }

      class Dump < Stack
        private

        def text(cell)
          tasks = cell.tasks.map { |task| "  #{task.inspect}\n" }
          "Celluloid::Cell 0x#{cell.object_id.to_s(16)}: " \
          "#{cell.actor_class}#{" (#{cell.name})" if cell.name}\n" \
            "State: #{tasks.empty? ? "idle" : "running"}, #{cell.stats[:mailbox]} messages " \
            "wait\n#{tasks.join}\n"
        end
      end

      class Summary < Stack
        private

        def text(cell)
          "Celluloid::Cell 0x#{cell.object_id.to_s(16)}: #{cell.actor_class}, #{cell.tasks.size} " \
            "tasks\n"
        end
      end
    end
  end
end
