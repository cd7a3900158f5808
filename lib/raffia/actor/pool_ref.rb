# frozen_string_literal: true

module Raffia
  class Actor
    # A pool of actors: a {Ref} whose calls go to one of them each.
    class PoolRef < Ref
      # @return [Integer] how many workers there are
      def size = @core.workers.size

      # Changes the number of workers, and waits for that: workers that leave finish their messages.
      # Keys are spread anew, so two calls with one key, before and after, may overlap.
      # @param size [Integer]
      # @return [self]
      # @raise [ConfigError]
      # @raise [ActorDied]
      # @raise [Exception] what a new worker's `initialize` or `on_start` raised
      def resize(size)
        @core.order(:resize, PoolManager.count(size), reply: done = Future.new)
        done.value
        self
      end

      # Sends a message to each worker, and waits for none.
      # @return [self]
      # @raise [NoMethodError, ArgumentError]
      def broadcast(name, *arguments, **keywords, &block)
        @core.workers.each do |worker|
          worker.tell(name, arguments, keywords.empty? ? nil : keywords, block)
        end
        self
      end

      # @return [Array<Ref>] those that there are now
      def workers = @core.workers.map(&:ref)
    end
  end
end
