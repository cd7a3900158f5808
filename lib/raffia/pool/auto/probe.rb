# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "../../native"
require_relative "measurement"
require_relative "sample"

module Raffia
  class Pool
    class Auto
      # Measures chunks that are worked on here: by the clock, in CPU of this thread, and how much of both passes without Ruby's
      # lock. Without the extension nobody tells the last; then C code counts as Ruby code.
      #
      # It is due for a conclusion as soon as there is something to go by. When that leaves the work here it rests, which costs
      # nothing, and looks again when the work has taken twice as long.
      #
      # @api private
      class Probe
        # Seconds of work that tell something. An item that takes longer is measured alone.
        ENOUGH = 0.002
        WATCHES = Native.respond_to?(:watch_lock)

        # @return [Integer] items that were worked on, measured or not
        attr_reader :done

        # @param enough [Float] seconds
        # @param sends_items [Boolean] whether a worker elsewhere must be sent the items
        def initialize(enough:, sends_items:)
          @enough = enough
          @sends_items = sends_items
          @done = 0
          @started = Clock.now
          @rests_until = nil
          start_over
        end

        # Watch the lock during the block.
        def watch
          Native.watch_lock(true) if WATCHES
          yield
        ensure
          Native.watch_lock(false) if WATCHES
        end

        # @yieldreturn [Array(Chunk, Reply)]
        # @return [Array(Chunk, Reply)]
        def measure
          before = clocks unless resting?
          chunk, reply = yield
          note(chunk, reply, before.zip(clocks).map { |from, to| to - from }) if before
          @done += chunk.size
          [chunk, reply]
        end

        # @return [Boolean] whether there is anything to conclude from
        def measured? = @items.positive?

        # @return [Boolean] whether it is time for a conclusion
        def due? = measured? && Clock.now - @since >= @enough

        # Nothing is to change for now.
        # @return [void]
        def rest
          start_over
          @rests_until = Clock.now * 2 - @started
        end

        # @param left [Integer, nil]
        # @yieldparam refusal [String, nil] why something cannot be dumped
        # @yieldreturn [Hash{Symbol => String}] obstacles
        # @return [Measurement]
        def conclude(left)
          sample = sample_of_last
          ruby, free, wait, held = shares.map { |seconds| seconds / @items }
          bytes = sample.bytes && (sample.bytes.to_f / @last_items).ceil
          Measurement.new(items: @items, ruby:, free:, wait:, held:, bytes:, dump: sample.seconds / @last_items, left:, done: @done,
            obstacles: yield(sample.refusal))
        end

        private

        def resting?
          return false unless @rests_until
          return true if Clock.now < @rests_until

          start_over
          @rests_until = nil
        end

        def start_over
          @since = Clock.now
          @items = 0
          @wall = @cpu = @off = @off_cpu = 0.0
        end

        def clocks = [Clock.now, thread_cpu, *(WATCHES ? Native.off_lock : [0.0, 0.0])]

        def thread_cpu = ::Process.clock_gettime(::Process::CLOCK_THREAD_CPUTIME_ID)

        def note(chunk, reply, spent)
          # The first of all items pays for what is loaded and connected on first use: others tell more, if they come in time.
          start_over if @items == 1 && @done == 1
          @items += chunk.size
          @wall, @cpu, @off, @off_cpu = [@wall, @cpu, @off, @off_cpu].zip(spent).map(&:sum)
          @last = [(chunk.items if @sends_items), reply.value]
          @last_items = chunk.size
        end

        # @return [Array<Float>] seconds of Ruby code, of free C code, of waiting, and of neither
        def shares
          free = @off_cpu.clamp(0.0, @cpu)
          wait = [WATCHES ? @off - free : @wall - @cpu, 0.0].max
          [@cpu - free, free, wait, [@wall - @cpu - wait, 0.0].max]
        end

        def sample_of_last
          result = Sample.of(@last.last, "a result")
          return result unless @sends_items

          items = Sample.of(@last.first, "an item")
          return items if items.refusal

          result.refusal ? result : Sample.new(items.bytes + result.bytes, items.seconds + result.seconds, nil)
        end
      end
    end
  end
end
