# frozen_string_literal: true

module Ledger
  # Kinds of work. Each has a share of the producers' calls, `produce`, which enqueues some of it and
  # returns how many jobs these are, and knows whether a store can have it.
  module Loads
    # A store that is away comes back. A failed call may or may not have kept its jobs, so they are
    # not counted.
    def self.insist
      yield
    rescue Raffia::Jobs::StoreUnavailable
      sleep(0.05)
      retry
    end

    # Notes jobs that the store has.
    def self.kept(kind, jids) = HISTORY.note(:kept, jids.map { |jid| "#{jid} #{kind}" })

    # Those that the store can have, by their share.
    def self.all(store)
      [Plain, Rate, Fair, Sealed, Batch, Workflow, Function]
        .select { |load| insist { load.supported?(store) } }
    end

    # Yields an operation that changes nothing: a store that refuses it cannot have the load.
    def self.supported?
      yield
      true
    rescue Raffia::Jobs::StoreUnavailable
      raise
    rescue Raffia::Jobs::Error, Raffia::ConfigError
      false
    end
  end
end

%w[plain rate fair sealed batch workflow function].each { |name| require_relative "loads/#{name}" }
