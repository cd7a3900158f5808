# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Waits for jobs without polling: Redis remembers which keys this connection has read
        # (`CLIENT TRACKING`), and notifies it once when any client changes one of them.
        # @api private
        class TrackingConnection
          # Seconds between polls, to check the connection.
          CHECK = 30
          # The same when the server has no tracking, as behind some proxies.
          POLL = 1

          # A change notifies all waits, and one of them gets the job. A random delay (seconds for
          # each process, and the maximum) spares most others a claim.
          SPREAD = 0.0002
          WIDEST = 0.002

          KEYS = %w[paused processes schedule retry raffia:opens].freeze

          def initialize(redis)
            @redis = redis
            @processes = 0
            @timer = Store::RateLimiter::OpeningTimer.new
          end

          # Returns when there may be something to claim or promote.
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

          # After an interruption the answer may still be on its way, and must not be taken for the
          # next one.
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

          # Seconds to wait, nil when there is something to do.
          def poll(queues)
            full, @processes, due, opening, per = query(queues)
            due = due.empty? ? nil : Float(due)
            note_opening(opening, per)
            soonest = [due, @timer.seconds, @tracking ? CHECK : POLL].compact.min
            soonest if full != 1 && soonest.positive?
          end

          def note_opening(seconds, per)
            return @timer.opens_in(nil) if seconds.empty?

            @timer.opens_in(Float(seconds), Store::RateLimiter.lead(Float(per)))
          end

          # Before version 7.2 Redis tracks keys that a script is given, not those that it reads.
          def keys(queues)
            queues.flat_map { |queue| ["queue:#{queue}", "raffia:queue:#{queue}"] } + KEYS
          end

          # Notifications before the answer are outdated.
          def query(queues, whole: false)
            @events.call_v(@redis.scripts.command(:poll, queues, keys: keys(queues), whole: whole))
            nil while notification?(answer = @events.next_event)
            raise ::RedisClient::ReadTimeoutError, "no answer" if answer.nil?
            forgotten = answer.is_a?(::RedisClient::NoScriptError) && !whole
            return query(queues, whole: true) if forgotten

            answer.is_a?(::RedisClient::Error) ? raise(answer) : validate(answer)
          end

          # An interrupted wait may leave the rest of a notification.
          def validate(answer)
            return answer if answer in [Integer, Integer, String, String, String]

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
