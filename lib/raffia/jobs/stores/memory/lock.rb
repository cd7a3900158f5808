# frozen_string_literal: true

require_relative "../../error"

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # Serializes all operations of a store, and wakes those that wait for a change. Reentrant,
        # so groups call one another.
        #
        # @api private
        class Lock
          def initialize
            @mutex = Mutex.new
            @changed = ConditionVariable.new
            @pid = ::Process.pid
          end

          # @raise [StoreUnavailable] in a forked child
          def synchronize(&)
            return yield if @mutex.owned?
            raise StoreUnavailable, forked unless ours?

            @mutex.synchronize(&)
          end

          # Inside of {#synchronize}: lets others in until {#broadcast}.
          # @param timeout [Numeric, nil] seconds
          def wait(timeout) = @changed.wait(@mutex, timeout)

          def broadcast = @changed.broadcast

          # @return [Boolean] whether this is the process that made the store
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
