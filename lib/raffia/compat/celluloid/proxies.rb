# frozen_string_literal: true

module Celluloid
  # Proxies of actors: their methods are those of the actor.
  module Proxy
    def self.class_of(object) = (class << object; self; end).superclass

    # Only what a Hash needs of its keys; all other methods are the actor's.
    class Abstract < BasicObject
      %i[object_id hash eql? private_methods].each do |name|
        define_method(name, ::Kernel.instance_method(name))
      end
      # Used by the proxy classes themselves.
      %i[raise block_given? proc lambda format puts p warn loop catch throw caller
        respond_to_missing?].each do |name|
        private define_method(name, ::Kernel.instance_method(name))
      end

      def __class__ = ::Celluloid::Proxy.class_of(self)
    end

    class AbstractCall < Abstract
      attr_reader :mailbox

      def initialize(mailbox, klass)
        @mailbox = mailbox
        @klass = klass
      end

      def eql?(other)
        __class__.eql?(::Celluloid::Proxy.class_of(other)) && @mailbox.eql?(other.mailbox)
      rescue ::TypeError
        false
      end

      def hash = @mailbox.hash

      def __klass__ = @klass

      def inspect = "#<#{__class__}(#{@klass})>"

      private

      # An actor may call its own private methods.
      def own? = @mailbox.equal?(::Thread.current[:celluloid_mailbox])
    end

    # standard:disable Style/MissingRespondToMissing
    class Sync < AbstractCall
      def respond_to?(name, all = false)
        __class__.method_defined?(name) || method_missing(:respond_to?, name, all)
      end

      def method_missing(name, *arguments, **keywords, &block)
        ::Celluloid::Call.sync(@mailbox.cell, name, arguments, keywords, block, own?)
      end

      def _send_(name, *arguments, **keywords, &block)
        ::Celluloid::Call.sync(@mailbox.cell, name, arguments, keywords, block, true)
      end
    end

    class Async < AbstractCall
      def method_missing(name, *arguments, **keywords, &block)
        raise "Cannot use blocks with async yet" if block

        ::Celluloid::Call.async(@mailbox.cell, name, arguments, keywords, own?)
        self
      end
    end

    # Calls return a {Celluloid::Future}.
    class Future < AbstractCall
      def method_missing(name, *arguments, **keywords, &block)
        raise "Cannot use blocks with futures yet" if block

        ::Celluloid::Call.future(@mailbox.cell, name, arguments, keywords, own?)
      end
    end

    # standard:enable Style/MissingRespondToMissing

    # Returned by `new`.
    class Cell < Sync
      def initialize(mailbox, actor_proxy, klass)
        super(mailbox, klass)
        @actor_proxy = actor_proxy
      end

      def inspect
        method_missing(:inspect)
      rescue ::Celluloid::DeadActorError
        "#<Celluloid::Proxy::Cell(#{@klass}) dead>"
      end

      def method(name) = ::Celluloid::Internals::Method.new(self, name)

      alias_method :sync, :method_missing

      def async(name = nil, *arguments, **keywords, &block)
        proxy = (@async_proxy ||= Async.new(@mailbox, @klass))
        name ? proxy.method_missing(name, *arguments, **keywords, &block) : proxy
      end

      def future(name = nil, *arguments, **keywords, &block)
        proxy = (@future_proxy ||= Future.new(@mailbox, @klass))
        name ? proxy.method_missing(name, *arguments, **keywords, &block) : proxy
      end

      def alive? = @actor_proxy.alive?

      def dead? = @actor_proxy.dead?

      def thread = @actor_proxy.thread

      def terminate = @actor_proxy.terminate

      def terminate! = @actor_proxy.terminate!
    end

    class Actor < Abstract
      attr_reader :mailbox, :thread

      def initialize(mailbox, thread)
        @mailbox = mailbox
        @thread = thread
      end

      def inspect = "#<Celluloid::Proxy::Actor(#{@mailbox.address}) #{alive? ? "alive" : "dead"}>"

      def alive? = @mailbox.alive?

      def dead? = !alive?

      def terminate
        terminate!
        @mailbox.cell.join unless @mailbox.equal?(::Thread.current[:celluloid_mailbox])
        nil
      end

      def terminate!
        raise ::Celluloid::DeadActorError, "actor already terminated" unless @mailbox.cell.terminate
      end
    end
  end
end
