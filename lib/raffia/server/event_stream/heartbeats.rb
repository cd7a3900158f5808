# frozen_string_literal: true

module Raffia
  class Server
    class EventStream
      # Sends the heartbeats of all event streams of a thread from one fiber. It ends with the last
      # stream.
      #
      # @api private
      class Heartbeats
        # Most seconds between two rounds.
        INTERVAL = 1.0

        # Runs the block. Sends the stream's heartbeats meanwhile, unless `interval` is nil.
        def self.join(stream, interval, &)
          return yield unless interval

          scheduler = Fiber.scheduler
          all = RactorLocal.fetch(:raffia_heartbeats) { {}.compare_by_identity }
          (all[scheduler] ||= new { all.delete(scheduler) }).run_with(stream, interval, &)
        end

        # The block runs at the end.
        def initialize(&ended)
          @ended = ended
          @due = {}.compare_by_identity
          @interval = INTERVAL
          @empty = Condition.new
        end

        def run_with(stream, interval)
          @due[stream] = [Clock.now + interval, interval]
          @interval = [@interval, interval].min
          Fiber.schedule { run } unless @running
          yield
        ensure
          @due.delete(stream)
          @empty.signal if @due.empty?
        end

        private

        def run
          @running = true
          until @due.empty?
            beat_due(Clock.now)
            pause
          end
        ensure
          @running = false
          @ended.call
        end

        def beat_due(now)
          @due.to_a.each do |stream, schedule|
            next if schedule.first > now

            schedule[0] = now + schedule.last
            stream.beat
          end
        end

        def pause
          @empty.wait(timeout: @interval)
        rescue TimeoutError
          nil
        end
      end
    end
  end
end
