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

      JOBS = {"plain" => :RaffiaJob, "limited" => :RaffiaLimitedJob, "rated" => :RaffiaRatedJob,
              "workflow" => :RaffiaFlow, "durable" => :RaffiaFunction,
              "fair" => :RaffiaFairJob}.freeze

      def push(number, sent = nil) = job.perform_async(number, sent)

      def bulk(numbers)
        return numbers.each_slice(STEPS) { |steps| job.start(steps.first) } if steps?

        job.perform_bulk(numbers.map { |number| [number, nil] })
      end

      def push_for(tenant, number, sent = nil) = job.perform_async(tenant, number, sent)

      def bulk_for(tenant, numbers)
        job.perform_bulk(numbers.map { |number| [tenant, number, nil] })
      end

      def command
        [RbConfig.ruby, "-I#{ROOT}/lib", "#{ROOT}/exe/raffia", "work", "-r",
          File.join(__dir__, "raffia_job.rb"), "--store", database.url, "--processes", "0",
          *(["-c", concurrency.to_s] if concurrency)]
      end

      def left = ::Raffia::Jobs.store.counts.slice(*::Raffia::Jobs::Store::SETS).values.sum

      private

      def job = @job ||= Object.const_get(JOBS.fetch(kind))
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
