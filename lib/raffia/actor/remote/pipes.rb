# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # The far end of a line that is two pipes, or a socket.
      #
      # @api private
      class Pipes
        # @return [#dump, #load]
        attr_reader :codec

        # @param reader [Process::FramedPipe::Reader]
        # @param writer [Process::FramedPipe::Writer]
        # @param codec [#dump, #load, nil] nil: as Marshal
        # @param words [String] what has happened when it ends
        # @yield when it is closed
        def initialize(reader, writer, codec = nil, words = "the other side is gone", &at_end)
          @reader = reader
          @writer = writer
          @codec = codec || Executor::Processes::PayloadCodec.new(nil)
          @words = words
          @at_end = at_end
        end

        # @return [String, nil]
        def read = @reader.read

        # @return [Boolean]
        def write(frame) = @writer.write(frame)

        # @return [Exception]
        def reason = Closed.new(@words)

        # @return [void]
        def close
          [@reader, @writer].each(&:close)
          @at_end&.call
        end
      end
    end
  end
end
