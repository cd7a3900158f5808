# frozen_string_literal: true

require "test_helper"
require "raffia/simulation"

# Variables of classes of which each host has its own.
class SimulationHostVariablesTest < Raffia::TestCase
  # A program that keeps state in its class.
  class Program
    class << self
      attr_accessor :log, :name # rubocop:disable ThreadSafety/ClassAndModuleAttributes
    end
  end

  def teardown
    Program.log = Program.name = nil
    super
  end

  def test_each_host_has_its_own
    Program.log = [:main]
    logs = run_hosts { |sim| sim.per_host(Program, :@log) { [] } }
    assert_equal({"a" => ["a", "a"], "b" => ["b", "b"]}, logs)
    assert_equal [:main], Program.log
  end

  def test_without_it_hosts_share_them
    Program.log = []
    logs = run_hosts {}
    assert_equal %w[a a b b], logs["a"].sort
  end

  def test_a_host_begins_without_a_value
    Program.name = :main
    names = {}
    Raffia::Simulation.run do |sim|
      sim.per_host(Program, :@name)
      sim.host("a") do
        names[:a] = [Program.instance_variable_defined?(:@name), Program.name ||= :a]
        Thread.new { names[:thread] = Program.name }.join
      end
      sim.sleep(1)
      names[:main] = Program.name
    end
    assert_equal({a: [false, :a], thread: :a, main: :main}, names)
  end

  def test_a_host_begins_anew_after_a_crash
    seen = []
    Raffia::Simulation.run do |sim|
      sim.per_host(Program, :@log) { [] }
      sim.host("a") do
        seen << Program.log.dup
        Program.log << 1
        sleep
      end
      sim.sleep(1)
      2.times do
        sim.crash("a")
        sim.restart("a")
        sim.sleep(1)
      end
    end
    assert_equal [[], [], []], seen
  end

  def test_a_crash_from_within_and_the_end_of_the_run_give_the_value_back
    Program.log = :main
    Raffia::Simulation.run(ignore: [:leaks]) do |sim|
      sim.per_host(Program, :@log) { :host }
      sim.host("a", restart: 1) { sim.crash("a") if sim.now < 1 }
      sim.host("b") do
        sleep
      ensure
        Program.log = :ensured
      end
      sim.sleep(3)
      assert_equal :main, Program.log
    end
    assert_equal :main, Program.log
  end

  def test_other_names_are_refused
    [:log, "@log", :@@log].each do |name|
      error = refusal { |sim| sim.per_host(Program, name) }
      assert_match(/is no instance variable: give a name such as :@pool/, error.message)
    end
  end

  def test_hosts_cannot_declare_them
    error = refusal do |sim|
      sim.host("a") { sim.per_host(Program, :@log) }.threads.each(&:join)
    end
    assert_match(/call it before sim.host/, error.message)
  end

  private

  def refusal(&)
    error = assert_raises(Raffia::Simulation::Failed) { Raffia::Simulation.run(&) }
    assert_instance_of Raffia::ConfigError, error.cause
    error.cause
  end

  def run_hosts
    logs = {}
    Raffia::Simulation.run do |sim|
      yield sim
      %w[a b].each do |name|
        sim.host(name) do
          2.times do
            Program.log << name
            sleep 1
          end
          logs[name] = Program.log
        end
      end
      sim.sleep(5)
    end
    logs
  end
end
