# frozen_string_literal: true

require_relative "../../base/error"
require_relative "../../base/fork"
require_relative "../pipe_transport"
require_relative "adapter"
require_relative "sharing_codec"

module Raffia
  module Executor
    module Ractors
      # A Ractor that exchanges frames with this one in both directions, at any time. Deeply frozen
      # values are not copied.
      class DuplexWorker
        attr_reader :codec

        # In the Ractor, `service.serve` gets a {PipeTransport} and the arguments. All of them are
        # shareable, or copied.
        def initialize(service, *arguments)
          # Inside a Ractor this would change Process while others call its methods.
          Fork.install
          mailboxes = SharingCodec.mailboxes
          @codec = SharingCodec.new(*mailboxes)
          @over = Thread::Queue.new
          reader, writer = ::IO.pipe
          @writer = Process::FramedPipe::Writer.new(writer)
          # From here on the descriptor belongs to the Ractor.
          reader.autoclose = false
          down = reader.fileno
          @ractor = Adapter.new do |up|
            Adapter.start(service, arguments, down, up, mailboxes) do |*all|
              DuplexWorker.serve(*all)
            end
          end
        end

        # Runs in the Ractor, with the descriptors of the ways there and back.
        def self.serve(service, arguments, down, up, mailboxes)
          Adapter.serve(up) do |writer|
            reader = Process::FramedPipe::Reader.new(::IO.for_fd(down, "rb"))
            codec = SharingCodec.new(*mailboxes.reverse)
            service.serve(PipeTransport.new(reader, writer, codec), *arguments)
          end
        end

        # Returns nil when the Ractor has ended.
        def read = @ractor.read

        def write(frame) = @writer.write(frame)

        # (see Processes::DuplexWorker#death)
        def death
          @over.close
          item = yield
          WorkerDied.new("the Ractor has ended#{" (it worked on #{item})" if item}", item: item)
        end

        # Ends a Ractor that waits. One that computes cannot be stopped: it ends afterwards.
        def interrupt
          @writer.close
          @ractor.abandon
          :abandoned
        end

        # (see Processes::DuplexWorker#close)
        def close(grace = 0)
          grace.zero? ? interrupt : @over.pop(timeout: grace)
        end
      end
    end
  end
end
