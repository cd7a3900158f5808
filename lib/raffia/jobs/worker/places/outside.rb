# frozen_string_literal: true

require_relative "../../perform"

module Raffia
  module Jobs
    class Worker
      class Places
        # What a run is where its worker is not: in another process or Ractor. See {Run}.
        class Outside
          # @return [Hash]
          attr_reader :item
          # @return [Store, nil] nil in a Ractor
          attr_reader :store
          # @return [Float, nil]
          attr_reader :progress
          # @return [String, nil]
          attr_accessor :note

          # @param item [Hash]
          # @param store [Store, nil]
          # @param line [Line, nil] to the worker; nil: there is none
          def initialize(item, store = nil, line = nil)
            @item = item
            @store = store
            @line = line
          end

          # @return [String, nil]
          def jid = @item["jid"]

          # @return [Boolean] see {Run#stopping?}
          def stopping? = !@line.nil? && @line.told?

          # @return [Boolean]
          def cancelled? = !@line.nil? && @line.cancelled?

          # @param progress [Float] from 0.0 to 1.0
          def progress=(progress)
            @progress = progress.to_f.clamp(0.0, 1.0)
            @line&.progress = @progress
          end
        end
      end
    end
  end
end
