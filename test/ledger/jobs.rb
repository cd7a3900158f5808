# frozen_string_literal: true

# The program of the workers: jobs that note what happens to them, and a store that notes which
# claims and acks it gave and took.

require "raffia/jobs"
require "raffia/jobs/durable"
require "raffia/jobs/workflow"
require_relative "history"
require_relative "recorder"

module Ledger
  HISTORY = History.new(ENV.fetch("LEDGER_HISTORY"))
  # Each process encrypts by one of these keys.
  KEYS = %w[k1 k2].to_h { |id| [id, id * 16] }.freeze

  Raffia::Jobs.keys = {active: KEYS.keys.sample, **KEYS}
  name = ENV.fetch("LEDGER_STORE")
  require "raffia/jobs/stores/#{name}"
  Raffia::Jobs::Stores.const_get({"sqlite" => :SQLite, "redis" => :Redis, "memory" => :Memory,
                                  "mysql" => :MySQL, "postgres" => :Postgres}.fetch(name)).prepend(Recorder)
end

require_relative "loads"
