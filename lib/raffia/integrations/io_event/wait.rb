# frozen_string_literal: true

module Raffia
  module Integrations
    module IOEvent
      # One suspension of one fiber; the engine returns it with the completion that ends it. A fiber
      # that continues earlier is replaced by {NullFiber}, for late completions.
      #
      # @api private
      class Wait
        attr_accessor :fiber
        # Result of the operation, nil before its completion.
        attr_accessor :result
      end

      # A fiber that does nothing.
      #
      # @api private
      module NullFiber
        def self.transfer = nil
      end
    end
  end
end
