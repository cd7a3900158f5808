# frozen_string_literal: true

module Raffia
  module Jobs
    # Says how many workers the jobs of a store need now.
    #
    # The load in slots is the jobs that end each second, times their mean duration, plus the slots
    # that do the waiting jobs within `target` seconds. Workers should be busy to {UTILIZATION}.
    # Blocked jobs do not count: more workers do not raise a rate or a limit. Due jobs that nobody
    # moved to their queue do count, because without workers nobody moves them.
    class Autoscaling
      # Share of a worker's slots that should be used.
      UTILIZATION = 0.7
      # Seconds that a job is assumed to take while none has ended.
      MEAN = 1.0
      # Slots of a worker while there is none to ask.
      SLOTS = 10
      private_constant :MEAN, :SLOTS

      # @param state [Hash] of {StoreState#to_h}
      # @param queues [Array<String>, nil] only their backlog counts; nil: all but paused ones
      # @param target [Numeric] seconds in which waiting jobs should have begun
      # @param slots [Integer, nil] jobs at a time of one worker; nil: the mean of the present ones
      # @param min [Integer] workers at least
      # @param max [Integer, nil] workers at most
      # @raise [ConfigError]
      def initialize(state, queues: nil, target: 60, slots: nil, min: 0, max: nil)
        ordered = [0, min, *max].each_cons(2).all? { |one, next_one| one <= next_one }
        unless ordered && [target, *slots].all?(&:positive?)
          raise ConfigError, "autoscaling needs a target and slots above 0, and max from min on; " \
            "it got target #{target}, slots #{slots.inspect}, min #{min}, max #{max.inspect}"
        end

        @state = state
        @queues = state["queues"].select do |queue|
          queues ? queues.include?(queue["name"]) : !queue["paused"]
        end
        @target = target
        @slots = slots || slots_of_workers
        @bounds = min..max
      end

      # @return [Float] seconds that the oldest waiting job waits
      def latency = @queues.map { |queue| queue["latency"] }.max.to_f

      # @return [Integer] jobs that could begin if there were more workers
      def backlog
        @queues.sum { |queue| queue["size"] + queue["overdue"] } + @state["open"]
      end

      # @return [Float] with no worker: all of it
      def backlog_per_worker = backlog.fdiv(workers.clamp(1..))

      # @return [Integer] workers that there should be
      def desired_workers
        raw = ((running + backlog * mean / @target) / (@slots * UTILIZATION)).ceil
        raw = 1 if raw.zero? && (backlog.positive? || @state.dig("workers", "busy").positive?)
        raw.clamp(@bounds)
      end

      # @return [Hash{String => Numeric}] "latency", "backlog", "backlog_per_worker", "workers",
      #   "slots", "busy", "throughput" (ended jobs a second), "mean" (seconds), "desired_workers"
      def to_h
        {"latency" => latency.round(3), "backlog" => backlog,
         "backlog_per_worker" => backlog_per_worker.round(3), "workers" => workers,
         "slots" => @state.dig("workers", "slots"), "busy" => @state.dig("workers", "busy"),
         "throughput" => throughput.round(3), "mean" => mean.round(4),
         "desired_workers" => desired_workers}
      end

      private

      def workers = @state.dig("workers", "processes")

      def slots_of_workers
        total = @state.dig("workers", "slots")
        total.positive? ? total.fdiv(workers) : SLOTS
      end

      # Slots that the present load keeps busy.
      def running = throughput * mean

      def throughput
        @state.dig("minutes", "processed").fdiv(@state.dig("minutes", "seconds"))
      end

      def mean
        minutes = @state["minutes"]
        done = minutes["processed"] - minutes["failed"]
        done.positive? ? minutes["ms"] / 1000.0 / done : MEAN
      end
    end
  end
end
