# frozen_string_literal: true

module Raffia
  module Executor
    # A worker's answer to a message.
    #
    # value:: of the service
    # failure:: nil when all went well
    # seconds:: that it took
    Reply = Struct.new(:value, :failure, :seconds)

    class Reply
      # The outcomes of independent calls.
      #
      # values:: nil where there is a failure
      # failures:: Hash of positions to Failures; nil when all went well
      Outcomes = Struct.new(:values, :failures)
    end
  end
end
