# frozen_string_literal: true

require "zlib"
require_relative "experiment"
require_relative "mailer"

module Raffia
  module Lab
    # Ten thousand tasks on bounded pools, beside the loop that starts a thread for each. On a
    # machine without memory or limits for that many stacks, the loop ends with a ThreadError.
    class ManyTasks < Experiment
      TASKS = 10_000
      FIB = 12
      # Seconds that a mail server takes to answer; they let the loop's threads pile up.
      PAUSE = 0.01

      # Writes a mail and returns its checksum, then waits.
      def self.task(index)
        sum = checksum(index, Mailer.fib(FIB))
        sleep(PAUSE)
        sum
      end

      def self.checksum(index, fib) = ::Zlib.crc32(Mailer.write(index, FIB, fib).to_s)

      def name = "threads_10k"

      def title = "ten thousand tasks on bounded pools, beside a thread for each"

      def variants = %i[threads fibers]

      def controls = {plain_threads: :threads}

      def baseline = :plain_threads

      def cpu_bound? = false

      # The loop always has as many threads as tasks.
      def workers?(variant) = variant != :plain_threads

      def workers(variant, _cores)
        case variant
        when :plain_threads then [1]
        when :threads then [50, 200]
        else [1_000]
        end
      end

      def params(scale) = {tasks: [(TASKS * scale).round, 10].max}

      def size(params)
        "#{params[:tasks]} tasks: fib(#{FIB}), a mail and #{(PAUSE * 1_000).round} ms of waiting " \
          "each"
      end

      def warm_up(setting) = Control.map(setting, 0...10, work)

      def perform(setting)
        sums = Control.map(setting, 0...setting.params[:tasks], work)
        {tasks: sums.size, checksums: sums.sum}
      end

      def verify(params, facts, _report)
        fib = Mailer.fib(FIB)
        {
          "each task ran" => facts[:tasks] == params[:tasks],
          "each mail is right" => facts[:checksums] ==
            (0...params[:tasks]).sum { |index| ManyTasks.checksum(index, fib) }
        }
      end

      def extras = [ExtraMetric.new(key: :threads)]

      def notes(_params) = ["threads: the largest number seen at once, the main one included"]

      private

      def work = Work.new(ManyTasks, :task)
    end
  end
end
