# frozen_string_literal: true

require_relative "measurement"
require_relative "sample"
require_relative "thread_time"

module Raffia
  class Pool
    class Auto
      # Measures chunks in the caller: the time by the clock, the CPU time of this thread, and the
      # share of both without Ruby's lock.
      #
      # It is due for a conclusion when it has measured enough. When the work stays here it rests,
      # and measures again when the work has taken four times as long.
      class Probe
        # Seconds of work that tell something. An item that takes longer is measured alone.
        ENOUGH = 0.002
        # Items and results of a chunk that are dumped to see how large they are.
        SAMPLE = 50

        attr_reader :done

        def initialize(enough:, sends_items:)
          @enough = enough
          @sends_items = sends_items
          @done = 0
          @started = Clock.now
          @rest = 0.0
          forget
        end

        def measure
          return pass(yield) if @rest.positive?

          off, off_cpu = ThreadTime.off_lock
          cpu = ThreadTime.cpu
          started = Clock.now
          chunk, reply = answer = yield
          wall = Clock.now - started
          count(chunk, reply)
          add(wall, ThreadTime.cpu - cpu, off, off_cpu)
          answer
        end

        def measured? = @items.positive?

        # Time without a processor tells nothing of the work.
        def due?
          return false if !measured? || first_use? || Clock.now - @since < @enough

          # In this order, here and in forget: a delay between the two must not make the delays seem
          # longer than all that has passed.
          late = delay
          Clock.now - @since - late >= @enough
        end

        def more_than?(seconds, left) = left.nil? || left * @wall / @items > seconds

        def rest
          @rest = (Clock.now - @started) * 3
          @items = 0
        end

        def conclude(left)
          found = sample
          ruby, free, wait, held, delay = shares.map { |seconds| seconds / @items }
          Measurement.new(items: @items, ruby:, free:, wait:, held:, delay:, bytes: found.bytes,
            dump: found.seconds, left:, done: @done,
            obstacles: yield(found.refusal))
        end

        private

        # The reply has the seconds of the work: this needs no clock.
        def pass(answer)
          chunk, reply = answer
          @done += chunk.size
          @rest -= reply.seconds || 0.0
          forget unless @rest.positive?
          answer
        end

        # The first of all items pays for what is loaded and connected on first use.
        def first_use? = @done == 1 && @wall < @enough

        def forget
          @since = Clock.now
          @delay = ThreadTime.run_delay
          @items = 0
          @wall = @cpu = @off = @off_cpu = 0.0
        end

        def count(chunk, reply)
          forget if @items == 1 && @done == 1
          @items += chunk.size
          @done += chunk.size
          @last = [chunk, reply.value]
        end

        def add(wall, cpu, off_before, off_cpu_before)
          off, off_cpu = ThreadTime.off_lock
          @wall += wall
          @cpu += cpu
          @off += off - off_before
          @off_cpu += off_cpu - off_cpu_before
        end

        # Seconds of Ruby code, of free C code, of waiting, of none of these, and without a
        # processor.
        def shares
          free = @off_cpu.clamp(0.0, @cpu)
          wait = [ThreadTime::WATCHES ? @off - free : @wall - @cpu, 0.0].max
          held = [@wall - @cpu - wait, 0.0].max
          # A processor may have been missing in either.
          missing = delay.clamp(0.0, wait + held)
          left = [held - missing, 0.0].max
          [@cpu - free, free, wait + held - missing - left, left, missing]
        end

        def delay = ThreadTime.run_delay - @delay

        # One item's: its result, and itself where it has to be sent.
        def sample
          chunk, value = @last
          result = per_item(value, chunk.size, "a result")
          return result if result.refusal || !@sends_items

          item = per_item(chunk.items, chunk.size, "an item")
          if item.refusal
            item
          else
            Sample.new(item.bytes + result.bytes, item.seconds + result.seconds, nil)
          end
        end

        # The values of a map are as many as its items; any other is that of the whole chunk.
        def per_item(value, count, what)
          if value.is_a?(Array) && value.size == count
            value = value.first(count = [count, SAMPLE].min)
          end
          Sample.of(value, what, count)
        end
      end
    end
  end
end
