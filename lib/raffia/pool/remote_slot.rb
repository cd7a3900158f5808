# frozen_string_literal: true

require_relative "item_context"
require_relative "worker_slot"

module Raffia
  class Pool
    # A slot whose chunks a worker elsewhere works on.
    #
    # Where items have a time limit, the loop checks it while it waits for the reply. An item that
    # overruns ends its worker process by force, or has its Ractor abandoned. A worker process keeps
    # the limit by itself first, where Ruby can interrupt it, so that +ensure+ blocks run.
    #
    # @api private
    class RemoteSlot < WorkerSlot
      # Seconds of work up to which the next chunk is sent ahead, so that the worker does not wait
      # between chunks. Longer work had better go to an idle worker.
      AHEAD = 0.05
      # Seconds between checks whether the worker is at another item.
      CHECK_INTERVAL = 0.1

      # `limit`: seconds for an item, nil: any; `grace`: more, after which it is ended from here.
      def initialize(worker, sizer, limit = nil, grace = 0.0)
        super(worker.service.plan, worker)
        @sizer = sizer
        @time_limit = limit && limit + grace
        @limit = limit
      end

      def ready?
        return true if @posted.empty?

        @posted.size == 1 && @sizer.send_ahead?(AHEAD) && @worker.room?(@sizer.now)
      end

      def post(chunk)
        # First: a failed post takes it back, and a death finds it.
        @posted << chunk
        @worker.post(message(chunk), chunk.size) do |error|
          @posted.pop
          unsendable(chunk, error)
        end
      end

      # Raises TimeoutError about an item that takes too long.
      def collect
        watch if @time_limit
        reply = @worker.receive { |error| unloadable(error) } or raise died
        [@posted.shift, reply]
      end

      def reply?(seconds) = @worker.reply?(seconds)
      def pid = @worker.pid
      def replaced = @worker.replaced

      def begun
        return super unless @worker.notes?

        noted = @worker.noted
        noted if @posted.any? { |chunk| chunk.cover?(noted) }
      end

      private

      # Numbers, where the worker has the input itself.
      def message(chunk)
        numbers = chunk.indexed? && @worker.service.input
        [chunk.first, numbers ? chunk.size : payload(chunk)]
      end

      def unsendable(chunk, error)
        position = payload(chunk).index { |item| !@worker.sendable?(item) } || 0
        index = chunk.first + position
        item = subject(chunk, index)
        ItemContext.mark(@worker.refusal(item, index, error), item, index)
      end

      def unloadable(error)
        chunk = @posted.first
        NotDumpable.new("the result of items #{chunk.first} to #{chunk.first + chunk.size - 1} " \
          "cannot be loaded here (#{error.message}): load its class before the call, or return " \
          "plain data", item: chunk.at(chunk.first), index: chunk.first)
      end

      # Names the item that was begun, or else the first.
      def died
        @worker.death do
          index = begun || @posted.first.first
          {item: subject(chunk_of(index), index), index: index}
        end
      end

      def watch
        item = begun
        late = Clock.now + @time_limit
        until reply?((late - Clock.now).clamp(0, CHECK_INTERVAL))
          if item && begun == item
            raise overrun(item) if Clock.now >= late
          else
            item = begun
            late = Clock.now + @time_limit
          end
        end
      end

      def overrun(index)
        ItemContext.mark(TimeoutError.new(seconds: @limit), subject(chunk_of(index), index), index)
      end

      def chunk_of(index) = @posted.find { |chunk| chunk.cover?(index) }
    end
  end
end
