# frozen_string_literal: true

require "test_helper"

module Raffia
  # Effects of `require "raffia/simulation"`, in a process of its own.
  class SimulationLoadTest < TestCase
    def test_other_rubies_are_refused
      assert_match(/\Araffia\/simulation needs .* of CRuby.* \(jruby\).*: run simulations on CRuby/,
        output_of(<<~RUBY))
          require "raffia"
          Object.send(:remove_const, :RUBY_ENGINE)
          RUBY_ENGINE = "jruby"
          begin
            require "raffia/simulation"
          rescue LoadError => error
            puts error.message
          end
        RUBY
    end

    def test_nothing_is_replaced_before_the_first_run
      assert_equal "[false, true]\n", output_of(<<~RUBY)
        require "raffia/simulation"
        replaced = -> { Time.singleton_class.method_defined?(:__raffia_Time_now) }
        before = replaced.call
        Raffia::Simulation.run { nil }
        p [before, replaced.call]
      RUBY
    end

    def test_real_schedulers_run_after_a_world
      assert_equal "[1, 1]\n", output_of(<<~RUBY)
        require "raffia/simulation"
        p Array.new(2) {
          Raffia::Simulation.run { 1 } && Raffia.run { |scope| scope.spawn { 1 }.value }
        }
      RUBY
    end

    def test_methods_that_others_have_prepended_stay
      assert_equal "[3, 2000, 2]\n", output_of(<<~RUBY)
        counter = Module.new do
          class << self
            attr_accessor :calls
          end
          define_method(:new) { |*arguments, &block| counter.calls += 1; super(*arguments, &block) }
          define_method(:now) { |**options| counter.calls += 1; super(**options) }
        end
        counter.calls = 0
        Thread.singleton_class.prepend(counter)
        Time.singleton_class.prepend(counter)
        require "raffia/simulation"
        year = Raffia::Simulation.run { counter.calls = 0; Thread.new { Time.now.year }.value }
        calls = counter.calls
        p [Thread.new { 3 }.value, year, calls]
      RUBY
    end

    def test_other_ractors_call_the_methods_that_a_run_has_replaced
      assert_equal "[:float, :float, 7]\n", output_of(<<~RUBY)
        $VERBOSE = nil
        require "raffia/simulation"
        Raffia::Simulation.run { nil }
        ractor = Ractor.new do
          [Process.clock_gettime(Process::CLOCK_MONOTONIC).is_a?(Float) && :float,
           Time.now.to_f.is_a?(Float) && :float, Thread.new { 7 }.value]
        end
        p(ractor.respond_to?(:value) ? ractor.value : ractor.take)
      RUBY
    end

    def test_without_it_raffia_has_no_simulation
      assert_equal "nil\n", output_of('require "raffia"; p defined?(Raffia::Simulation)')
    end
  end
end
