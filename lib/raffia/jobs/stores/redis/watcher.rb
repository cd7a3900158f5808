# frozen_string_literal: true

require_relative "../../../task"
require_relative "../../errors"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Waits on a connection of its own until there may be something to do, without asking again and again: Redis remembers which keys a
        # connection has read (`CLIENT TRACKING`), and tells it once when one of them is changed, by whomever.
        class Watcher
          # Seconds between two looks: only to see that the connection lives.
          LOOK = 30
          # The same where the server knows no tracking, as behind some proxies: that is polling.
          POLL = 1

          # Seconds, for each process there is and at most, of which one that was told of a job waits a random part before it looks. All who wait
          # are told, one of them will have it; so it is over before most of the others look, and they need not try.
          SPREAD = 0.0002
          WIDEST = 0.002

          # @param pool [Pool]
          def initialize(pool)
            @pool = pool
            @processes = 0
          end

          # Returns when one of the queues has a job, or a scheduled one or a retry is due, or that is likely.
          # @param queues [Array<String>]
          # @return [void]
          # @raise [StoreUnavailable]
          def call(queues)
            loop do
              pause = undisturbed { look(queues) } or return
              next unless (event = @events.next_event(pause))

              return if @processes < 2 && touched(event).any? { |key| key.start_with?("queue:", "raffia:queue:") }
              Waiter.nap(rand * [@processes * SPREAD, WIDEST].min)
            end
          rescue ::RedisClient::Error => error
            close
            raise StoreUnavailable, "Redis cannot be reached: #{error.message}"
          end

          # @return [void]
          def close
            @events&.close
            @events = nil
          end

          private

          # Where it is broken off an answer may still be on its way, which the next question would take for its own.
          def undisturbed
            connect unless @events
            result = yield
            whole = true
            result
          ensure
            close unless whole
          end

          def connect
            @events = @pool.fresh.pubsub
            @events.call_v(%w[CLIENT TRACKING ON])
            @tracking = @events.next_event == "OK"
          end

          # @return [Numeric, nil] seconds to wait until something is due; nil when something is there already
          def look(queues)
            loop do
              answers, disturbed = ask(questions(queues))
              sizes = answers.shift(2 * queues.size).each_slice(2).map(&:sum)
              paused, @processes, scheduled, failed, (seconds, micros) = answers
              return if queues.zip(sizes).any? { |queue, size| size.positive? && !paused.include?(queue) }

              due = [scheduled, failed].filter_map { |first| Float(first.flatten[1]) unless first.empty? }.min
              due -= seconds.to_i + micros.to_i / 1e6 if due
              return if due && due <= 0
              return [due, @tracking ? LOOK : POLL].compact.min unless disturbed
            end
          end

          def questions(queues)
            queues.flat_map { |queue| [["LLEN", "queue:#{queue}"], ["ZCARD", "raffia:queue:#{queue}"]] } +
              [%w[SMEMBERS paused], %w[SCARD processes], %w[ZRANGE schedule 0 0 WITHSCORES], %w[ZRANGE retry 0 0 WITHSCORES], %w[TIME]]
          end

          # @return [Array(Array, Boolean)] the answers, and whether a key was changed meanwhile. What is told before the first answer is
          #   older than all of them
          def ask(questions)
            questions.each { |question| @events.call_v(question) }
            answers = []
            disturbed = false
            while answers.size < questions.size
              answer = @events.next_event
              raise ::RedisClient::ReadTimeoutError, "no answer" if answer.nil?
              raise answer if answer.is_a?(::RedisClient::Error)

              told?(answer) ? disturbed ||= !answers.empty? : answers << answer
            end
            [answers, disturbed]
          end

          # The name of a queue that is paused may be anything, but is no Array.
          def told?(answer) = answer.is_a?(Array) && answer[0] == "invalidate" && !answer[1].is_a?(String)

          # All keys are gone by FLUSHDB: nothing to do, then.
          def touched(event) = told?(event) ? event[1].to_a : []
        end
      end
    end
  end
end
