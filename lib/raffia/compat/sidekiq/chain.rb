# frozen_string_literal: true

module Sidekiq
  # Mixin of middleware classes.
  module ServerMiddleware
    attr_accessor :config

    def logger = config.logger

    def redis_pool = config.redis_pool

    def redis(&) = config.redis(&)
  end

  ClientMiddleware = ServerMiddleware

  module Middleware
    # A chain of middleware classes. Each call instantiates them anew.
    class Chain
      include Enumerable

      # A class and the arguments of its `new`.
      Entry = Struct.new(:klass, :arguments) do
        def make(configuration)
          object = klass.new(*arguments)
          object.config = configuration if object.respond_to?(:config=)
          object
        end
      end

      def initialize(configuration = nil)
        @configuration = configuration
        @entries = [].freeze # replaced as a whole, so that a call sees one state
        yield self if block_given?
      end

      def each(&) = @entries.each(&)

      # Appends a class, nearest to the job; one that is in the chain already moves.
      def add(klass, *arguments) = put(klass, arguments) { |others| others.size }

      def prepend(klass, *arguments) = put(klass, arguments) { 0 }

      def insert_before(other, klass, *arguments)
        put(klass, arguments) { |others| others.index { |entry| entry.klass == other } || 0 }
      end

      def insert_after(other, klass, *arguments)
        put(klass, arguments) do |others|
          (others.index { |entry| entry.klass == other } || others.size - 1) + 1
        end
      end

      def remove(klass)
        @entries = @entries.reject { |entry| entry.klass == klass }.freeze
      end

      def exists?(klass) = any? { |entry| entry.klass == klass }
      alias_method :include?, :exists?

      def empty? = @entries.empty?

      def clear
        @entries = [].freeze
      end

      def retrieve = map { |entry| entry.make(@configuration) }

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
