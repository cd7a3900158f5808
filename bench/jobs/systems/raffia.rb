# frozen_string_literal: true

require_relative "system"

module JobsBench
  module Systems
    # Raffia, on the store that the database is, with the worker in one process.
    class Raffia < System
      def connect
        require "raffia/jobs"
        require_relative "raffia_job"
        ::Raffia::Jobs.store = database.url
        ::Raffia::Jobs.store.counts
      end

      def push(number, sent = nil) = RaffiaJob.perform_async(number, sent)

      def bulk(numbers) = RaffiaJob.perform_bulk(numbers.map { |number| [number, nil] })

      def command
        [RbConfig.ruby, "-I#{ROOT}/lib", "#{ROOT}/exe/raffia", "work", "-r",
          File.join(__dir__, "raffia_job.rb"), "--store", database.url, "--processes", "0",
          *(["-c", concurrency.to_s] if concurrency)]
      end

      def left = ::Raffia::Jobs.store.counts.slice(*::Raffia::Jobs::Store::SETS).values.sum
    end

    # Raffia in one process, jobs and all.
    class RaffiaInProcess < Raffia
      def connect
        require "logger"
        require "raffia/jobs/worker"
        require_relative "raffia_job"
      end

      def command = System.instance_method(:command).bind_call(self)

      def work
        ::Raffia::Jobs.run_in_process(log: Logger.new(File::NULL, level: :warn),
          **{concurrency:}.compact)
      end

      def together? = true
    end
  end
end
