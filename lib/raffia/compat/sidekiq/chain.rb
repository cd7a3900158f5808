# frozen_string_literal: true

require_relative "../../jobs"

module Sidekiq
  # Classes of middleware: of each an object is made for each call.
  class Chain
    include Enumerable

    # A class, and what its objects are made with.
    Entry = Struct.new(:klass, :arguments) do
      # @return [#call]
      def make(configuration)
        object = klass.new(*arguments)
        object.config = configuration if object.respond_to?(:config=)
        object
      end
    end

    # @param configuration [Configuration]
    def initialize(configuration)
      @configuration = configuration
      @entries = [].freeze # replaced as a whole, so that a call sees one state of it
    end

    # @return [void]
    def each(&) = @entries.each(&)

    # At the end: nearest to the job. One that is there already moves.
    # @param klass [Class]
    # @param arguments [Array] for its `new`
    # @return [void]
    def add(klass, *arguments) = put(klass, arguments) { |others| others.size }

    # At the front.
    # @return [void]
    def prepend(klass, *arguments) = put(klass, arguments) { 0 }

    # @return [void]
    def insert_before(other, klass, *arguments) = put(klass, arguments) { |others| others.index { |entry| entry.klass == other } || 0 }

    # @return [void]
    def insert_after(other, klass, *arguments)
      put(klass, arguments) { |others| (others.index { |entry| entry.klass == other } || others.size - 1) + 1 }
    end

    # @return [void]
    def remove(klass)
      @entries = @entries.reject { |entry| entry.klass == klass }.freeze
    end

    # @return [Boolean]
    def exists?(klass) = any? { |entry| entry.klass == klass }
    alias_method :include?, :exists?

    # @return [Boolean]
    def empty? = @entries.empty?

    # @return [void]
    def clear
      @entries = [].freeze
    end

    # @return [Object] what the outermost one returns
    def invoke(*arguments, &)
      @entries.each_with_object(Raffia::Jobs::Middleware.new) { |entry, links| links.add(entry.make(@configuration)) }.call(*arguments, &)
    end

    private

    def put(klass, arguments)
      others = @entries.reject { |entry| entry.klass == klass }
      @entries = others.insert(yield(others), Entry.new(klass, arguments)).freeze
    end

    # The chain of those who enqueue, as Raffia calls middleware.
    #
    # @api private
    class AroundEnqueue
      # @param chain [Chain]
      def initialize(chain)
        @chain = chain
      end

      # @param item [Hash] the payload
      # @return [Object, nil] nil keeps the job out
      def call(item, &)
        @chain.empty? ? yield : @chain.invoke(class_of(item["class"]), item, item["queue"], nil, &)
      end

      private

      # A class that only the workers have is a name here.
      def class_of(name) = Object.const_defined?(name) ? Object.const_get(name) : name
    end

    # The chain of those who work, and the handlers of errors.
    #
    # @api private
    class AroundPerform
      # @param configuration [Configuration]
      def initialize(configuration)
        @configuration = configuration
      end

      # @return [Object] what the outermost one returns
      def call(job, item, &)
        chain = @configuration.server_middleware
        chain.empty? ? yield : chain.invoke(job, item, item["queue"], &)
      rescue => error
        @configuration.error_handlers.each { |handler| handler.call(error, {context: "Job raised exception", job: item}) }
        raise
      end
    end
  end
end
