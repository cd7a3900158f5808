# frozen_string_literal: true

require_relative "../../process"
require_relative "../failure_dump"
require_relative "../item_context"
require_relative "parcel_dump"
require_relative "process_service"
require_relative "../seat"
require_relative "tenure"

module Raffia
  class Pool
    # A forked worker, seen by its driver. The block, and an input that can be read by position, are
    # in the child already; chunks go down as numbers or as dumped items, replies come up dumped.
    #
    # @api private
    class ProcessSeat < Seat
      # Work that is shorter than this is handed over ahead, so that the worker does not wait for us
      # between chunks. What takes longer is not: handed over, it could not go to a worker that is
      # idle.
      AHEAD = 0.05
      # Seconds that a worker gets to leave by itself when there is no work left.
      PATIENCE = 5

      # @param plan [Plan]
      # @param input [#slice, nil]
      # @param sizer [ChunkSize]
      # @param options [Options] what a worker may use up before it is replaced
      def initialize(plan, input, sizer, options)
        super(plan)
        @sizer = sizer
        @held = nil
        @options = options
        @cell = Process::SharedCounter.new
        @service = ProcessService.new(plan, input, @cell)
        @leaving = []
        @replaced = 0
        hire
      end

      # @return [Integer]
      attr_reader :replaced

      # @return [Integer]
      def pid = @worker.pid

      def ready?
        return true if @posted.empty?

        @posted.size == 1 && @held.nil? && @sizer.hand_ahead?(AHEAD) && !@tenure.over?(@sizer.now)
      end

      def post(chunk)
        replace if @posted.empty? && @tenure.over?(chunk.size)
        # First, so that the chunk is known to be here whatever happens next.
        @posted << chunk
        frame = dump(chunk)
        @tenure.add(chunk.size)
        # A frame that may not fit is held back: the worker may be waiting for us to read, and would
        # not read this.
        if @posted.size == 1 || @worker.room_for?(frame)
          @worker.write(frame)
        else
          @held = frame
        end
      rescue NotDumpable
        @posted.pop
        raise
      end

      def collect
        frame = @worker.read or raise died
        @worker.write(@held) if @held
        @held = nil
        chunk = @posted.first
        reply = ReplyDump.load(frame, chunk, @codec)
        @posted.shift
        [chunk, reply]
      rescue IOError
        raise if @worker.alive?

        raise died # the frame was here in time, what went beside it was not
      end

      # Wait until there is something to collect.
      # @param seconds [Numeric]
      # @return [Boolean] whether there is
      def reply?(seconds) = @worker.reply?(seconds)

      # @param clean [Boolean]
      # @return [void]
      def leave(clean)
        [@worker, *@leaving].each { |worker| worker.stop(patience: clean ? PATIENCE : 0) }
      ensure
        @cell.free
      end

      # End the worker now, from whichever thread; its driver then finds it dead.
      # @return [Symbol] :killed
      def halt
        @worker.halt
        :killed
      end

      # What the worker noted last, if that is not over.
      def begun
        noted = @cell.value
        noted if @posted.any? { |chunk| chunk.cover?(noted) }
      end

      private

      def hire
        @worker = Process::Worker.new { |link| @service.run(link) }
        @codec = ParcelDump.new(@worker.payloads)
        @tenure = Tenure.new(@options, @worker.pid)
      end

      # The next one begins at once; the old one has nothing left to do and ends in its own time.
      # Where no more can be forked just now, it stays for another chunk.
      def replace
        # Whoever has begun to take a worker must know that he has it before he can be stopped.
        Thread.handle_interrupt(Cancel => :never) do
          old = @worker
          hire
          @replaced += 1
          @leaving.select!(&:alive?)
          @leaving << old.tap(&:dismiss)
        end
      rescue SystemCallError
        nil
      end

      def dump(chunk)
        return Marshal.dump([chunk.first, chunk.size]) if chunk.indexed?

        @codec.dump([chunk.first, payload(chunk)])
      rescue TypeError, SystemStackError => error
        raise undumpable(chunk, error)
      end

      def undumpable(chunk, error)
        position =
          payload(chunk).index { |item| !FailureDump.dumpable?(item, ParcelDump.new(nil)) } || 0
        index = chunk.first + position
        item = subject(chunk, index)
        ItemContext.mark(NotDumpable.new("item #{index} (#{item.class}) cannot be dumped by " \
        "Marshal (#{error.message}): hand " \
          "the items in as an Array, which a forked worker has without being sent it, or use on: " \
          ":threads",
          item: item, index: index), item, index)
      end

      # It names the item that was begun, or else the first that was to be.
      def died
        how = @worker.exit(0) || @worker.kill
        index = begun || @posted.first.first
        chunk = @posted.find { |posted| posted.cover?(index) }
        WorkerDied.new(pid: @worker.pid, signal: how.signal, status: how.status,
          item: subject(chunk, index), index: index)
      end
    end
  end
end
