# frozen_string_literal: true

module Raffia
  module Jobs
    class Worker
      class Executors
        # A run as its job sees it in another process or Ractor. See {Run}.
        class RemoteRun
          # @return [Hash]
          attr_reader :item
          # @return [Store, nil] nil in a Ractor
          attr_reader :store
          # @return [Float, nil]
          attr_reader :progress
          # @return [String, nil]
          attr_accessor :note
          # @api private
          attr_accessor :result

          # Without a status the worker cannot reach the job.
          def initialize(item, store = nil, status = nil)
            @item = item
            @store = store
            @status = status
          end

          # @return [String, nil]
          def jid = @item["jid"]

          # @return [Boolean] see {Run#stopping?}
          def stopping? = !@status.nil? && @status.requested?

          # @return [Boolean]
          def cancelled? = !@status.nil? && @status.cancelled?

          # @param progress [Float] from 0.0 to 1.0
          def progress=(progress)
            @progress = progress.to_f.clamp(0.0, 1.0)
            @status&.progress = @progress
          end
        end
      end
    end
  end
end
