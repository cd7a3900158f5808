# frozen_string_literal: true

require_relative "large_values"

module Raffia
  module Executor
    module Processes
      # Marshal, for messages to and from a worker process: {LargeValues} inside of a value travel
      # beside the frame, in shared memory. A mark begins the frame of such a value.
      class PayloadCodec
        # Marshal's own frames begin with the number 4.
        MARK = "P"

        def initialize(payloads)
          @payloads = payloads
        end

        def dump(value)
          large = LargeValues.new
          return Marshal.dump(value) unless large.any?(value)

          stripped = large.strip(value)
          # Before anything is sent, because it may fail.
          frame = Marshal.dump(stripped)
          MARK + (@payloads&.send(large.contents) ? frame : enclose(large, stripped))
        end

        def load(frame)
          unless frame.start_with?(MARK)
            return Marshal.load(frame)
          end # standard:disable Security/MarshalLoad

          contents = nil
          Marshal.load(frame.byteslice(1..),
            lambda do |object| # standard:disable Security/MarshalLoad
              next object unless LargeValues::Placeholder === object

              content = object.content
              content = (contents ||= @payloads.receive)[content] if content.is_a?(Integer)
              object.encoding ? content.force_encoding(object.encoding) : buffer(content)
            end)
        end

        private

        # All of it in the frame after all: shared memory has no room.
        def enclose(large, stripped)
          large.placeholders.zip(large.contents) do |placeholder, content|
            placeholder.content = large.inline(content).content
          end
          Marshal.dump(stripped)
        end

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
