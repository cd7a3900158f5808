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
    end
  end
end
