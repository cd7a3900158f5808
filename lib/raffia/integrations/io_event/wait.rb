# frozen_string_literal: true

module Raffia
  module Integrations
    module IOEvent
      # One suspension of one fiber: what the engine gives back with the completion that ends it. A
      # fiber that goes on before that puts {NOBODY} in its place, whom late completions find.
      #
      # @api private
      class Wait
        attr_accessor :fiber
        # What came; nil while nothing has.
        attr_accessor :result
      end

      # A fiber that does nothing.
      #
      # @api private
      module NOBODY
        def self.transfer = nil
      end
    end
  end
end
