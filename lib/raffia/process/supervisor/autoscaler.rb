# frozen_string_literal: true

require_relative "../available_memory"
require_relative "autoscaler/policy"
require_relative "autoscaler/sampler"
require_relative "autoscaler/settings"

module Raffia
  module Process
    class Supervisor
      # Keeps as many workers as their load needs, within a range. It changes their number by one at
      # a time, and by nothing while a worker starts or a restart goes on.
      #
      # @api private
      class Autoscaler
        # Seconds between two log lines where memory forbids growth, and two measurements of it.
        REPEAT = 60
        MEASURE = 10
        private_constant :REPEAT, :MEASURE

        # Seconds by {Clock} of the next decision.
        attr_reader :due

        def initialize(settings, manager, loop, scaler)
          @settings = settings
          @range = settings.range
          @manager = manager
          @loop = loop
          @scaler = scaler
          @log = loop.settings.log
          @policy = Policy.new(cpus: settings.cpus, shrink_after: settings.shrink_after)
          @sampler = Sampler.new(settings.load)
          @changes = {up: 0, down: 0}
          @due = 0.0
          @warned_at = @measured_at = -::Float::INFINITY
        end

        def step(now)
          return if now < @due

          @due = now + @settings.interval
          samples = @sampler.take(serving, now)
          return @policy.reset unless settled?

          decision = @policy.decide(now, samples, @range) { memory(now) }
          apply(decision, now) if decision
        end

        # Moves the fewest workers by a signal.
        def move(by)
          least = @range.begin + by
          unless (1..@range.end).cover?(least)
            return @log&.warn("at least #{least} workers: 1 to #{@range.end} are possible")
          end

          @range = least..@range.end
          @log&.info("at least #{least} workers from now on, at most #{@range.end}")
          resize(least, "the minimum") if size < least
        end

        def report
          {min: @range.begin, max: @range.end, grown: @changes[:up], shrunk: @changes[:down],
           last: @last}
        end

        private

        def size = @scaler.size - @settings.first

        def serving = @manager.slots.drop(@settings.first).reject(&:retired)

        def settled?
          @loop.restart.phase == :idle && !@loop.replacements.any? && serving.size == size &&
            serving.all? { |slot| slot.current&.ready? }
        end

        def apply(decision, now)
          return warn(decision.reason, now) if decision.change.zero?

          @measured_at = -::Float::INFINITY # memory is another with each worker
          resize(size + decision.change, decision.reason)
          @changes[decision.change.positive? ? :up : :down] += 1
          @policy.reset
        end

        def resize(count, reason)
          @scaler.resize(@settings.first + count, reason)
          @last = {workers: count, reason: reason, at: Time.now.to_f}
        end

        def warn(reason, now)
          return if now - @warned_at < REPEAT

          @warned_at = now
          @log&.warn("no further worker: #{reason}")
        end

        # Bytes that are free, and those of the largest worker.
        def memory(now)
          return @memory if now - @measured_at < MEASURE

          @measured_at = now
          @memory = [AvailableMemory.bytes,
            serving.filter_map { |slot| Memory.of(slot.current.pid)&.pss }.max]
        end
      end
    end
  end
end
