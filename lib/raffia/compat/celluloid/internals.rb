# frozen_string_literal: true

require "etc"

module Celluloid
  # Parts of Celluloid that other gems use.
  module Internals
    module UUID
      def self.generate
        ids = ::Raffia::RactorLocal.fetch(:raffia_celluloid_ids) { ::Raffia::Actor::IdSequence.new }
        "#{prefix}-#{ids.next.to_s(16).rjust(12, "0")}"
      end

      def self.prefix = const_defined?(:PREFIX) ? PREFIX : ::Process.pid
      private_class_method :prefix
    end

    module CPUCounter
      def self.cores = ::Etc.nprocessors
    end

    # A method of an actor, called through its proxy.
    class Method
      def initialize(proxy, name)
        raise NoMethodError, "undefined method `#{name}'" unless proxy.respond_to?(name)

        @proxy = proxy
        @name = name
      end

      def arity = subjects.arity

      def name = subjects.name

      def parameters = subjects.parameters

      def call(*arguments, **keywords, &block)
        @proxy.__send__(@name, *arguments, **keywords, &block)
      end

      def to_proc = method(:call).to_proc

      def inspect = "#<#{self.class} #{@proxy.class}##{@name}>"

      private

      def subjects = @proxy.method_missing(:method, @name)
    end

    # Splits the arguments that a supervisor starts an actor with. The last Hash is for keywords, if
    # the class has some. Code that returns a list is called for each start.
    def self.arguments(klass, given)
      given = given.call if given.respond_to?(:call)
      list = given.is_a?(Hash) ? [given] : Array(given)
      named = klass.instance_method(:initialize).parameters
        .any? { |kind, _| %i[key keyreq keyrest].include?(kind) }
      (named && list.last.is_a?(Hash)) ? [list[0...-1], list.last] : [list, {}]
    end

    # Checks a call's arguments, so that the caller's mistake does not end the actor.
    Signature = ::Raffia::Actor::Interface::Signature
  end
end
