# frozen_string_literal: true

module Raffia
  module Engine
    # An operation of the pure-Ruby engine: a timer (at), a wait for a descriptor (io), or only a
    # completion. It is over once it has been shifted or cancelled.
    #
    # @api private
    Operation = Struct.new(:id, :data, :result, :at, :io, :fd, :events, :over)
  end
end
