# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  class Server
    # A request that is not served: it is answered with this status, and its connection is closed.
    class Refused < Error
      # @return [Integer] status of the response, from 400 on
      attr_reader :status
      # @return [String] what is wrong with the request
      attr_reader :reason

      def initialize(status, reason)
        @status = status
        @reason = reason
        super("#{status}: #{reason}")
      end
    end

    # An invalid response, or one that does not keep what its head declares.
    class BadResponse < Error
    end

    # The client has gone, or takes nothing more. An IOError, as a write to a socket raises.
    class Disconnected < IOError
    end

    # An address cannot be listened on: it is in use, not this machine's, or not allowed.
    class CannotListen < Error
    end
  end
end
