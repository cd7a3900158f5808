# frozen_string_literal: true

module Raffia
  class Actor
    class Supervisor
      # A child that runs one block: the end of the block is its end.
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
