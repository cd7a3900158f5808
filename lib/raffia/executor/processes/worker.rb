# frozen_string_literal: true

require_relative "../reply_transport"
require_relative "payload_codec"

module Raffia
  module Executor
    module Processes
      # A forked process that answers messages, seen by its worker loop. The child has the service
      # already; messages and replies are dumped. Between two messages the policy may have the
      # process replaced.
      class Worker
        attr_reader :replaced
        attr_reader :service

        def initialize(service, policy)
          @service = service
          @policy = policy
          @begun = Process::SharedCounter.new
          @answering = service.noting(@begun)
          @leaving = []
          @replaced = @pending = 0
          start
        end

        def pid = @process.pid

        # Whether it takes one more message, of so many calls, before the last reply.
        def room?(count) = @held.nil? && !@usage.reason(count)

        # The block makes the error to raise in place of Marshal's.
        def post(message, count)
          replace if @pending.zero? && @usage.reason(count)
          frame = dump(message)
        rescue TypeError, SystemStackError => error
          raise yield(error)
        else
          write(frame, count)
        end

        # The reply to the oldest message; nil when the process is dead. The block makes the error
        # to raise when the reply cannot be loaded here.
        def receive
          frame = @process.read or return
          @process.write(@held) if @held
          @held = nil
          reply = ReplyTransport.load(frame, @codec) { |error| yield error }
          @pending -= 1
          reply
        rescue IOError
          raise if @process.alive?

          nil # the frame was here in time, its shared memory was not
        end

        def reply?(seconds) = @process.reply?(seconds)

        # Whether {noted} is known: the number of the call that the service began last.
        def notes? = true
        def noted = @begun.value

        def sendable?(value) = ErrorTransport.dumpable?(value, PayloadCodec.new(nil))

        def refusal(value, index, error)
          NotDumpable.new("item #{index} (#{value.class}) cannot be dumped by Marshal " \
            "(#{error.message}): hand the items in as an Array, which a forked worker has " \
            "without being sent it, or use on: :threads", item: value, index: index)
        end

        # The process has ended, or ends now. The block returns item: and index: of the call to
        # blame.
        def death
          how = @process.exit(0) || @process.kill
          WorkerDied.new(pid: @process.pid, signal: how.signal, status: how.status, **yield)
        end

        # Ends the process now, from any thread; its loop then finds it dead.
        def interrupt
          @process.halt
          :killed
        end

        def close(grace)
          [@process, *@leaving].each { |process| process.stop(timeout: grace) }
        ensure
          @begun.free
        end

        private

        def start
          @process = Process::Worker.new { |connection| serve(connection) }
          @codec = PayloadCodec.new(@process.payloads)
          @usage = @policy.track(@process.pid)
        end

        def serve(connection)
          codec = PayloadCodec.new(connection.payloads)
          reserve = Process::HeapReserve.new
          while (frame = connection.reader.read)
            reply = @answering.call(codec.load(frame))
            frame = ReplyTransport.dump(reply, codec, trial: PayloadCodec.new(nil))
            break unless connection.writer.write(frame)

            reserve.call
          end
        end

        # The next process begins at once, and the old one ends by itself. Where no more can be
        # forked just now, it stays for another message.
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

        # Numbers go without a search for large values.
        def dump(message)
          message.last.is_a?(Integer) ? Marshal.dump(message) : @codec.dump(message)
        end

        # A frame that may not fit is held back: the process may be waiting for us to read, and
        # would not read this.
        def write(frame, count)
          @usage.add(count)
          @pending += 1
          (@pending == 1 || @process.room_for?(frame)) ? @process.write(frame) : @held = frame
        end
      end
    end
  end
end
