# frozen_string_literal: true

module Raffia
  class Server
    # `rack.hijack`: gives the socket to the app, for good.
    #
    # @api private
    class Hijack
      def initialize(wire, io)
        @wire = wire
        @io = io
        @used = false
      end

      # @return [Boolean]
      def used? = @used

      # @return [IO] the socket itself: the app reads, writes and closes it
      def call
        return @io if @used

        @wire.flush
        rest = @wire.unread
        @io.ungetbyte(rest) unless rest.empty?
        @wire.conclude
        @used = true
        @io
      end
    end
  end
end
