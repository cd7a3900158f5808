# frozen_string_literal: true

require_relative "case"

module Raffia
  # Celluloid's actors in simulated runs: each run has a system of its own.
  class CompatCelluloidSimulationTest < CelluloidCase
    BEGINNING = CelluloidCase::BEGINNING + <<~RUBY
      require "raffia/simulation"
      class Greeter
        include Celluloid
        def greet(name) = "hi \#{name}"
      end
      def simulate
        Raffia::Simulation.run(ignore: [:leaks]) do
          Celluloid::Actor[:greeter] = Greeter.new
          yield
        end
      end
    RUBY

    def test_runs_share_no_actors_threads_or_ids
      assert_prints "[\"hi Ann\", 3, true]\n[:notifications_fanout, :public_services]\n", <<~RUBY
        runs = Array.new(2) do
          simulate do
            [Celluloid::Actor[:greeter].greet("Ann"), Celluloid::Future.new { 3 }.value,
              Celluloid::Internals::UUID.generate]
          end
        end
        p [*runs.first.first(2), runs.uniq.size == 1]
        p Celluloid::Actor.registered
      RUBY
    end

    def test_a_run_has_the_settings_of_the_process
      assert_prints "[12, 1]\n[12, 0]\n", <<~RUBY
        Celluloid.shutdown_timeout = 12
        handlers = -> { Celluloid::Internals::State.current.exception_handlers }
        p simulate { Celluloid.exception_handler { }; [Celluloid.shutdown_timeout, handlers.call.size] }
        p [Celluloid.shutdown_timeout, handlers.call.size]
      RUBY
    end

    def test_actors_of_the_process_are_not_those_of_a_run
      assert_prints "[\"hi Bea\", \"hi Ann\"]\n", <<~RUBY
        real = Greeter.new
        p [simulate { Celluloid::Actor[:greeter].greet("Bea") }, real.greet("Ann")]
      RUBY
    end
  end
end
