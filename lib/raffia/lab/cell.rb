# frozen_string_literal: true

module Raffia
  module Lab
    # One line of a result table: an experiment on a variant (a strategy, a back end or a control)
    # with a number of workers. Its ruby is an {Interpreter}, nil for the lab's own.
    Cell = Data.define(:experiment, :variant, :workers, :ruby) do
      def initialize(experiment:, variant:, workers:, ruby: nil) = super

      # Readable: "mailer on processes x2, Ruby 3.3.8".
      def to_s
        "#{experiment} on " \
          "#{variant}#{" x#{workers}" if workers > 1}#{", Ruby #{ruby.label}" if ruby}"
      end
    end

    # Parameters of one run, for the process that does the work. The service is what the helper
    # process announced, such as its port; given is the value of {Experiment#set_up}.
    Setting = Data.define(:variant, :workers, :params, :service, :given) do
      def initialize(variant:, workers:, params:, service:, given: nil) = super
    end

    # Work as a call of a module function with shareable arguments, which follow the item. So the
    # very same work runs in a block on any strategy, and in the controls.
    Work = Data.define(:receiver, :name, :arguments) do
      def initialize(receiver:, name:, arguments: [])
        super(receiver:, name:, arguments: arguments.dup.freeze)
      end

      def call(item) = receiver.public_send(name, item, *arguments)

      # A shareable block. Raffia would make it shareable with its extension; the lab must run
      # without that, too.
      def to_proc
        work = self
        block = proc { |item| work.call(item) }
        defined?(Ractor) ? Ractor.make_shareable(block) : block
      end
    end
  end
end
