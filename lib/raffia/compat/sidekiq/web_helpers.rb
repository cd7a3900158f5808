# frozen_string_literal: true

require_relative "../sidekiq"

module Sidekiq
  # What pages of other gems take from Sidekiq's. Those pages are not shown here, but they are
  # loaded.
  module WebHelpers
    # Takes what is pushed, and keeps nothing.
    class Ignored
      # @return [self]
      def push(*) = self
      alias_method :<<, :push
    end

    SAFE_QPARAMS = Ignored.new.freeze
  end
end
