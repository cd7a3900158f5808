# frozen_string_literal: true

require_relative "../../pool"
require_relative "../../task"
require_relative "../payload"
require_relative "../setup"

module Raffia
  module Jobs
    class Worker
      # Where jobs run. Each way is one file, is set up when the first job asks for it, and has
      #
      # * `call(run, job)` does it, and returns when it is done; what it raises is the job's failure
      # * `interrupt(run, why, by_force)` ends it, as far as that is possible
      # * `spare` how many more may come; nil: any number
      # * `close`
      #
      # @api private
      class Places
        KINDS = %i[fibers threads ractors processes auto].freeze

        # More jobs were claimed for a place than can have a turn soon: this one is better left to
        # others.
        #
        # @api private
        class Crowded < StandardError
        end

        # @return [Hash{Symbol => Integer}] how many at a time: of threads, Ractors, processes; and
        #   in all (:fibers)
        attr_reader :sizes

        # @param store [Store]
        # @param middleware [Middleware]
        # @param sizes [Hash{Symbol => Integer}]
        # @param log [Logger]
        # @param board [SharedLease, nil] is told which jobs have begun
        def initialize(store, middleware, sizes, log, board = nil)
          @store = store
          @middleware = middleware
          @sizes = sizes
          @log = log
          @board = board
          @open = {}
          @said = {}.compare_by_identity # a class that is loaded again is another one
          @setting_up = Thread::Mutex.new
        end

        # @return [Object]
        def call(run, job)
          on, seconds = @said[job] ||= said(job)
          if (own = run.item[Payload::OWN])
            on = own["on"]&.to_sym || on
            seconds = own["timeout"] || seconds
          end
          run.on = on
          return perform(run, job) if on == :fibers && seconds.nil?

          place(on).call(run, job, seconds)
        end

        # @return [Symbol, false]
        def interrupt(run, why, by_force:)
          return run.break_off(why) unless run.on # it has not come so far

          place(run.on).interrupt(run, why, by_force)
        end

        # The worker stops: runs that are not in this process are told, all others can ask.
        # @return [void]
        def announce_stop = @open[:processes]&.announce_stop

        # @return [Integer, nil] how many jobs there is room for, wherever they want to run; nil:
        #   any number
        def spare = @open.empty? ? nil : @open.each_value.filter_map(&:spare).min

        # @return [void]
        def close
          @open.each_value(&:close)
          @open.clear
        end

        # @return [Object] one of {KINDS}
        # @raise [ConfigError]
        def place(name) = @open[name] || set_up(name)

        # @return [Float, nil] what a run that is not in this process says of itself
        def progress(run) = (@open[:processes]&.progress(run) if run.on == :processes)

        # Does it here.
        # @return [Object]
        def perform(run, job)
          run.enter
          return Perform.with(job, run.item, @middleware, run) unless run.gauge

          run.gauge.measure { Perform.with(job, run.item, @middleware, run) }
        end

        # @return [Hash{String => Hash}] of classes with `on: :auto`: where they are done, and why
        def account = @open[:auto]&.account || {}

        # @return [Store]
        attr_reader :store
        # @return [Middleware]
        attr_reader :middleware
        # @return [Logger]
        attr_reader :log
        # @return [SharedLease, nil]
        attr_reader :board

        private

        # @return [Array(Symbol, Numeric)] where jobs of the class run, and how long they may take
        def said(job)
          on, seconds = job.job_place if job.respond_to?(:job_place)
          [on || Setup.current.place, seconds].freeze
        end

        def set_up(name)
          unless KINDS.include?(name)
            raise ConfigError, "a job cannot run on #{name}: there are #{KINDS.join(", ")}"
          end

          # What is loaded and started may have to wait, and others come meanwhile.
          @setting_up.synchronize do
            require_relative "places/#{name}"
            @open[name] ||= Places.const_get(name.capitalize)
              .new(self, @sizes[name], @sizes[:fibers])
          end
        end
      end
    end
  end
end
