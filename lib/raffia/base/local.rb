# frozen_string_literal: true

module Raffia
  # Storage that belongs to the running Ractor: what takes the place of class-level state. A constant or class variable could
  # not be changed, or not even be read, in other Ractors.
  #
  # @api private
  module Local
    if defined?(::Ractor)
      # @return [Object] what is stored, else what the block gives, which is then stored
      def self.fetch(key)
        ::Ractor.current[key] ||= yield
      end

      # @return [Boolean] whether the running Ractor is the first, to which signals and the stdlib's timeouts belong
      def self.main? = ::Ractor.current.equal?(::Ractor.main)
    else
      # Without Ractors (JRuby) the process is one big one.
      STORE = ::Thread::Queue.new.push({}) # a queue of one is a lock that holds what it locks
      private_constant :STORE

      def self.fetch(key)
        store = STORE.pop
        store[key] ||= yield
      ensure
        STORE.push(store)
      end

      def self.main? = true
    end
  end
end
