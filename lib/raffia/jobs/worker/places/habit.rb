# frozen_string_literal: true

require_relative "gauge"

module Raffia
  module Jobs
    class Worker
      class Places
        # What the runs of a class of jobs are like, and where that is best done, see {Auto}.
        #
        # @api private
        class Habit
          # Runs that are measured on a thread before anything is concluded.
          TRIALS = 3
          # Of so many runs in fibers one is looked at, and of so many of these one on a thread.
          LOOK = 8
          AGAIN = 8
          # After so many runs in processes the class is tried anew, and after twice as many each
          # time that they stay there, for a trial holds up others: they may have become short,
          # which nobody can see from here.
          ANEW = 64..4096
          # Seconds of Ruby code from which others in the process are kept waiting too long: Ruby
          # itself lets another thread run after 0.1.
          LONG = 0.02
          # Seconds for which a loop should not be held up.
          HELD = 0.005
          # Weight of the last run.
          SHARE = 0.3

          # @return [Symbol] :fibers, :threads, :processes
          attr_reader :on
          # @return [String] why
          attr_reader :why

          def initialize
            @on = :threads
            @why = "not yet known"
            @seen = @runs = 0
            @ruby = @free = @stuck = 0.0
            @told = false
            @pause = ANEW.min
            @elsewhere = 0
          end

          # @return [Array(Symbol, Gauge)] where the next run is done; nil for the gauge where it is
          #   not measured
          def next_run
            @runs += 1
            try_anew if @on == :processes && @seen >= TRIALS && (@elsewhere += 1) > @pause
            if @seen < TRIALS || (@on == :threads && (@runs % LOOK).zero?)
              return [:threads, Gauge.new]
            end
            return [:threads, Gauge.new] if @on == :fibers && (@runs % (LOOK * AGAIN)).zero?

            [@on, (Gauge.new if @on == :fibers && (@runs % LOOK).zero?)]
          end

          # @param gauge [Gauge]
          # @return [void]
          def learn(gauge)
            @seen += 1
            if gauge.held?.nil? # on a thread
              @ruby = mean(@ruby, gauge.ruby)
              @free = mean(@free, gauge.free)
            elsif gauge.held?
              @stuck = mean(@stuck, gauge.wall - gauge.ruby)
              @ruby = mean(@ruby, gauge.ruby)
            end
            conclude if @seen >= TRIALS
          end

          # @return [Boolean] whether somebody was told why
          def told? = @told || @seen < TRIALS

          # @return [String] why
          def told
            @told = true
            @why
          end

          private

          def try_anew
            @seen = @elsewhere = 0
            @stuck = 0.0
            @pause = [@pause * 2, ANEW.max].min
          end

          def mean(before, now) = (@seen == 1) ? now : before + SHARE * (now - before)

          def conclude
            @on, @why =
              if @ruby > LONG then [:processes,
                "#{ms(@ruby)} of Ruby code a run would keep the others here waiting"]
              elsif @free > HELD then [:threads,
                "#{ms(@free)} of C code a run goes on beside others, on a thread of its own"]
              elsif @stuck > HELD then [:threads,
                "#{ms(@stuck)} of waiting a run holds up the loop in a fiber"]
              else [:fibers, "#{ms(@ruby)} of Ruby code a run, the rest is waiting"]
              end
          end

          def ms(seconds) = "#{(seconds * 1000).round(1)} ms"
        end
      end
    end
  end
end
