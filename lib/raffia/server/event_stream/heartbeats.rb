# frozen_string_literal: true

module Raffia
  class Server
    class EventStream
      # The heartbeats of all event streams of a thread, by one fiber: thousands of them cost one,
      # not one each. It ends with the last of them.
      #
      # @api private
      class Heartbeats
        # Seconds between two looks, at most.
        TURN = 1.0

        # Runs the block; meanwhile the stream is looked after.
        # @param interval [Numeric, nil] seconds
        def self.join(stream, interval, &)
          return yield unless interval

          scheduler = Fiber.scheduler
          all = RactorLocal.fetch(:raffia_heartbeats) { {}.compare_by_identity }
          (all[scheduler] ||= new { all.delete(scheduler) }).keep(stream, interval, &)
        end

        # @yield when it ends
        def initialize(&ended)
          @ended = ended
          @due = {}.compare_by_identity
          @turn = TURN
          @empty = Condition.new
        end

        def keep(stream, interval)
          @due[stream] = [Clock.now + interval, interval]
          @turn = [@turn, interval].min
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
            look(Clock.now)
            pause
          end
        ensure
          @running = false
          @ended.call
        end

        def look(now)
          @due.to_a.each do |stream, plan|
            next if plan.first > now

            plan[0] = now + plan.last
            stream.beat
          end
        end

        def pause
          @empty.wait(timeout: @turn)
        rescue TimeoutError
          nil
        end
      end
    end
  end
end
