# frozen_string_literal: true

require_relative "../service/handle"

module Raffia
  class Server
    # A server in a thread of this process. {#stop} finishes the requests in flight, within
    # `drain_timeout`.
    class Handle < Service::Handle
      # @return [Array<Listen::Listener>]
      attr_reader :listeners

      # @param service [SingleProcess]
      # @raise [Exception] what kept it from starting
      def initialize(service)
        @listeners = service.listening.first
        super
      end

      # @return [String] of the first listener
      def url = listeners.first.url

      # @return [Integer, nil] of the first listener; nil for a Unix socket
      def port = listeners.first.port
    end
  end
end
