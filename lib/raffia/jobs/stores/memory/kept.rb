# frozen_string_literal: true

require_relative "../../payload"

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # A job, wherever it is.
        #
        # @api private
        class Kept
          NOTHING = {}.freeze

          # @return [String]
          attr_reader :jid, :queue
          # @return [String]
          attr_accessor :payload
          # @return [Symbol] where it is, of {Store::SETS}; :gone
          attr_accessor :set
          # @return [Float, nil] when it is due, or was claimed or buried
          attr_accessor :at
          # @return [Boolean] whether it runs alone, see {Store::Death}
          attr_accessor :suspect

          # @param draft [Draft]
          def initialize(draft)
            @jid = draft.jid
            @queue = draft.queue
            @payload = draft.payload
            @own = draft.extras || NOTHING
            @set = :gone
            @suspect = @own["crashes"].to_i.positive?
          end

          def priority = (@own["priority"] || 0) + (@suspect ? Store::SUSPECT : 0)

          # @return [String, nil] a batch's id
          def batch = @own["batch"]

          # @return [Hash, nil]
          def unique = @own["unique"]

          # @return [Hash, nil]
          def limit = @own["limit"]

          # @return [Boolean]
          def expired?(now) = !@own["expires_at"].nil? && @own["expires_at"] <= now

          # @return [Entry]
          def entry = Entry.new(set: @set, queue: @queue, payload: @payload, at: @at, ref: self)
        end
      end
    end
  end
end
