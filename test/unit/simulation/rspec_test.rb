# frozen_string_literal: true

require "test_helper"
require "open3"
require "tmpdir"

module Raffia
  # Simulations in RSpec: the real one, in a process of its own.
  class SimulationRSpecTest < TestCase
    COUNTER = <<~RUBY
      require "raffia/simulation/rspec"

      Counter = Struct.new(:value) do
        def increment
          before = value
          Thread.pass
          self.value = before + 1
        end
      end

      def race(counter) = 2.times.map { Thread.new { counter.increment } }.each(&:join)
    RUBY

    def setup
      return unless Gem::Specification.find_all_by_name("rspec-core").empty?

      skip "the gem rspec-core is not installed (bin/setup)"
    end

    def test_metadata
      out, ok = rspec(<<~RUBY)
        RSpec.describe Counter do
          built = []
          let(:counter) { Counter.new(0).tap { |one| built << one } }
          before { @before = Process.clock_gettime(Process::CLOCK_MONOTONIC) }
          after { sleep(1) }

          it "sleeps", simulate: {runs: 5, start: Time.utc(2038)} do |example|
            sleep(3600)
            expect(Time.now).to eq(Time.utc(2038, 1, 1, 1))
            expect(simulation.now).to eq(3600)
            expect(RSpec.current_example).to be(example)
            allow(counter).to receive(:value).and_return(3)
            expect(counter.value).to eq(3)
          end

          it "has built an object in each run" do
            expect(built.uniq(&:object_id).size).to be >= 5
            expect { simulation }.to raise_error(Raffia::Simulation::Error, /not simulated/)
          end

          it "loses an update", :simulate do
            race(counter)
            expect(counter.value).to eq(2)
          end

          it "deadlocks", :simulate do
            Queue.new.pop
          end

          it "skips", :simulate do
            skip "not today"
          end

          it "is pending", :simulate do
            pending "known"
            expect(1).to eq(2)
          end
        end
      RUBY
      refute ok
      assert_includes out, "6 examples, 2 failures, 2 pending", out
      assert_match(/expected: 2\n\s+got: 1.*run \d+ failed with seed \d+/m, out)
      assert_match(/^\s+RAFFIA_SEED=\d+ .* \S*_spec\.rb:\d+$/, out)
      assert_match(/^\s+RAFFIA_SCHEDULE=rs1:\S+ .* \S*_spec\.rb:\d+$/, out)
      assert_match(/Simulation::Failed:?\s+run 1 failed .*Deadlock/m, out)
      assert_includes out, "# not today"
    end

    def test_simulate_in_an_example
      out, ok = rspec(<<~RUBY)
        RSpec.describe Counter do
          let(:counter) { Counter.new(0) }

          it "passes" do
            outer = counter
            report = simulate(runs: 5) do |sim|
              expect(counter).not_to be(outer)
              expect(counter.value).to eq(0)
              counter.value = 9
              sim.sleep(60)
            end
            expect(report.runs).to eq(5)
            expect(counter).to be(outer)
          end

          it "fails" do
            simulate { race(counter); expect(counter.value).to eq(2) }
          end
        end
      RUBY
      refute ok
      assert_includes out, "2 examples, 1 failure", out
      assert_match(/got: 1.*run \d+ failed with seed \d+/m, out)
    end

    def test_failures_are_aggregated_in_each_run
      out, ok = rspec(<<~RUBY)
        RSpec.describe Counter do
          it "has two", :simulate, :aggregate_failures do
            expect(1).to eq(2)
            expect(1).to eq(3)
          end

          it "has two in a part" do
            simulate { aggregate_failures { expect(1).to eq(2); expect(1).to eq(3) } }
          end
        end
      RUBY
      refute ok
      assert_includes out, "2 examples, 2 failures", out
      assert_equal 2, out.scan(/^\s+Got 2 failures/).size
      assert_equal 2, out.scan(/^\s+run 1 failed with seed \d+$/).size
      assert_equal 2, out.scan(/^\s+RAFFIA_SEED=\d+ .*rspec \S+_spec\.rb:\d+$/).size
      refute_includes out, "lib/raffia/simulation/"
    end

    def test_pending_examples
      out, ok = rspec(<<~RUBY)
        RSpec.describe Counter do
          it "fails in one of the runs", :simulate, pending: "a race" do
            counter = Counter.new(0)
            race(counter)
            expect(counter.value).to eq(2)
          end

          it "is fixed", :simulate do
            pending "no more"
            sleep(1)
          end

          it "is skipped after its first run", :simulate do
            puts "in the example"
            skip "not today"
          end
        end
      RUBY
      refute ok
      assert_includes out, "3 examples, 1 failure, 2 pending", out
      assert_match(/is fixed FIXED\n\s+Expected pending 'no more' to fail/, out)
      assert_equal 1, out.scan("got: 1").size, out
      assert_operator out.scan("in the example").size, :<=, 4
    end

    private

    def rspec(spec)
      Dir.mktmpdir do |dir|
        path = File.join(dir, "counter_spec.rb")
        File.write(path, COUNTER + spec)
        out, status = Open3.capture2e({"NO_COLOR" => "1"}, RbConfig.ruby, "-W0", "-I",
          File.expand_path("../../../lib", __dir__), "-e",
          "require 'rspec/core'; exit RSpec::Core::Runner.run([ARGV.fetch(0)])", path)
        [out, status.success?]
      end
    end
  end
end
