# frozen_string_literal: true

module Raffia
  class Actor
    class Supervisor
      # Tells a supervisor about a child, before the messages that wait.
      #
      # @api private
      class ChildMessage < Actor::Message
        def initialize(core, name, *arguments)
          super(core, name, arguments, nil, nil, nil, nil, nil)
        end

        def invoke(subject) = subject.__send__(name, *arguments)
      end
    end
  end
end
