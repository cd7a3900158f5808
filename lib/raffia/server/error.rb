# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  class Server
    # Root of errors about servers. {Disconnected} is an IOError instead.
    class Error < Raffia::Error
    end

    # A request was refused: it gets this status, and its connection is closed.
    class Refused < Error
      # @return [Integer] status of the response
      attr_reader :status
      # @return [String] what is wrong with the request
      attr_reader :reason

      def initialize(status, reason)
        @status = status
        @reason = reason
        super("#{status}: #{reason}")
      end
    end

    # The response is invalid, or does not match its head.
    class BadResponse < Error
    end

    # The client has gone, or takes nothing more. An IOError, like those of sockets.
    class Disconnected < IOError
    end

    # An address cannot be listened on: in use, foreign, or not allowed.
    class CannotListen < Error
    end
  end
end
