# frozen_string_literal: true

require_relative "takeover/coordinator"

module Raffia
  class Server
    # A new server takes the listening sockets of an old one, boots, serves in its place, and tells
    # it to leave. When anything fails before that, the old one goes on. See ADR 42.
    #
    # @api private
    module Takeover
      # Version of the messages, the same on both sides.
      PROTOCOL = 1
      # Seconds for an answer of the other side's loop, and to a probe.
      ANSWER = 30
    end
  end
end
