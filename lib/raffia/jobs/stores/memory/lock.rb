# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # Serializes all operations of a store, and wakes those that wait for a change.
        # @api private
        class Lock
          def initialize
            @mutex = Mutex.new
            @changed = ConditionVariable.new
            @pid = ::Process.pid
          end

          # Raises {StoreUnavailable} in a forked child.
          def synchronize(&)
            raise StoreUnavailable, forked unless ours?

            @mutex.synchronize(&)
          end

          # Inside of {#synchronize}: lets others in until {#broadcast}, or for so many seconds.
          def wait(timeout) = @changed.wait(@mutex, timeout)

          def broadcast = @changed.broadcast

          # Whether this is the process that made the store.
          def ours? = @pid == ::Process.pid

          private

          def forked
            "the jobs of this store are in the memory of process #{@pid}, and this is process " \
            "#{::Process.pid}: give it a store of its own (Raffia::Jobs.store = \"memory:\"), or " \
            "use one that processes share, such as sqlite:jobs.db"
          end
        end
      end
    end
  end
end
