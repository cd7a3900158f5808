# frozen_string_literal: true

require_relative "../../pool"
require_relative "../../task"
require_relative "../payload"
require_relative "../setup"
require_relative "executors/auto_executor"
require_relative "executors/fiber_executor"
require_relative "executors/local_pool"
require_relative "executors/process_pool"
require_relative "executors/remote_pool"

module Raffia
  module Jobs
    class Worker
      # Runs each job where its class wants it, on the executors of {Raffia::Executor}: in the run's
      # own fiber, or in a pool. Each is set up when the first job asks for it, and answers
      #
      # * `call(run, job, seconds)`: does it, and returns when it is done; raises its failure
      # * `interrupt(run, why, by_force)`: ends it, and returns the level that it took; :told where
      #   it is left to the job
      # * `spare_capacity`: how many more may come; nil: any number
      # * `close`
      #
      # @api private
      class Executors
        # The caller is the worker's loop, so nothing runs inline.
        NAMES = [*(Executor::ALL.keys - [:inline]), :auto].freeze

        # More jobs were claimed for an executor than can have a turn soon: the job is better left
        # to other workers.
        class Saturated < StandardError
        end

        # @return [Hash{Symbol => Integer}] how many at a time: of threads, Ractors, processes; and
        #   in all (:fibers)
        attr_reader :sizes
        # @return [Store]
        attr_reader :store
        # @return [Middleware]
        attr_reader :middleware
        # @return [Logger]
        attr_reader :log
        # @return [SharedLease, nil] is told which jobs have begun
        attr_reader :shared_lease

        # @param sizes [Hash{Symbol => Integer}]
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

        # @return [Object]
        # @raise [Saturated]
        def call(run, job)
          on, seconds = @options[job] ||= options(job)
          if (own = run.item[Payload::OWN])
            on = own["on"]&.to_sym || on
            seconds = own["timeout"] || seconds
          end
          run.on = on
          return perform(run, job) if on == :fibers && seconds.nil?

          executor(on).call(run, job, seconds)
        end

        # @return [Symbol, false] the level
        def interrupt(run, why, by_force:)
          return run.break_off(why) unless run.on # it has not come so far

          executor(run.on).interrupt(run, why, by_force)
        end

        # The worker stops: runs in other processes are told, all others can ask.
        def announce_stop = @open[:processes]&.announce_stop

        # @return [Integer, nil] jobs that may still come, whatever they run on; nil: any number
        def spare_capacity
          @open.each_value.filter_map(&:spare_capacity).min unless @open.empty?
        end

        def close
          @open.each_value(&:close)
          @open.clear
        end

        # @param name [Symbol] of {NAMES}
        # @return [#call]
        # @raise [ConfigError]
        def executor(name) = @open[name] || set_up(name)

        # @return [Float, nil] the progress that a run in another process reports
        def progress(run) = (@open[:processes]&.progress(run) if run.on == :processes)

        # Runs the job here.
        # @return [Object]
        def perform(run, job)
          run.enter
          return Perform.with(job, run.item, @middleware, run) unless run.meter

          run.meter.measure { Perform.with(job, run.item, @middleware, run) }
        end

        # @return [Hash{String => Hash}] of classes with `on: :auto`: their executor, and why
        def account = @open[:auto]&.account || {}

        private

        # @return [Array(Symbol, Numeric)] executor of the class, and its time limit
        def options(job)
          on, seconds = job.job_place if job.respond_to?(:job_place)
          [on || Setup.current.place, seconds].freeze
        end

        def set_up(name)
          unless NAMES.include?(name)
            raise ConfigError, "a job cannot run on #{name}: there are #{NAMES.join(", ")}"
          end

          # Starting one may have to wait, and others come meanwhile.
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
