# frozen_string_literal: true

module Raffia
  module Engine
    # An operation of the pure-Ruby engine: a timer (with a time), a wait for a descriptor (with an
    # IO), or only a completion. It is over once it has been shifted or cancelled.
    #
    # @api private
    Operation = Struct.new(:id, :data, :result, :at, :io, :fd, :events, :over)
  end
end
