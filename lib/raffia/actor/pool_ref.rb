# frozen_string_literal: true

module Raffia
  class Actor
    # A pool of actors: a {Ref} whose calls go to one of them each.
    class PoolRef < Ref
      # @return [Integer] how many workers there are
      def size = @core.workers.size

      # Makes them more or fewer, and waits for that; those who have to go finish what they have.
      # Keys are spread anew, so what has a key and is asked before may still be underway with one
      # worker while what is asked afterwards begins with another.
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

      # Asks each of them, and waits for none.
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
