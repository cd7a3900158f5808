# frozen_string_literal: true

require_relative "../../process/framed_pipe"

module Raffia
  class Server
    module Ractors
      # What a Ractor says to the main one, as frames in a pipe. Several of its fibers do, and a
      # long one is not written at once.
      #
      # @api private
      class StatusWriter
        READY = "ready"
        BEAT = "beat"
        # It accepts no more.
        LEFT = "left"
        # How the answer to "what are you at?" begins.
        AT = "at "
        private_constant :AT

        # @param word [String]
        # @return [Hash, nil] as {Observability::InFlightRequests#to_h}; nil: that is something else
        def self.in_flight(word)
          (::Marshal.load(word.byteslice(AT.bytesize..)) if word.start_with?(AT))
        end

        # @param io [IO]
        def initialize(io)
          @writer = Process::FramedPipe::Writer.new(io)
          @turn = ::Thread::Mutex.new
        end

        # @param word [String] one of these, or the last one
        # @return [Boolean] false when nobody listens any more
        def say(word) = @turn.synchronize { @writer.write(word) }

        # @param requests [Hash] as {Observability::InFlightRequests#to_h}
        # @return [Boolean]
        def say_in_flight(requests) = say(AT + ::Marshal.dump(requests))
      end
    end
  end
end
