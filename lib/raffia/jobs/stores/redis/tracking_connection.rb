# frozen_string_literal: true

require_relative "../../../task"
require_relative "../../error"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # A connection that waits for jobs without polling: Redis remembers which keys it has read
        # (`CLIENT TRACKING`), and notifies it once when any client changes one of them.
        #
        # @api private
        class TrackingConnection
          # Seconds between two polls: only to check that the connection works.
          CHECK = 30
          # The same where the server has no tracking, as behind some proxies.
          POLL = 1

          # A random delay before a poll, in seconds for each process, and its maximum. A change
          # notifies all waits, and one of them gets the job: the delay spares most others a claim.
          SPREAD = 0.0002
          WIDEST = 0.002

          KEYS = %w[paused processes schedule retry].freeze
          private_constant :KEYS

          # @param redis [Client]
          def initialize(redis)
            @redis = redis
            @processes = 0
          end

          # Returns when a queue has a job, or a scheduled job or a retry is due, or that is likely.
          # @param queues [Array<String>]
          # @raise [StoreUnavailable]
          def wait(queues)
            loop do
              pause = uninterrupted { poll(queues) } or return
              next unless (event = @events.next_event(pause))

              return if @processes < 2 && queue_changed?(event)
              Waiter.nap(rand * [@processes * SPREAD, WIDEST].min)
            end
          rescue ::RedisClient::ProtocolError
            close # and return: what changed is unknown
          rescue ::RedisClient::Error => error
            close
            raise StoreUnavailable, "Redis cannot be reached: #{error.message}"
          end

          def close
            @events&.close
            @events = nil
          end

          private

          # Closes the connection after an interruption: an answer may still be on its way, and
          # would be taken for that of the next question.
          def uninterrupted
            connect unless @events
            result = yield
            done = true
            result
          ensure
            close unless done
          end

          def connect
            @events = @redis.fresh.pubsub
            @events.call_v(%w[CLIENT TRACKING ON])
            @tracking = @events.next_event == "OK"
          end

          # @return [Numeric, nil] seconds to wait; nil when there is something to do
          def poll(queues)
            full, @processes, due = ask(queues)
            due = due.empty? ? nil : Float(due)
            [due, @tracking ? CHECK : POLL].compact.min unless full == 1 || due&.<=(0)
          end

          # Before version 7.2 Redis tracks the keys that a script is given, not those that it
          # reads.
          def keys(queues)
            queues.flat_map { |queue| ["queue:#{queue}", "raffia:queue:#{queue}"] } + KEYS
          end

          # One question, so notifications before the answer are outdated.
          def ask(queues, whole: false)
            @events.call_v(@redis.scripts.command(:poll, queues, keys: keys(queues), whole: whole))
            nil while notification?(answer = @events.next_event)
            raise ::RedisClient::ReadTimeoutError, "no answer" if answer.nil?
            return ask(queues, whole: true) if answer.is_a?(::RedisClient::NoScriptError) && !whole

            answer.is_a?(::RedisClient::Error) ? raise(answer) : checked(answer)
          end

          # A wait that is interrupted within a notification leaves the rest of it to the next one.
          def checked(answer)
            return answer if answer in [Integer, Integer, String]

            raise ::RedisClient::ProtocolError,
              "this is no answer to what was asked: #{answer.inspect[0, 100]}"
          end

          def notification?(answer) = answer.is_a?(Array) && answer[0] == "invalidate"

          # Without keys after FLUSHDB.
          def queue_changed?(event)
            keys = notification?(event) ? event[1].to_a : []
            keys.any? { |key| key.start_with?("queue:", "raffia:queue:") }
          end
        end
      end
    end
  end
end
