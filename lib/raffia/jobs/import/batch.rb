# frozen_string_literal: true

module Raffia
  module Jobs
    class Import
      # Jobs that a source has put aside, as it keeps them.
      # @!attribute [r] id
      #   @return [String] the same until the source deletes the batch
      # @!attribute [r] records
      #   @return [Array<Object>] see {Source#item}
      # @api private
      Batch = Data.define(:id, :records)
    end
  end
end
