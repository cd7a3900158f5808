# frozen_string_literal: true

require_relative "../../jobs"

module Sidekiq
  # Mixin of middleware classes.
  module ServerMiddleware
    # @return [Configuration]
    attr_accessor :config

    # @return [Logger]
    def logger = config.logger

    # @return [Object] see {Sidekiq.redis_pool}
    def redis_pool = config.redis_pool

    # (see Sidekiq.redis)
    def redis(&) = config.redis(&)
  end

  # The same, for client middleware.
  ClientMiddleware = ServerMiddleware

  # Namespace of middleware.
  module Middleware
    # A chain of middleware classes. Each call makes new objects of them.
    class Chain
      include Enumerable

      # A class, and the arguments of its `new`.
      Entry = Struct.new(:klass, :arguments) do
        # @return [#call]
        def make(configuration)
          object = klass.new(*arguments)
          object.config = configuration if object.respond_to?(:config=)
          object
        end
      end

      # @param configuration [Configuration]
      # @yieldparam chain [Chain]
      def initialize(configuration = nil)
        @configuration = configuration
        @entries = [].freeze # replaced as a whole, so that a call sees one state of it
        yield self if block_given?
      end

      # @return [void]
      def each(&) = @entries.each(&)

      # Appends a class, nearest to the job. If it is there already, it moves.
      # @param klass [Class]
      # @param arguments [Array] for its `new`
      # @return [void]
      def add(klass, *arguments) = put(klass, arguments) { |others| others.size }

      # Puts a class at the front.
      # @return [void]
      def prepend(klass, *arguments) = put(klass, arguments) { 0 }

      # @return [void]
      def insert_before(other, klass, *arguments)
        put(klass, arguments) { |others| others.index { |entry| entry.klass == other } || 0 }
      end

      # @return [void]
      def insert_after(other, klass, *arguments)
        put(klass, arguments) do |others|
          (others.index { |entry| entry.klass == other } || others.size - 1) + 1
        end
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

      # @return [Array<#call>] an object of each
      def retrieve = map { |entry| entry.make(@configuration) }

      # @return [Object] what the outermost link returns
      def invoke(*arguments, &)
        retrieve.each_with_object(Raffia::Jobs::Middleware.new) { |link, links| links.add(link) }
          .call(*arguments, &)
      end

      private

      def put(klass, arguments)
        others = @entries.reject { |entry| entry.klass == klass }
        @entries = others.insert(yield(others), Entry.new(klass, arguments)).freeze
      end
    end
  end
end
