# frozen_string_literal: true

module Raffia
  module Lab
    # One line of a result table: an experiment on a variant (a strategy, a back end, or a control)
    # with a number of workers.
    #
    # @!attribute [r] experiment
    #   @return [String]
    # @!attribute [r] variant
    #   @return [Symbol]
    # @!attribute [r] workers
    #   @return [Integer]
    # @!attribute [r] ruby
    #   @return [Interpreter, nil] nil for the lab's own
    Cell = Data.define(:experiment, :variant, :workers, :ruby) do
      def initialize(experiment:, variant:, workers:, ruby: nil) = super

      # @return [String] as people read it: "mailer on processes x2, Ruby 3.3.8"
      def to_s
        "#{experiment} on " \
          "#{variant}#{" x#{workers}" if workers > 1}#{", Ruby #{ruby.label}" if ruby}"
      end
    end

    # Parameters of one run, for the process that does the work.
    #
    # @!attribute [r] params
    #   @return [Hash{Symbol => Object}] the experiment's own sizes
    # @!attribute [r] service
    #   @return [Hash{Symbol => Object}] what the helper process announced, such as its port; empty
    #   without one
    # @!attribute [r] given
    #   @return [Object] what {Experiment#set_up} returned
    Setting = Data.define(:variant, :workers, :params, :service, :given) do
      def initialize(variant:, workers:, params:, service:, given: nil) = super
    end

    # Work as a call of a module function with arguments that can be shared, so that it runs
    # unchanged everywhere: in a block on any strategy, and in the controls, which must do the very
    # same work to be worth comparing with.
    #
    # @example
    #   Work.new(Squares, :sum, []).call([0, 10]) # => Squares.sum([0, 10])
    Work = Data.define(:receiver, :name, :arguments) do
      # @param receiver [Module]
      # @param name [Symbol]
      # @param arguments [Array] frozen and shareable; they follow the item
      def initialize(receiver:, name:, arguments: [])
        super(receiver:, name:, arguments: arguments.dup.freeze)
      end

      # @param item [Object]
      # @return [Object] what the function returns
      def call(item) = receiver.public_send(name, item, *arguments)

      # @return [Proc] that can be shared between Ractors as it is. Raffia would see to that by
      #   itself, with its extension; the lab must run without it too.
      def to_proc
        work = self
        block = proc { |item| work.call(item) }
        defined?(Ractor) ? Ractor.make_shareable(block) : block
      end
    end
  end
end
