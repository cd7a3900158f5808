# frozen_string_literal: true

require_relative "../../base/error"

module Sidekiq
  # Something of Sidekiq's that Raffia does not have: the message says what to use instead.
  class NotProvided < Raffia::Error
  end

  class << self
    # @raise [NotProvided]
    def configure_embed
      raise(NotProvided, "Sidekiq.configure_embed is not there: use " \
        "Raffia::Jobs.run_in_process(store: Raffia::Jobs.store)")
    end

    # @raise [NotProvided]
    def transactional_push!
      raise(NotProvided, "Sidekiq.transactional_push! is not there: use " \
        "Raffia::Jobs.transaction(connection) { }, with jobs in the same PostgreSQL")
    end
  end
end
