# frozen_string_literal: true

module Sidekiq
  # Raffia lacks this part of Sidekiq: the message says what to use instead.
  class NotProvided < Raffia::Error
  end

  # Ends late jobs at Sidekiq's shutdown. Raffia interrupts jobs in another way, and returns them to
  # their queue.
  class Shutdown < Interrupt
  end

  module Job
    # The job goes back to its queue and continues later. It counts neither as a failure nor as an
    # attempt.
    class Interrupted < RuntimeError
    end
  end
end
