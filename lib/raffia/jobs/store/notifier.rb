# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      # Wakes workers that wait for jobs.
      class Notifier < Group
        # Returns when there may be something to {Claims#claim} or {Schedule#promote}, also when it
        # came after the last claim or is due earlier than the last promotion said. {#interrupt}
        # ends it, too. Jobs in paused queues and suspects do not count.
        # @param timeout [Numeric, nil] seconds
        def wait(queues, timeout: nil) = raise(NotImplementedError)

        # Ends every {#wait} of this process, from any thread; without one, the next wait ends at
        # once.
        def interrupt = raise(NotImplementedError)
      end
    end
  end
end
