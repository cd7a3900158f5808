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

      class << self
        # The stored value, else the block's, which is then stored. Threads that call it at the same
        # time get the same value.
        def fetch(key, &) = ::Ractor.current[key] || store(key, &)

        def main? = ::Ractor.current.equal?(::Ractor.main)

        private

        # The block may fetch other keys.
        def store(key)
          lock = ::Ractor.current[LOCK] ||= ::Thread::Mutex.new
          held = lock.owned? ? false : acquire(lock)
          ::Ractor.current[key] ||= yield
        ensure
          lock.unlock if held
        end

        # False in a trap handler, where nothing may wait.
        def acquire(lock)
          lock.lock && true
        rescue ::ThreadError
          false
        end
      end
    else
      # Without Ractors (JRuby) the process is one big one.
      STORE = ::Thread::Queue.new.push({}) # a queue of one: a lock with its content
      # The thread variable with the store, while the thread runs a block.
      HELD = :raffia_ractor_local_store
      private_constant :STORE, :HELD

      class << self
        def fetch(key)
          held = ::Thread.current.thread_variable_get(HELD)
          return held[key] ||= yield if held

          hold { |store| store[key] ||= yield }
        end

        def main? = true

        private

        def hold
          store = STORE.pop
          ::Thread.current.thread_variable_set(HELD, store)
          yield store
        ensure
          ::Thread.current.thread_variable_set(HELD, nil)
          STORE.push(store) if store
        end
      end
    end
  end
end
