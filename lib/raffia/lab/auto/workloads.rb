# frozen_string_literal: true

require "zlib"
require_relative "../../base/ractor_local"

module Raffia
  module Lab
    class Auto < Experiment
      # Kinds of work for {Auto}: items, and a block for them.
      module Workloads
        # Descriptions by name.
        ALL = {
          arithmetic: "200,000 additions",
          ruby_100us: "5,000 items of Ruby code, 100 us each",
          ruby_10ms: "60 items of Ruby code, 10 ms each",
          zlib: "16 buffers of 4 MB through deflate",
          fiber_waits: "300 waits of 5 ms that fibers can do",
          thread_waits: "100 waits of 5 ms that stop the thread",
          strings: "64 strings of 1 MB, in and out",
          captures: "60 items of Ruby code, 10 ms each; the block holds what no Ractor may see",
          few_long: "6 items of Ruby code, 200 ms each",
          skewed: "60 items of Ruby code, most of 2 ms, each tenth of 50 ms",
          stream: "200 items of Ruby code, 5 ms each, from an Enumerator that does not know its " \
            "size"
        }.transform_values(&:freeze).freeze
        # WARM_UP calls of the loop make YJIT compile it; then RUNS runs of TURNS are measured.
        WARM_UP = 200
        RUNS = 20
        TURNS = 50_000
        KEY = :raffia_lab_turns
        private_constant :WARM_UP, :RUNS, :TURNS, :KEY

        module_function

        def of(name, scale)
          millisecond # before anything is measured
          public_send(name, ->(count) { [(count * scale).round, 3].max })
        end

        def arithmetic(count) = [0...count.call(200_000), proc { |n| n + 1 }]

        def ruby_100us(count) = [0...count.call(5_000), proc { |n| Workloads.compute(0.1) + n }]

        def ruby_10ms(count) = [0...count.call(60), proc { |n| Workloads.compute(10) + n }]

        # The block is larger than deflate's window of 32 KiB.
        def zlib(count)
          block = Random.new(1).bytes(32_768).unpack1("H*")
          [Array.new(count.call(16)) { block * 64 },
            proc { |buffer| ::Zlib::Deflate.deflate(buffer).bytesize }]
        end

        def fiber_waits(count) = [0...count.call(300), proc { |n| sleep(0.005) && n }]

        # Sleeps like a library that knows no Fiber scheduler.
        def thread_waits(count)
          [0...count.call(100),
            proc { |n| ::Fiber.new(blocking: true) { sleep(0.005) }.resume && n }]
        end

        def strings(count)
          [Array.new(count.call(64)) { |n| (97 + n % 26).chr * 1_000_000 },
            proc { |text| text.upcase }]
        end

        def captures(count)
          seen = Hash.new { |hash, key| hash[key] = key * 2 }
          [0...count.call(60), proc { |n| Workloads.compute(10) + seen[n] }]
        end

        # A small scale makes the items shorter, too.
        def few_long(count)
          length = [count.call(200), 200].min
          [0...[count.call(6), 6].min, proc { |n| Workloads.compute(length) + n }]
        end

        def skewed(count)
          [0...count.call(60), proc { |n| Workloads.compute((n % 10 == 5) ? 50 : 2) + n }]
        end

        def stream(count)
          size = count.call(200)
          [Enumerator.new { |out| size.times { |n| out << n } },
            proc { |n| Workloads.compute(5) + n }]
        end

        # Computes for so many milliseconds of this machine.
        def compute(milliseconds) = turn((milliseconds * millisecond).round)

        # Turns of the loop in a millisecond of CPU. Measured once, and known to processes that are
        # forked later.
        def millisecond
          RactorLocal.fetch(KEY) do
            WARM_UP.times { turn(TURNS / 100) }
            TURNS / Array.new(RUNS) { cpu_of { turn(TURNS) } }.min / 1000
          end
        end

        def cpu_of
          before = ::Process.clock_gettime(::Process::CLOCK_PROCESS_CPUTIME_ID)
          yield
          ::Process.clock_gettime(::Process::CLOCK_PROCESS_CPUTIME_ID) - before
        end

        def turn(turns)
          number = 1
          while turns > 0
            number = (number * 1_103_515_245 + 12_345) & 0x7fffffff
            turns -= 1
          end
          number
        end
      end
    end
  end
end
