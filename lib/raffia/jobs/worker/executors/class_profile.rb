# frozen_string_literal: true

require_relative "meter"

module Raffia
  module Jobs
    class Worker
      class Executors
        # The measured runs of a class of jobs, and the executor that suits them.
        #
        # @api private
        class ClassProfile
          # Runs that are measured on a thread before anything is concluded.
          TRIALS = 3
          # One of so many runs in fibers is measured, and one of so many of these on a thread.
          SAMPLE = 8
          SAMPLE_ON_THREAD = 8
          # After so many runs in processes the class is tried anew: its runs may have become short.
          # The number doubles each time that they stay there, because a trial holds up others.
          RETRIAL = 64..4096
          # Seconds of Ruby code that keep others waiting too long: Ruby itself switches after 0.1.
          LONG = 0.02
          # Seconds for which a loop should not be held up.
          HELD = 0.005
          # Weight of the last run in the mean.
          WEIGHT = 0.3

          # :fibers, :threads or :processes, and why.
          attr_reader :on, :why

          def initialize
            @on = :threads
            @why = "not yet known"
            @seen = @runs = @elsewhere = 0
            @ruby = @free = @stuck = 0.0
            @explained = false
            @pause = RETRIAL.min
          end

          # Where the next run is done, and its {Meter} if it is measured.
          def next_run
            @runs += 1
            start_over if @on == :processes && @seen >= TRIALS && (@elsewhere += 1) > @pause
            return [:threads, Meter.new] if @seen < TRIALS || sample_on_thread?

            [@on, (Meter.new if @on == :fibers && (@runs % SAMPLE).zero?)]
          end

          def learn(meter)
            @seen += 1
            if meter.held?.nil? # on a thread
              @ruby = mean(@ruby, meter.ruby)
              @free = mean(@free, meter.free)
            elsif meter.held?
              @stuck = mean(@stuck, meter.wall - meter.ruby)
              @ruby = mean(@ruby, meter.ruby)
            end
            @on, @why = choice if @seen >= TRIALS
          end

          def explained? = @explained || @seen < TRIALS

          def explain
            @explained = true
            @why
          end

          private

          def sample_on_thread?
            case @on
            when :threads then (@runs % SAMPLE).zero?
            when :fibers then (@runs % (SAMPLE * SAMPLE_ON_THREAD)).zero?
            end
          end

          def start_over
            @seen = @elsewhere = 0
            @stuck = 0.0
            @pause = [@pause * 2, RETRIAL.max].min
          end

          def mean(before, now) = (@seen == 1) ? now : before + WEIGHT * (now - before)

          def choice
            if @ruby > LONG
              [:processes, "#{ms(@ruby)} of Ruby code a run would keep the others here waiting"]
            elsif @free > HELD
              [:threads,
                "#{ms(@free)} of C code a run goes on beside others, on a thread of its own"]
            elsif @stuck > HELD
              [:threads, "#{ms(@stuck)} of waiting a run holds up the loop in a fiber"]
            else
              [:fibers, "#{ms(@ruby)} of Ruby code a run, the rest is waiting"]
            end
          end

          def ms(seconds) = "#{(seconds * 1000).round(1)} ms"
        end
      end
    end
  end
end
