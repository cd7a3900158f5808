# frozen_string_literal: true

require_relative "processes/payload_codec"

module Raffia
  module Executor
    # One end of two pipes, or of a socket, that carry frames both ways: a {Processes::DuplexWorker}
    # or {Ractors::DuplexWorker} as its service sees it.
    class PipeTransport
      attr_reader :codec

      # The text says why it has ended; the block runs when it is closed.
      def initialize(reader, writer, codec = Processes::PayloadCodec.new(nil),
        text = "the other side is gone", &at_end)
        @reader = reader
        @writer = writer
        @codec = codec
        @text = text
        @at_end = at_end
      end

      # Returns nil at the end.
      def read = @reader.read

      def write(frame) = @writer.write(frame)

      def death = Closed.new(@text)

      def close
        [@reader, @writer].each(&:close)
        @at_end&.call
      end
    end
  end
end
