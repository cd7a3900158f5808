# frozen_string_literal: true

require_relative "scheduler_case"

# Tests of other libraries replace methods of core while they run: the loop continues without these.
module SchedulerReplacedSuite
  def test_io_select_is_replaced
    on_scheduler do
      reader, writer = IO.pipe
      without_io_select do
        Fiber.schedule { sleep(0.002) && writer.write("x") }
        assert_equal "x", reader.read(1)
      end
    ensure
      [reader, writer].each(&:close)
    end
  end

  private

  def without_io_select
    IO.singleton_class.class_eval do
      alias_method :select_of_core, :select
      define_method(:select) { |*| [] }
    end
    yield
  ensure
    IO.singleton_class.class_eval do
      alias_method :select, :select_of_core
      remove_method :select_of_core
    end
  end

  SchedulerCase.run(self)
end
