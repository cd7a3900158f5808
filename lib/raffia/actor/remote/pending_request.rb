# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # A request to an actor elsewhere whose answer is waited for later. See {Message#await}.
      class PendingRequest
        def initialize(connection, number)
          @connection = connection
          @number = number
        end

        # The other side looks for cycles.
        def core = self

        def check_cycle(_waiting, _message) = nil

        def current = nil

        def unwanted? = false

        def awaited_by(_message)
          task = RemoteMessage.number or return yield
          @connection.tell(:waits, @number, task)
          begin
            yield
          ensure
            @connection.tell(:rests, task)
          end
        end
      end
    end
  end
end
