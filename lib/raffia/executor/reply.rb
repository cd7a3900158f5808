# frozen_string_literal: true

module Raffia
  module Executor
    # A worker's answer to a message.
    #
    # value:: depends on the service
    # failure:: nil when all went well
    # seconds:: how long it took
    Reply = Struct.new(:value, :failure, :seconds)

    class Reply
      # The outcomes of calls that have nothing to do with one another.
      #
      # values:: nil where there is a failure
      # failures:: Hash of positions to Failures; nil when all went well
      Outcomes = Struct.new(:values, :failures)
    end
  end
end
