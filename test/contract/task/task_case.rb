# frozen_string_literal: true

require "test_helper"
require "raffia/task"
require_relative "plain_scheduler"

# The component task promises to work on any Fiber::Scheduler. So each suite of it is a module,
# which runs on ours, on async's and on one that has the required hooks only.
module TaskCase
  SCHEDULERS = {
    plain: -> { TaskPlainScheduler.new },
    async: lambda do
      require "async"
      Async::Scheduler.new
    end,
    raffia: lambda do
      require "raffia/scheduler"
      Raffia::Scheduler.new
    end
  }.freeze

  def self.available
    ours = File.exist?(File.expand_path("../../../lib/raffia/scheduler.rb", __dir__))
    ours ? SCHEDULERS : SCHEDULERS.except(:raffia)
  end

  # Defines a test class for each scheduler, named after the suite.
  def self.run(suite)
    available.each do |name, make|
      parent = Class.new(Raffia::TestCase) do
        include TaskCase
        include suite

        define_method(:make_scheduler, &make)
        define_method(:scheduler_name) { name }
      end
      suite.const_set(:"On#{name.capitalize}Test", parent)
    end
  end

  # Runs the block in a fiber of a scheduler, in a thread of its own, until the scheduler has
  # nothing left to do; whatever it leaves behind fails the test.
  # @return [Object] the block's value; an exception is raised here
  def on_scheduler(&block)
    kind, result = assert_no_leaks { finish(Thread.new { serve(&block) }) }
    (kind == :error) ? raise(result) : result
  end

  # The same inside of a scope.
  def in_scope(&) = on_scheduler { Raffia::Scope.open(&) }

  # Lets the other fibers run until the condition holds.
  def settle(message = "the condition did not come true")
    give_up = TestSupport.now + Raffia::TestCase::PATIENCE
    until yield
      flunk(message) if TestSupport.now > give_up
      sleep(0.001)
    end
  end

  private

  def serve
    Thread.current.report_on_exception = false
    result = nil
    Fiber.set_scheduler(make_scheduler)
    Fiber.schedule do
      result = [:value, yield]
    rescue Exception => error # rubocop:disable Lint/RescueException
      result = [:error, error]
    end
    # Runs the loop to its end.
    Fiber.set_scheduler(nil)
    result
  end

  def finish(thread)
    return thread.value if thread.join(Raffia::TestCase::PATIENCE * 2)

    where = thread.backtrace
    thread.kill
    flunk("hangs in\n#{where&.join("\n")}")
  end
end
