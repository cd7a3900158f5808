# frozen_string_literal: true

module Raffia
  module Lab
    class Service
      # A slow server: a client writes a line with a number of seconds and gets the line back after
      # them.
      class SlowServer
        Answer = Struct.new(:at, :client, :line)

        def initialize
          @inputs = {}.compare_by_identity
          reset
        end

        def reset
          @answers = []
          @served = 0
          @together = 0
        end

        # Seconds until the next answer, nil when nothing is waiting.
        def due
          soonest = @answers.map(&:at).min
          soonest && [soonest - now, 0].max
        end

        # Answers clients that have waited long enough.
        def tick
          due, @answers = @answers.partition { |answer| answer.at <= now }
          due.each { |answer| answer(answer) }
          true
        end

        def report = {served: @served, together: @together}

        def accepted(client)
          @inputs[client] = +""
        end

        # Returns whether the connection stays open.
        def received(client, data)
          input = @inputs.fetch(client) << data
          while (line = input.slice!(/\A[^\n]*\n/))
            @answers << Answer.new(now + Float(line), client, line)
          end
          @together = [@together, @answers.size].max
          true
        end

        def dropped(client)
          @inputs.delete(client)
          @answers.reject! { |answer| answer.client.equal?(client) }
        end

        private

        def answer(answer)
          answer.client.write(answer.line)
          @served += 1
        rescue SystemCallError
          nil # the client did not wait; its end of file says so next
        end

        def now = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC)
      end
    end
  end
end
