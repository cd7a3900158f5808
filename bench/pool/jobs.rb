# frozen_string_literal: true

module PoolBench
  # The items and the work on them. CPU work is measured in the CPU time of its thread, so an item
  # is as much work in each language, on each core, whatever else runs there.
  module Jobs
    MIB = 1024 * 1024

    module_function

    def tiny(number) = number + 1

    def spin(seconds)
      give_up = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) + seconds
      nil while Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) < give_up
      1
    end

    def spin_100us(_) = spin(0.000_1)

    def spin_100ms(_) = spin(0.1)

    # A copy that starts one byte later.
    def big(text) = text.byteslice(1, text.bytesize - 1) << text.byteslice(0, 1)

    def wait(_)
      sleep(0.02)
      1
    end

    # Blocks that any Ractor may run.
    BLOCKS = {
      tiny: ->(item) { Jobs.tiny(item) }, spin: ->(item) { Jobs.spin(item) },
      spin_100us: ->(item) { Jobs.spin_100us(item) },
      spin_100ms: ->(item) { Jobs.spin_100ms(item) }, big: ->(item) { Jobs.big(item) },
      wait: ->(item) { Jobs.wait(item) }
    }.freeze

    # @return [Array]
    def items(job, count)
      case job
      when :spin then (1..count).map { |rank| 0.1 / rank }.shuffle(random: Random.new(1))
      when :big then Array.new(count) { |number| ("%08d" % number) * (4 * MIB / 8) }
      else (0...count).to_a
      end
    end

    # @return [Boolean] whether these are the right results
    def right?(job, items, results)
      case job
      when :tiny then results == items.map { |item| item + 1 }
      when :big
        results.size == items.size && results.zip(items).all? { |result, item| result == big(item) }
      else results == [1] * items.size
      end
    end
  end
end
