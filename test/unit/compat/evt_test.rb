# frozen_string_literal: true

require "test_helper"

module Raffia
  # The interface of the gem evt, in subprocesses, because it defines a constant at the top level.
  class CompatEvtTest < TestCase
    def test_the_back_ends
      assert_equal "true\ntrue\n[false, \"iocp\"]\n[true, \"ruby\"]\n", output_of(<<~RUBY)
        require "raffia/compat/evt"
        p Evt::Scheduler.availables.all?(&:available?), Evt::Scheduler.new.then { |it|
          it.is_a?(Evt::Scheduler.availables.first) && it.is_a?(Evt::Bundled)
        }
        p [Evt::Iocp.available?, Evt::Iocp.backend], [Evt::Select.available?, Evt::Select.backend]
      RUBY
    end

    def test_an_unavailable_back_end_raises
      assert_match(/\Athere is no back end "iocp" here: use one of/, output_of(<<~RUBY))
        require "raffia/compat/evt"
        begin
          Evt::Iocp.new
        rescue Raffia::ConfigError => error
          puts error.message
        end
      RUBY
    end

    def test_each_runs_fibers_and_lists_the_waiting_ones
      assert_equal "true\n", output_of(<<~RUBY)
        require "raffia/compat/evt"
        threads = Evt::Scheduler.availables.map do |backend|
          Thread.new do
            input, output = IO.pipe
            full, rest = UNIXSocket.pair
            nil until rest.write_nonblock("x" * 4096, exception: false) == :wait_writable
            scheduler = backend.new
            Fiber.set_scheduler(scheduler)
            got = nil
            reader = Fiber.schedule { got = input.gets }
            writer = Fiber.schedule { rest.write("y" * 4096) }
            sleeper = Fiber.schedule { sleep 3; output.puts "woken" }
            waits = [scheduler.readable, scheduler.writable, scheduler.waiting.keys,
              scheduler.waiting.values.all? { |at| at > scheduler.current_time },
              scheduler.next_timeout.between?(0, 3000), scheduler.collect(true)]
            full.read_nonblock(1 << 20, exception: false)
            scheduler.run
            right = [{input => reader}, {rest => writer}, [sleeper], true, true, nil]
            waits == right && got == "woken\\n" && scheduler.next_timeout == 5000 ||
              [backend, waits, right, got]
          end
        end
        seen = threads.map(&:value)
        p seen.all?(true) || seen
      RUBY
    end
  end
end
