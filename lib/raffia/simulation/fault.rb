# frozen_string_literal: true

require_relative "fault/injector"

module Raffia
  module Simulation
    # Faults of a run. Each kind happens by chance, with a probability that the option `faults:`
    # gives, or by plan: see {Handle#inject}.
    #
    # | kind | what happens |
    # |---|---|
    # | `errors` | a system call fails: EMFILE, ENOSPC, EIO, ECONNRESET |
    # | `short_io` | a read or write takes fewer bytes than it could |
    # | `spurious` | ConditionVariable#wait, or a wait for a descriptor, returns without a reason |
    # | `cancel` | a task of Raffia is cancelled at a wait |
    # | `kill` | a thread is killed at a wait |
    # | `clock` | the wall clock is set forward or back |
    # | `slow_disk` | a file operation takes 10 ms to 1 s |
    # | `pause` | the process stands still until the next timer is due |
    module Fault
      # Kinds with the probabilities that `faults: :swarm` gives them.
      KINDS = {errors: 0.01, short_io: 0.05, spurious: 0.02, cancel: 0.01, kill: 0.01, clock: 0.01,
               slow_disk: 0.05, pause: 0.05}.freeze

      # Probabilities of the option `faults:`.
      # @param option [Hash{Symbol => Numeric}, Array<Symbol>, Symbol] kinds with probabilities, or
      #   kinds with the usual ones, or :swarm
      # @return [Hash{Symbol => Numeric}]
      # @raise [ConfigError]
      # @api private
      def self.probabilities(option)
        chosen = case option
        when :swarm then KINDS
        when ::Hash then option
        when ::Array, ::Symbol then [*option].to_h { |kind| [kind, KINDS[kind]] }
        else raise ConfigError, "faults: #{option.inspect} means nothing here: use :swarm, or " \
          "kinds with probabilities such as {errors: 0.01}"
        end
        chosen.each { |kind, probability| check(kind, probability) }
      end

      def self.check(kind, probability)
        unless KINDS.key?(kind)
          raise ConfigError, "there is no fault #{kind.inspect}: use #{KINDS.keys.join(", ")}"
        end
        return if probability.is_a?(::Numeric) && probability.between?(0, 1)

        raise ConfigError, "faults: #{kind}: #{probability.inspect} is no probability: use a " \
          "number from 0 to 1"
      end
      private_class_method :check
    end
  end
end
