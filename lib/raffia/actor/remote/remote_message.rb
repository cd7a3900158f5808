# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # A message that an object handles in another process or Ractor.
      class RemoteMessage < Message
        # The number of the request.
        attr_reader :number

        def initialize(number, core, name, arguments, keywords, answer, deadline)
          super(core, name, arguments, keywords, nil, answer, deadline, nil)
          @number = number
        end

        # The number of the request that the running code works for, nil for none.
        def self.number
          current = Message.current or return
          WaitGraph.chain(current).grep(RemoteMessage).first&.number
        end

        def postpone
          @postponed = true
          @reply.postpone
          @reply
        end
      end

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
