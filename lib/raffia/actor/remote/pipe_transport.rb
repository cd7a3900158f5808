# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # Carries frames over two pipes or a socket.
      class PipeTransport
        # @return [#dump, #load]
        attr_reader :codec

        # @param reader [Process::FramedPipe::Reader]
        # @param writer [Process::FramedPipe::Writer]
        # @param codec [#dump, #load, nil] nil: as Marshal
        # @param text [String] why it has ended
        # @yield when it is closed
        def initialize(reader, writer, codec = nil, text = "the other side is gone", &at_end)
          @reader = reader
          @writer = writer
          @codec = codec || Executor::Processes::PayloadCodec.new(nil)
          @text = text
          @at_end = at_end
        end

        # @return [String, nil]
        def read = @reader.read

        def write(frame) = @writer.write(frame)

        def reason = Closed.new(@text)

        def close
          [@reader, @writer].each(&:close)
          @at_end&.call
        end
      end
    end
  end
end
