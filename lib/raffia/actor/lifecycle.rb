# frozen_string_literal: true

module Raffia
  class Actor
    # State machine of an actor: its state, who executes it, and what ends its object.
    #
    # At most one fiber or thread executes an actor at a time: the one that got true from {acquire},
    # until it calls {release}. The object is made by the first executor, so an actor begins
    # acquired.
    #
    # The caller holds the actor's lock around each method that changes something.
    #
    # @api private
    class Lifecycle
      TRANSITIONS = {
        starting: %i[running stopping dead].freeze,
        running: %i[restarting stopping dead].freeze,
        restarting: %i[running stopping dead].freeze,
        stopping: %i[dead].freeze,
        dead: [].freeze
      }.freeze

      attr_reader :state, :restarts
      attr_reader :reason
      attr_reader :exit_signal

      def initialize
        @state = :starting
        @executing = true
        @restarts = 0
        @reason = @exit_signal = nil
      end

      def alive? = @state != :dead && @state != :stopping

      def dead? = @state == :dead

      def executing? = @executing

      # Whether it waits for another object that nobody makes yet.
      def suspended? = @state == :restarting && !@executing

      def at_rest? = @state == :dead || suspended?

      def transition(state)
        return if state == @state

        unless TRANSITIONS[@state].include?(state)
          raise ArgumentError, "an actor cannot go from #{@state} to #{state}"
        end

        @state = state
      end

      def acquire = !@executing && @executing = true

      # Like {acquire}; false when it has no object that could work.
      def acquire_running = @state == :running && !@executing && @executing = true

      def release
        @executing = false
        nil
      end

      # The object has been made. Returns whether the caller goes on executing: messages or an exit
      # signal wait.
      def started(pending)
        @reason = nil
        @state = :running if alive?
        @executing = pending || !@exit_signal.nil?
      end

      # The caller is to make another object. Returns whether one is due.
      def restart
        return false unless suspended?

        @restarts += 1
        @executing = true
      end

      # The object of a restart could not be made. Returns :failed or :interrupted when the actor
      # still waits for one, nil when there will be none.
      def restart_failed
        return if @restarts.zero? || @state != :restarting || @exit_signal&.final?

        outcome = @exit_signal ? :interrupted : :failed
        @exit_signal = nil
        release
        outcome
      end

      # Sets what ends the object, unless something has done so before. Returns what came before.
      def end_by(signal) = @exit_signal.tap { @exit_signal ||= signal }

      # An exit signal has come from outside. Returns what holds from now on, nil when it changes
      # nothing.
      def receive(signal)
        return if @state == :dead || (signal = signal.over(@exit_signal)).nil?
        return if suspended? && !signal.final?

        @exit_signal = (@state == :stopping) ? signal.last : signal
        transition(:stopping) if signal.final? && @state == :running
        signal
      end

      def lose_object
        transition(@exit_signal.final? ? :stopping : :restarting) if alive?
        @reason = @exit_signal.reason
      end

      # The object has ended. Returns whether the actor waits for another.
      def suspend
        return false if @state != :restarting || @exit_signal.final?

        @exit_signal = nil
        release
        true
      end

      def die(reason)
        return false if @state == :dead

        @reason = reason
        @state = :dead
        true
      end
    end
  end
end
