# frozen_string_literal: true

require "test_helper"
require "open3"
require "tmpdir"

module Raffia
  # A test file with simulations, run as people run it, and again by the commands that it prints.
  class SimulationMinitestCommandsTest < TestCase
    FILE = <<~RUBY
      require "minitest/autorun"
      require "raffia/simulation/minitest"

      class StockTest < Minitest::Test
        include Raffia::Simulation::Minitest

        Stock = Struct.new(:count) do
          def buy = available? && (self.count -= 1) && true
          def available? = count.positive?
        end

        simulate "one item is sold once", runs: 500 do
          stock = Stock.new(1)
          sold = 2.times.map { Thread.new { stock.buy } }.map(&:value)
          assert_equal 1, sold.count(true)
        end

        simulate("another one", runs: 20) { 2.times.map { Thread.new { nil } }.each(&:join) }
      end
    RUBY
    FAILED = "2 runs, 1 assertions, 1 failures, 0 errors, 0 skips"
    FAILED_ALONE = "1 runs, 1 assertions, 1 failures, 0 errors, 0 skips"

    def test_the_printed_commands_fail_in_the_same_way
      Dir.mktmpdir do |dir|
        File.write(File.join(dir, "stock_test.rb"), FILE)
        out = shell("ruby stock_test.rb", dir)
        assert_includes out, FAILED, out
        commands = out.scan(/^ *(RAFFIA_(?:SEED|SCHEDULE)=.*)$/).flatten
        assert_equal 2, commands.size, out
        commands.each do |command|
          again = shell(command, dir)
          assert_includes again, FAILED_ALONE, again
          assert_match(/Expected: 1\n\s+Actual: 2\n/, again)
        end
      end
    end

    private

    def shell(command, dir)
      env = {"RUBYLIB" => File.expand_path("../../../lib", __dir__), "RUBYOPT" => "-W0",
             "PATH" => "#{RbConfig::CONFIG["bindir"]}:#{ENV["PATH"]}"}
      Open3.capture2e(env, command, chdir: dir).first
    end
  end
end
