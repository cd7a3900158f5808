# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  class Server
    # A request that must not be served: it is answered with this status, and its connection is
    # closed.
    class Refused < Error
      # @return [Integer] the status of the answer, from 400 on
      attr_reader :status
      # @return [String] what is wrong with the request
      attr_reader :reason

      def initialize(status, reason)
        @status = status
        @reason = reason
        super("#{status}: #{reason}")
      end
    end

    # The app has returned what is no response, or not the one that it has begun.
    class BadResponse < Error
    end

    # The client has gone, or takes nothing more. An IOError, as it would be for whoever writes to a
    # socket.
    class Disconnected < IOError
    end
  end
end
