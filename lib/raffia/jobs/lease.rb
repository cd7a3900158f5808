# frozen_string_literal: true

module Raffia
  module Jobs
    # A worker's right to its claims, until it runs out.
    #
    # @!attribute [r] token
    #   @return [Integer] higher than that of any lease before
    # @!attribute [r] ttl
    #   @return [Numeric] seconds
    Lease = Data.define(:identity, :token, :ttl)
  end
end
