# frozen_string_literal: true

require_relative "../../../task"
require_relative "../../errors"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Waits on a connection of its own until there may be something to do, without asking again
        # and again: Redis remembers which keys a connection has read (`CLIENT TRACKING`), and tells
        # it once when one of them is changed, by whomever.
        #
        # @api private
        class Watcher
          # Seconds between two looks: only to see that the connection lives.
          LOOK = 30
          # The same where the server knows no tracking, as behind some proxies: that is polling.
          POLL = 1

          # Seconds, for each process there is and at most, of which one that was told of a job
          # waits a random part before it looks. All who wait are told, one of them will have it; so
          # it is over before most of the others look, and they need not try.
          SPREAD = 0.0002
          WIDEST = 0.002

          KEYS = %w[paused processes schedule retry].freeze
          private_constant :KEYS

          # @param pool [Pool]
          # @param scripts [Scripts]
          def initialize(pool, scripts)
            @pool = pool
            @scripts = scripts
            @processes = 0
          end

          # Returns when one of the queues has a job, or a scheduled one or a retry is due, or that
          # is likely.
          # @param queues [Array<String>]
          # @return [void]
          # @raise [StoreUnavailable]
          def call(queues)
            loop do
              pause = undisturbed { look(queues) } or return
              next unless (event = @events.next_event(pause))

              if @processes < 2 &&
                  touched(event).any? { |key| key.start_with?("queue:", "raffia:queue:") }
                return
              end
              Waiter.nap(rand * [@processes * SPREAD, WIDEST].min)
            end
          rescue ::RedisClient::ProtocolError
            close # and look: nobody knows what was told
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

          # Where it is broken off an answer may still be on its way, which the next question would
          # take for its own.
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

          # @return [Numeric, nil] seconds to wait until something is due; nil when something is
          #   there already
          def look(queues)
            full, @processes, due = ask(queues)
            due = due.empty? ? nil : Float(due)
            [due, @tracking ? LOOK : POLL].compact.min unless full == 1 || due&.<=(0)
          end

          # Before version 7.2 Redis remembers the keys that a script is given, not those that it
          # reads.
          def keys(queues)
            queues.flat_map { |queue| ["queue:#{queue}", "raffia:queue:#{queue}"] } + KEYS
          end

          # All in one question: what is told before the answer is older than that.
          def ask(queues, whole: false)
            @events.call_v(@scripts.command(:look, queues, keys: keys(queues), whole: whole))
            nil while told?(answer = @events.next_event)
            raise ::RedisClient::ReadTimeoutError, "no answer" if answer.nil?
            return ask(queues, whole: true) if answer.is_a?(::RedisClient::NoScriptError) && !whole

            answer.is_a?(::RedisClient::Error) ? raise(answer) : checked(answer)
          end

          # A wait that is broken off in the middle of what it is being told leaves the rest of that
          # to the next one.
          def checked(answer)
            return answer if answer in [Integer, Integer, String]

            raise ::RedisClient::ProtocolError,
              "this is no answer to what was asked: #{answer.inspect[0, 100]}"
          end

          def told?(answer) = answer.is_a?(Array) && answer[0] == "invalidate"

          # All keys are gone by FLUSHDB: nothing to do, then.
          def touched(event) = told?(event) ? event[1].to_a : []
        end
      end
    end
  end
end
