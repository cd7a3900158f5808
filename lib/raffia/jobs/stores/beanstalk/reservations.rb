# frozen_string_literal: true

require_relative "../../../pool"
require_relative "connection"
require_relative "reservation"

module Raffia
  module Jobs
    module Stores
      class Beanstalk < Store
        # Connections of this process: those with a reserved job, and idle ones. A thread touches
        # the jobs. A child process begins with none.
        # @api private
        class Reservations
          # Idle connections that are kept.
          IDLE = 10
          private_constant :IDLE

          def initialize(address)
            @address = address
            @serial = 0
            @fork = Fork.after_child { reset }
            reset
          end

          # Yields an idle connection.
          def with
            connection = take
            result = yield connection
            put_back(connection)
            result
          rescue Exception # standard:disable Lint/RescueException
            connection&.close
            raise
          end

          # Reserves a job of these tubes within so many seconds. Returns its key and the
          # {Reservation}. Yields the connection before it waits.
          def reserve(tubes, seconds)
            connection = take
            connection.watch(tubes)
            yield connection if block_given?
            reservation = Reservation.take(connection, seconds)
            reservation ? add(reservation) : put_back(connection)
          rescue Exception # standard:disable Lint/RescueException
            connection&.close
            raise
          end

          def [](key) = @held[key]

          def keys = @held.keys

          # Ends a reservation: yields its connection, which is idle then. Nil when it is lost.
          def finish(key)
            reservation = @lock.synchronize { @held.delete(key) } or return
            result = yield reservation
            put_back(reservation.connection)
            result
          rescue Exception # standard:disable Lint/RescueException
            reservation&.connection&.close
            raise
          end

          # The job goes back to its tube, and no release is counted.
          def give_back(key)
            @lock.synchronize { @held.delete(key) }&.connection&.close
          end

          def close
            @wake.push(:stop)
            @toucher&.shutdown(1)
            connections = @lock.synchronize {
              [*@idle.shift(@idle.size), *@held.each_value.map(&:connection)].tap { @held.clear }
            }
            connections.each(&:close)
            @toucher = nil
          end

          private

          def reset
            # The parent has its ends still open: the server does not notice.
            [*@idle, *@held&.each_value&.map(&:connection)].each(&:disown)
            @lock = Mutex.new
            @idle = []
            @held = {}
            @wake = ::Thread::Queue.new
            @toucher = nil
          end

          def take = @lock.synchronize { @idle.pop } || Connection.new(@address)

          def put_back(connection)
            kept = @lock.synchronize { @idle.push(connection) if @idle.size < IDLE }
            connection.close unless kept
            nil
          end

          def add(reservation)
            key = @lock.synchronize do
              key = [reservation.id, @serial += 1]
              @held[key] = reservation
              @toucher ||= start
              key
            end
            @wake.push(:added)
            [key, reservation]
          end

          def start
            wake = @wake
            Pool.new(on: :threads, workers: 1, idle: nil).tap { |pool|
              pool.submit { touch_due until wake.pop(timeout: pause) == :stop }
            }
          end

          def pause
            due = @lock.synchronize { @held.each_value.map(&:due) }.min
            due && (due - Clock.now).clamp(0..)
          end

          # A job that cannot be touched is lost: another worker may have it.
          def touch_due
            now = Clock.now
            @lock.synchronize { @held.select { |_, one| one.due <= now } }
              .each { |key, reservation| give_back(key) unless touched?(reservation) }
          end

          def touched?(reservation)
            reservation.touch
          rescue StoreUnavailable
            false
          end
        end
      end
    end
  end
end
