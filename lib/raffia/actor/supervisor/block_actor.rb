# frozen_string_literal: true

module Raffia
  class Actor
    class Supervisor
      # A child that is only a block: it runs once, and its end is the child's.
      #
      # @api private
      class BlockActor < Actor
        options mailbox: nil

        def initialize(&block)
          @block = block
        end

        def on_start = @raffia_core.tell(:run, [], nil, nil)

        def run
          @block.call
          stop
        end
      end
    end
  end
end
