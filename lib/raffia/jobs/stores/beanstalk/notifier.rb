# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Beanstalk < Store
        # Waits by reserving: the job that ends a wait is the first of the next claim.
        class Notifier < Store::Notifier
          needs :address, :reservations

          # Seconds of a wait without a limit.
          LONG = 3600
          private_constant :LONG

          def initialize(parts)
            super
            @lock = Mutex.new
            @interrupted = false
            @waiting = nil
            @reserved = nil
          end

          def wait(queues, timeout: nil)
            return if @reserved || interrupted?

            tubes = queues.map { |queue| @address.tube_of(queue) }
            @reserved = reserve(tubes, timeout)
            nil
          end

          def interrupt
            @lock.synchronize do
              @interrupted = true
              @waiting
            end&.interrupt
            nil
          end

          # The job that has ended a wait; nil when there is none, or it is of another tube, and
          # goes back there.
          def reserved(tubes)
            found, @reserved = @reserved, nil
            return unless found && @reservations[found.first]
            return found if tubes.include?(found.last.tube)

            @reservations.give_back(found.first)
            nil
          end

          private

          def interrupted?
            @lock.synchronize { @interrupted.tap { @interrupted = false } }
          end

          # An interrupted connection is lost; a job that has just come goes back to its tube.
          def reserve(tubes, timeout)
            @reservations.reserve(tubes, (timeout || LONG).ceil) do |connection|
              interrupted = @lock.synchronize do
                @waiting = connection
                @interrupted
              end
              connection.interrupt if interrupted
            end
          rescue StoreUnavailable
            raise unless interrupted?
          ensure
            @lock.synchronize { @waiting = nil }
          end
        end
      end
    end
  end
end
