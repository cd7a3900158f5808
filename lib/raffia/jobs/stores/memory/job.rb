# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # A job in any set.
        # @api private
        class Job
          NO_EXTRAS = {}.freeze

          attr_reader :jid
          attr_accessor :queue, :payload
          # One of {Store::SETS}; :none while the job moves, and after its end.
          attr_accessor :set
          # When it is due, or was claimed or buried.
          attr_accessor :at
          # Its turn among the jobs of its queue and priority, see {Store::FairOrder}.
          attr_accessor :pass
          # :rate or :pause when that blocks it, and not its limit.
          attr_accessor :rated
          # Whether it runs alone, see {Store::CrashVerdict}.
          attr_accessor :suspect

          def initialize(draft)
            @jid = draft.jid
            @queue = draft.queue
            @payload = draft.payload
            @extras = draft.extras || NO_EXTRAS
            @set = :none
            @pass = 0
            @rated = nil
            @suspect = @extras["crashes"].to_i.positive?
          end

          def priority = (@extras["priority"] || 0) + (@suspect ? Store::SUSPECT : 0)

          def batch = @extras["batch"]

          def workflow = @extras["workflow"]

          def unique = @extras["unique"]

          def limit = @extras["limit"]

          def rate = @extras["rate"]

          def rate_cost = rate["cost"] || 1

          def fair = @extras["fair"]

          def flow = @extras["flow"]

          def expired?(now) = !@extras["expires_at"].nil? && @extras["expires_at"] <= now

          def entry = Entry.new(set: @set, queue: @queue, payload: @payload, at: @at, ref: self)
        end
      end
    end
  end
end
