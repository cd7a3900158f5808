# frozen_string_literal: true

require_relative "executors/auto_executor"
require_relative "executors/local_pool"
require_relative "executors/process_pool"
require_relative "executors/remote_pool"

module Raffia
  module Jobs
    class Worker
      # Runs each job where its class wants it, on the executors of {Raffia::Executor}. Each is set
      # up for the first job that needs it, and answers
      #
      # * `call(run, job, seconds)`: returns when the job is done, and raises its failure
      # * `interrupt(run, why, by_force)`: returns the level, :requested where it is left to the job
      # * `spare_capacity`: how many more may come; nil: any number
      # * `close`
      # @api private
      class Executors
        # The caller is the worker's loop, so nothing runs inline.
        NAMES = Job::OptionCheck::EXECUTORS

        # In the run's own fiber.
        class FiberExecutor
          def initialize(executors, _name) = @executors = executors

          def call(run, job, seconds) = @executors.perform(run, job, seconds)
          def interrupt(run, why, _by_force) = run.cancel(why)
          def spare_capacity = nil
          def close = nil
        end

        # Jobs at a time by executor; :fibers stands for all.
        attr_reader :sizes
        attr_reader :store, :middleware, :log, :shared_lease

        def initialize(store, middleware, sizes, log, shared_lease = nil)
          @store = store
          @middleware = middleware
          @sizes = sizes
          @log = log
          @shared_lease = shared_lease
          @open = {}
          @options = {}.compare_by_identity # a class that is loaded again is another one
          @setting_up = Thread::Mutex.new
        end

        def call(run, job)
          on, seconds = @options[job] ||= options(job)
          if (own = run.item[Payload::OWN])
            on = own["on"]&.to_sym || on
            seconds = own["timeout"] || seconds
          end
          run.on = on
          return perform(run, job, seconds) if on == :fibers

          executor(on).call(run, job, seconds)
        end

        # A run without an executor has not come so far.
        def interrupt(run, why, by_force)
          run.on ? executor(run.on).interrupt(run, why, by_force) : run.cancel(why)
        end

        # The worker stops: runs in other processes learn it from here, all others can ask.
        def announce_stop = @open[:processes]&.announce_stop

        # Jobs that may still come, whatever they run on; nil: any number.
        def spare_capacity
          @open.each_value.filter_map(&:spare_capacity).min unless @open.empty?
        end

        def close
          @open.each_value(&:close)
          @open.clear
        end

        def executor(name) = @open[name] || set_up(name)

        def progress(run) = (@open[:processes]&.progress(run) if run.on == :processes)

        def perform(run, job, seconds)
          begin_run(run)
          return Execution.with(job, run.item, @middleware, run, seconds) unless run.meter

          run.meter.measure { Execution.with(job, run.item, @middleware, run, seconds) }
        end

        # The job's own code begins: from now on it may be the reason for this process's death.
        def begin_run(run) = @shared_lease&.begin(run.slot)

        def account = @open[:auto]&.account || {}

        private

        def options(job)
          on, seconds = job.job_executor if job.respond_to?(:job_executor)
          [on || Setup.current.executor, seconds].freeze
        end

        # Setting one up may have to wait, and others come meanwhile.
        def set_up(name)
          unless NAMES.include?(name)
            raise ConfigError, "a job cannot run on #{name}: there are #{NAMES.join(", ")}"
          end

          @setting_up.synchronize { @open[name] ||= class_of(name).new(self, name) }
        end

        def class_of(name)
          case name
          when :auto then AutoExecutor
          when :fibers then FiberExecutor
          when :processes then ProcessPool
          else Executor::ALL.fetch(name).local? ? LocalPool : RemotePool
          end
        end
      end
    end
  end
end
