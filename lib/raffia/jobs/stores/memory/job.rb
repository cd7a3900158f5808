# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # A job in any set.
        # @api private
        class Job
          NO_EXTRAS = {}.freeze

          attr_reader :jid, :queue
          attr_accessor :payload
          # One of {Store::SETS}; :none while the job moves, and after its end.
          attr_accessor :set
          # When it is due, or was claimed or buried.
          attr_accessor :at
          # Whether it runs alone, see {Store::CrashVerdict}.
          attr_accessor :suspect

          def initialize(draft)
            @jid = draft.jid
            @queue = draft.queue
            @payload = draft.payload
            @extras = draft.extras || NO_EXTRAS
            @set = :none
            @suspect = @extras["crashes"].to_i.positive?
          end

          def priority = (@extras["priority"] || 0) + (@suspect ? Store::SUSPECT : 0)

          def batch = @extras["batch"]

          def unique = @extras["unique"]

          def limit = @extras["limit"]

          def expired?(now) = !@extras["expires_at"].nil? && @extras["expires_at"] <= now

          def entry = Entry.new(set: @set, queue: @queue, payload: @payload, at: @at, ref: self)
        end
      end
    end
  end
end
