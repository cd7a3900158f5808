# frozen_string_literal: true

module Raffia
  class Actor
    # Settings of an actor, given to the class by {ClassMethods#options} or to `spawn`.
    #
    # @!attribute [r] on
    #   @return [Symbol] where its methods run: :fibers (default on CRuby), :threads (default on
    #   other Rubies), :ractors, :processes
    # @!attribute [r] mailbox
    #   @return [Integer, nil] how many messages may wait; nil: any number
    # @!attribute [r] when_full
    #   @return [Symbol] :block (the sender waits), :reject ({Full} is raised), :drop_newest,
    #   :drop_oldest (a caller gets {Full}; an async message is gone, and counted)
    # @!attribute [r] call_timeout
    #   @return [Numeric, nil] seconds that a call may take; the caller's deadline may be nearer
    # @!attribute [r] reentrant
    #   @return [Array<Symbol>] methods that may run while the actor waits for their caller
    # @!attribute [r] trap_exit
    #   @return [Boolean] whether the end of a linked actor calls `on_exit`, and does not end this
    #   one
    # @!attribute [r] expects
    #   @return [Array<Class>] errors that are the caller's alone and do not end the actor
    Settings = Data.define(:on, :mailbox, :when_full, :call_timeout, :reentrant, :trap_exit,
      :expects) do
      # @raise [ConfigError]
      def initialize(on: Settings::DEFAULT_EXECUTOR, mailbox: 10_000, when_full: :block,
        call_timeout: nil, reentrant: [], trap_exit: false, expects: [])
        Settings.one_of(:on, on, Settings::EXECUTORS)
        Settings.one_of(:when_full, when_full, Settings::POLICIES)
        Settings.check_limit(mailbox)
        Deadline.seconds(call_timeout) if call_timeout
        reentrant = Array(reentrant).map(&:to_sym).freeze
        super(on:, mailbox:, when_full:, call_timeout:, reentrant:,
              trap_exit: trap_exit ? true : false, expects: Array(expects).freeze)
      end
    end

    class Settings
      # Values of `on`.
      EXECUTORS = %i[fibers threads ractors processes].freeze
      # Fibers need Ruby's Fiber scheduler, which only CRuby has.
      DEFAULT_EXECUTOR = (RUBY_ENGINE == "ruby") ? :fibers : :threads
      # Values of `when_full`.
      POLICIES = %i[block reject drop_newest drop_oldest].freeze

      # @api private
      def self.one_of(name, value, all)
        return if all.include?(value)

        raise ConfigError, "#{name}: #{value.inspect} means nothing here: use one of " \
          "#{all.join(", ")}"
      end

      # @api private
      def self.check_limit(mailbox)
        return if mailbox.nil? || (mailbox.is_a?(Integer) && mailbox.positive?)

        raise ConfigError, "mailbox: #{mailbox.inspect} means nothing here: give a whole number " \
          "from 1 up, or nil for no bound"
      end

      # These settings with the given ones.
      # @api private
      def merge(given)
        return self if given.empty?

        unknown = given.keys - members
        unless unknown.empty?
          raise ConfigError, "an actor has no option #{unknown.first}: use #{members.join(", ")}"
        end
        with(**given)
      end
    end

    # Defaults.
    Settings::DEFAULT = Settings.new
  end
end
