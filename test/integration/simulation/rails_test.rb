# frozen_string_literal: true

require "test_helper"
require "open3"
require "tmpdir"

module Raffia
  # Simulations in the tests of a Rails application: real ones, in a process of their own.
  class SimulationRailsTest < TestCase
    APPLICATION = <<~RUBY
      ENV["RAILS_ENV"] = "test"
      require "rails"
      require "active_job/railtie"

      class Shop < Rails::Application
        config.load_defaults 8.0
        config.root = __dir__
        config.eager_load = false
        config.logger = Logger.new(nil)
        config.time_zone = "Europe/Berlin"
        config.active_job.queue_adapter = :test
      end
      Shop.initialize!

      require "rails/test_help"
      require "raffia/simulation/minitest"
      require "raffia/jobs/testing"
      require "raffia/actor"

      class GreetJob < ActiveJob::Base
        DONE = []
        def perform(name) = DONE << [name, Time.now.utc]
      end

      class MailJob
        include Raffia::Job
        DONE = []
        def perform(address) = DONE << address
      end

      class Counter < Raffia::Actor
        def initialize = @count = 0
        def add = @count += 1
      end

      class ShopTest < ActiveSupport::TestCase
        include ActiveJob::TestHelper
        include Raffia::Simulation::Minitest
    RUBY

    # Each one is the body of a test of the application.
    BODIES = {
      "travel_to moves the wall clock, and time goes on" => <<~RUBY,
        travel_to Time.utc(2038, 1, 19, 3, 14, 7)
        assert_equal Time.utc(2038, 1, 19, 3, 14, 7), Time.now
        sleep(60)
        assert_equal Time.utc(2038, 1, 19, 3, 15, 7), Time.current
        assert_equal Date.new(2038, 1, 19), Date.current
        assert_equal 60, sim.now
        travel_back
        assert_equal Time.utc(2000, 1, 1, 0, 1), Time.now
      RUBY
      "travel_to with a block" => <<~RUBY,
        before = Time.now
        value = travel_to(Date.new(2030, 5, 1)) do
          assert_equal Time.utc(2030, 4, 30, 22), Time.now
          sleep(5)
          :value
        end
        assert_equal :value, value
        assert_equal before + 5, Time.now
      RUBY
      "travel to a text, and with microseconds" => <<~RUBY,
        travel_to "2030-05-01 12:00"
        assert_equal Time.utc(2030, 5, 1, 10), Time.now
        travel_to Time.utc(2030, 1, 1, 0, 0, 0.25r)
        assert_equal Time.utc(2030), Time.now
        travel_to Time.utc(2030, 1, 1, 0, 0, 0.25r), with_usec: true
        assert_equal Time.utc(2030, 1, 1, 0, 0, 0.25r), Time.now
      RUBY
      "travel and freeze_time" => <<~RUBY,
        travel 1.day
        assert_equal Date.new(2000, 1, 2), Date.today
        freeze_time
        sleep(1)
        assert_equal Time.utc(2000, 1, 2, 0, 0, 1), Time.now
        travel(1.hour) { assert_equal Time.utc(2000, 1, 2, 1, 0, 1), Time.now }
        assert_equal Time.utc(2000, 1, 2, 0, 0, 1), Time.now
      RUBY
      "Active Job" => <<~RUBY,
        GreetJob::DONE.clear
        clear_enqueued_jobs
        assert_enqueued_with(job: GreetJob, args: ["ann"]) { GreetJob.perform_later("ann") }
        2.times.map { |n| Thread.new { GreetJob.set(wait: 1.hour).perform_later(n.to_s) } }.each(&:join)
        assert_enqueued_jobs 3
        sleep(3600)
        perform_enqueued_jobs
        assert_equal [%w[0 1 ann], [Time.utc(2000, 1, 1, 1)]],
          [GreetJob::DONE.map(&:first).sort, GreetJob::DONE.map(&:last).uniq]
      RUBY
      "Raffia's jobs" => <<~RUBY,
        MailJob::DONE.clear
        Raffia::Jobs::Testing.fake do
          2.times.map { |n| Thread.new { MailJob.perform_async(n) } }.each(&:join)
          MailJob.perform_in(3600, 2)
          assert_equal 2, MailJob.drain(due_by: Time.now)
          sleep(3600)
          assert_equal 1, MailJob.drain(due_by: Time.now)
        end
        assert_equal [0, 1, 2], MailJob::DONE.sort
      RUBY
      "actors" => <<~RUBY
        Raffia.run do
          counter = Counter.spawn
          3.times.map { Thread.new { counter.add } }.each(&:join)
          assert_equal 4, counter.add
          counter.stop
        end
      RUBY
    }.freeze

    OUTSIDE = <<~RUBY
      test "outside of a simulation the helpers are those of Rails" do
        simulate(runs: 2) { travel_to Time.utc(2038) }
        assert_operator Time.now.year, :<, 2038
        travel_to Time.utc(2040)
        assert_equal 2040, Time.now.year
        simulate(runs: 2) do
          sleep(60)
          assert_equal Time.utc(2040, 1, 1, 0, 1), Time.now
        end
        assert_equal 2040, Time.now.year
        travel_back
        assert_operator Time.now.year, :<, 2038
      end
    RUBY

    def test_the_tests_of_an_application
      tests = BODIES.map do |name, body|
        "simulate(#{name.inspect}, runs: 20) do |sim|\n#{body}\nend\n"
      end
      out, ok = rails_test(tests.join + OUTSIDE)
      assert ok, out
      assert_match(/#{BODIES.size + 1} runs, \d+ assertions, 0 failures, 0 errors, 0 skips/, out)
    end

    private

    def rails_test(tests)
      %w[activejob railties].each do |name|
        if Gem::Specification.find_all_by_name(name).empty?
          skip "the gem #{name} is not installed (bin/setup --server)"
        end
      end
      Dir.mktmpdir do |dir|
        path = File.join(dir, "shop_test.rb")
        File.write(path, "#{APPLICATION}\n#{tests}\nend\n")
        out, status = Open3.capture2e(RbConfig.ruby, "-W0", "-I",
          File.expand_path("../../../lib", __dir__), path, chdir: dir)
        [out, status.success?]
      end
    end
  end
end
