# frozen_string_literal: true

module Raffia
  module Lab
    class Service
      # A server that takes its time: a client writes a line with a number of seconds and gets the
      # line back after them.
      class SlowServer
        Answer = Struct.new(:at, :client, :line)

        def initialize
          @inputs = {}.compare_by_identity
          reset
        end

        # @return [void]
        def reset
          @answers = []
          @served = 0
          @together = 0
        end

        # @return [Float, nil] seconds until something has to be done; nil when nothing is waiting
        def due
          soonest = @answers.map(&:at).min
          soonest && [soonest - now, 0].max
        end

        # Answers clients that have waited long enough.
        #
        # @return [true]
        def tick
          due, @answers = @answers.partition { |answer| answer.at <= now }
          due.each { |answer| answer(answer) }
          true
        end

        # @return [Hash{Symbol => Integer}]
        def report = {served: @served, together: @together}

        # @param client [IO]
        # @return [void]
        def accepted(client)
          @inputs[client] = +""
        end

        # @return [Boolean] whether the conversation goes on
        def received(client, data)
          input = @inputs.fetch(client) << data
          while (line = input.slice!(/\A[^\n]*\n/))
            @answers << Answer.new(now + Float(line), client, line)
          end
          @together = [@together, @answers.size].max
          true
        end

        # @param client [IO]
        # @return [void]
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
