# frozen_string_literal: true

require_relative "../sidekiq"

module Sidekiq
  # Constants that pages of other gems expect. Those pages are loaded, but not shown.
  module WebHelpers
    # A list that ignores what is pushed.
    class NullList
      # @return [self]
      def push(*) = self
      alias_method :<<, :push
    end

    SAFE_QPARAMS = NullList.new.freeze
  end
end
