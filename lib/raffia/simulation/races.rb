# frozen_string_literal: true

require_relative "bytecode"
require_relative "bytecode/identities"
require_relative "races/access_history"
require_relative "races/activations"
require_relative "races/observer"
require_relative "races/order"
require_relative "races/race"
require_relative "races/synchronization"

module Raffia
  module Simulation
    # Finds data races in a run: variables that two threads use, at least one of them to write, with
    # nothing that orders the two and no lock that both hold.
    #
    # Variables are instance variables, class variables, globals, constants and locals that blocks
    # share. What C code does to an Array or Hash is not seen. A race is found when it is possible
    # in another order of the same steps; it need not have done harm in this run.
    # @api private
    class Races
      # @param bytecode [Bytecode] serves all runs of an exploration
      # @param scope [#call] whether a path belongs to the code that is examined
      # @param point [#call] whether CRuby may switch threads at an event
      # @yieldreturn [Object, nil] the thread that runs
      def initialize(bytecode: Bytecode.new, scope: ->(_) { true }, point: ->(_) { false },
        &running)
        @found = {}
        @order = Order.new
        @synchronization = Synchronization.new(@order)
        @identities = Bytecode::Identities.new
        @activations = Activations.new(@identities)
        @histories = {}.compare_by_identity
        @points = 0
        @observer = Observer.new(self, bytecode:, scope:, point:, running:)
      end

      # @return [Synchronization]
      attr_reader :synchronization
      # @return [Bytecode::Identities]
      attr_reader :identities
      # @return [Activations]
      attr_reader :activations

      # @return [Array<Race>] in the order of the run, each pair of places once
      def found = @found.values

      # Watches what the calling real thread executes, for as long as the block runs.
      def watch(&) = @observer.watch(&)

      # A thread is made in a fiber with these frames: all that its parent did comes before all that
      # it does.
      def started(parent, child, frames = nil)
        @activations.started(child, frames)
        @order.acquire(child, @order.release(parent))
      end

      # A thread has seen the end of another one, or was woken by it.
      def ordered(first, second) = @order.acquire(second, @order.release(first))

      # @return [DataRace, nil] an error for the first race that CRuby can have
      def error
        race = found.find { |candidate| !candidate.harmless_on_cruby? }
        race && DataRace.new(race.to_s)
      end

      # CRuby may switch threads here.
      def pass_point = @points += 1

      # A thread reads or writes a variable.
      def access(identity, write, place, thread, fiber)
        return if identity.constant?
        history = (@histories[identity] ||= AccessHistory.new(@order))
        history.add(thread, write, place, @synchronization.held(fiber), @points)
          .each do |first, second|
            race = Race.new(identity.to_s, first, second)
            keep(race)
          end
      end

      private

      # Chooses among several races of two places one that CRuby can have.
      def keep(race)
        known = @found[race.key]
        @found[race.key] = race if known.nil? || known.harmless_on_cruby?
      end
    end
  end
end
