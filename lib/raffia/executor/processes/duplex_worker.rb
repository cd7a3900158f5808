# frozen_string_literal: true

require_relative "../pipe_transport"
require_relative "payload_codec"

module Raffia
  module Executor
    module Processes
      # A forked process that exchanges frames with this one in both directions, at any time.
      class DuplexWorker
        attr_reader :codec

        # The block runs in the child, with a {PipeTransport}.
        def initialize
          @process = Process::Worker.new do |link|
            yield PipeTransport.new(link.reader, link.writer, PayloadCodec.new(link.payloads))
          end
          @codec = PayloadCodec.new(@process.payloads)
        end

        # Returns nil when the process is dead.
        def read = @process.read

        def write(frame) = @process.write(frame)

        # Yields for the item that the process worked on, nil for none.
        def death
          how = @process.exit(1) || @process.kill
          facts = {pid: how.pid, signal: how.signal, status: how.status}
          died = WorkerDied.new(**facts)
          item = yield or return died

          WorkerDied.new("#{died.message} (it worked on #{item})", **facts, item: item)
        end

        # Ends the process now; its reader then finds it dead.
        def interrupt
          @process.halt
          :killed
        end

        # No more frames: it ends when it has done what it has. Waits so many seconds for that.
        def close(grace = 0)
          grace.zero? ? @process.dismiss : @process.exit(grace)
        end
      end
    end
  end
end
