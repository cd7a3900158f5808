# frozen_string_literal: true

require_relative "../../process/experimental_warning"
require_relative "large_values"

module Raffia
  module Executor
    module Processes
      # As Marshal, for the way to and from a worker process: what is {LargeValues} inside of a value
      # travels beside the frame, in shared memory. A frame that goes with parcels begins with a mark;
      # all others are plain Marshal.
      #
      # @api private
      class PayloadCodec
        # Marshal's own frames begin with the number 4.
        MARK = "P"

        # @param parcels [Process::SharedMemoryPayloads, nil]
        def initialize(parcels)
          @parcels = parcels
        end

        # @return [String]
        # @raise [TypeError] as Marshal does
        def dump(value)
          outsized = LargeValues.new
          return Marshal.dump(value) unless outsized.any?(value)

          stripped = outsized.strip(value)
          # First, so that nothing has been sent when it fails.
          frame = Marshal.dump(stripped)
          MARK + (@parcels&.send(outsized.contents) ? frame : enclose(outsized, stripped))
        end

        # @param frame [String]
        def load(frame)
          unless frame.start_with?(MARK)
            return Marshal.load(frame)
          end # standard:disable Security/MarshalLoad

          contents = nil
          Marshal.load(frame.byteslice(1..),
            lambda do |object| # standard:disable Security/MarshalLoad
              next object unless LargeValues::Slip === object

              content = object.content
              content = (contents ||= @parcels.receive)[content] if content.is_a?(Integer)
              object.encoding ? content.force_encoding(object.encoding) : buffer(content)
            end)
        end

        private

        # All of it in the frame after all.
        def enclose(outsized, stripped)
          outsized.slips.zip(outsized.contents) do |slip, content|
            slip.content = outsized.inline(content).content
          end
          Marshal.dump(stripped)
        end

        # A buffer that may be written to, as the one was that was sent.
        def buffer(string)
          Process::ExperimentalWarning.silence do
            ::IO::Buffer.new(string.bytesize)
              .tap { |buffer| buffer.set_string(string) unless string.empty? }
          end
        end
      end
    end
  end
end
