# frozen_string_literal: true

require_relative "../../base/error"
require_relative "../../process"
require_relative "../../process/heap_reserve"
require_relative "../reply_transport"
require_relative "payload_codec"
require_relative "recycle_policy"

module Raffia
  module Executor
    module Processes
      # A forked process that answers messages, seen by its worker loop. What the service has is in
      # the child already; messages and replies are dumped. It outlives its processes: one that has
      # served its time is replaced between two messages.
      class Worker
        # Processes that were replaced because they had served their time.
        attr_reader :replaced
        # What the worker does with a message.
        attr_reader :service

        def initialize(service, limits)
          @service = service
          @limits = limits
          @begun = Process::SharedCounter.new
          @answering = service.noting(@begun)
          @leaving = []
          @replaced = @pending = 0
          start
        end

        def pid = @process.pid

        # Whether it takes one more message before the last reply.
        def room?(count) = @held.nil? && !@policy.due?(count)

        # The block returns to raise instead.
        def post(message, count)
          replace if @pending.zero? && @policy.due?(count)
          frame = dump(message)
        rescue TypeError, SystemStackError => error
          raise yield(error)
        else
          write(frame, count)
        end

        # The block returns to raise instead. To the oldest message; nil when the process is dead.
        def receive
          frame = @process.read or return
          @process.write(@held) if @held
          @held = nil
          reply = ReplyTransport.load(frame, @codec) { |error| yield error }
          @pending -= 1
          reply
        rescue IOError
          raise if @process.alive?

          nil # the frame was here in time, what went beside it was not
        end

        # Whether there is something to receive.
        def reply?(seconds) = @process.reply?(seconds)

        # Whether {noted} tells anything.
        def notes? = true

        # The number of the call that the service began last.
        def noted = @begun.value

        # Whether a value can be in a message.
        def sendable?(value) = ErrorTransport.dumpable?(value, PayloadCodec.new(nil))

        def refusal(value, index, error)
          NotDumpable.new("item #{index} (#{value.class}) cannot be dumped by Marshal " \
            "(#{error.message}): hand the items in as an Array, which a forked worker has " \
            "without " \
            "being sent it, or use on: :threads", item: value, index: index)
        end

        # The process has ended, or ends now. The block returns item: and index: of the call to
        # blame.
        def death
          how = @process.exit(0) || @process.kill
          WorkerDied.new(pid: @process.pid, signal: how.signal, status: how.status, **yield)
        end

        # End the process now, from whichever thread; its loop then finds it dead. :killed.
        def interrupt
          @process.halt
          :killed
        end

        # `grace`: seconds for the process to end by itself.
        def close(grace)
          [@process, *@leaving].each { |process| process.stop(patience: grace) }
        ensure
          @begun.free
        end

        private

        def start
          @process = Process::Worker.new { |link| serve(link) }
          @codec = PayloadCodec.new(@process.payloads)
          @policy = RecyclePolicy.new(@limits, @process.pid)
        end

        # In the child.
        def serve(link)
          codec = PayloadCodec.new(link.payloads)
          headroom = Process::HeapReserve.new
          while (frame = link.reader.read)
            reply = @answering.call(codec.load(frame))
            frame = ReplyTransport.dump(reply, codec, trial: PayloadCodec.new(nil))
            break unless link.writer.write(frame)

            headroom.call
          end
        end

        # The next process begins at once; the old one has nothing left to do and ends in its own
        # time. Where no more can be forked just now, it stays for another message.
        def replace
          # An interrupt in between would lose the new process.
          Thread.handle_interrupt(Cancel => :never) do
            old = @process
            start
            @replaced += 1
            @leaving.select!(&:alive?)
            @leaving << old.tap(&:dismiss)
          end
        rescue SystemCallError
          nil
        end

        # Numbers go without a search for what is large.
        def dump(message)
          message.last.is_a?(Integer) ? Marshal.dump(message) : @codec.dump(message)
        end

        # A frame that may not fit is held back: the process may be waiting for us to read, and
        # would not read this.
        def write(frame, count)
          @policy.add(count)
          @pending += 1
          (@pending == 1 || @process.room_for?(frame)) ? @process.write(frame) : @held = frame
        end
      end
    end
  end
end
