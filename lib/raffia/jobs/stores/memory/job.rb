# frozen_string_literal: true

require_relative "../../payload"

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # A job in any set.
        #
        # @api private
        class Job
          NO_EXTRAS = {}.freeze

          attr_reader :jid, :queue
          attr_accessor :payload
          # @return [Symbol] of {Store::SETS}; :none while it moves, and after its end
          attr_accessor :set
          # @return [Float, nil] when it is due, or was claimed or buried
          attr_accessor :at
          # @return [Boolean] whether it runs alone, see {Store::CrashVerdict}
          attr_accessor :suspect

          # @param draft [Draft]
          def initialize(draft)
            @jid = draft.jid
            @queue = draft.queue
            @payload = draft.payload
            @extras = draft.extras || NO_EXTRAS
            @set = :none
            @suspect = @extras["crashes"].to_i.positive?
          end

          def priority = (@extras["priority"] || 0) + (@suspect ? Store::SUSPECT : 0)

          # @return [String, nil] a batch's id
          def batch = @extras["batch"]

          # @return [Hash, nil]
          def unique = @extras["unique"]

          # @return [Hash, nil]
          def limit = @extras["limit"]

          def expired?(now) = !@extras["expires_at"].nil? && @extras["expires_at"] <= now

          # @return [Entry]
          def entry = Entry.new(set: @set, queue: @queue, payload: @payload, at: @at, ref: self)
        end
      end
    end
  end
end
