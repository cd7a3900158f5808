# frozen_string_literal: true

module Raffia
  # Storage of the running Ractor, in place of class-level state, which other Ractors could not
  # change or even read.
  #
  # @api private
  module RactorLocal
    if defined?(::Ractor)
      LOCK = :raffia_ractor_local_lock
      private_constant :LOCK

      # @return [Object] what is stored, else what the block gives, which is then stored. Threads
      #   that ask first at the same time get the same
      def self.fetch(key, &) = ::Ractor.current[key] || store(key, &)

      # A block may fetch other things.
      def self.store(key)
        lock = ::Ractor.current[LOCK] ||= ::Thread::Mutex.new
        held = lock.owned? ? false : take(lock)
        ::Ractor.current[key] ||= yield
      ensure
        lock.unlock if held
      end
      private_class_method :store

      # @return [Boolean] false in a trap handler: none may wait there
      def self.take(lock)
        lock.lock && true
      rescue ::ThreadError
        false
      end
      private_class_method :take

      # @return [Boolean] whether the running Ractor is the first, to which signals and the stdlib's
      #   timeouts belong
      def self.main? = ::Ractor.current.equal?(::Ractor.main)
    else
      # Without Ractors (JRuby) the process is one big one.
      STORE = ::Thread::Queue.new.push({}) # a queue of one is a lock that holds what it locks
      private_constant :STORE

      # The thread that has taken the store, while it runs its block, which may fetch other things.
      HELD = :raffia_ractor_local_store
      private_constant :HELD

      def self.fetch(key)
        held = ::Thread.current.thread_variable_get(HELD)
        return held[key] ||= yield if held

        hold { |store| store[key] ||= yield }
      end

      def self.hold
        store = STORE.pop
        ::Thread.current.thread_variable_set(HELD, store)
        yield store
      ensure
        ::Thread.current.thread_variable_set(HELD, nil)
        STORE.push(store) if store
      end
      private_class_method :hold

      def self.main? = true
    end
  end
end
