# frozen_string_literal: true

# The program of the workers: jobs that note what happens to them, and a store that notes which acks
# it took.

require "raffia/jobs"
require_relative "history"

module Ledger
  HISTORY = History.new(ENV.fetch("LEDGER_HISTORY"))

  # One job of each kind that matters to what may be lost.
  class Job
    include Raffia::Job

    options retry: 10
    retry_in { 0.2 }

    # How long it takes, how it ends, and what it does meanwhile.
    KINDS = %w[quick sleep compute fork fail enqueue].freeze

    def perform(kind, mark)
      HISTORY.note(:began, [jid])
      send(kind, mark)
      HISTORY.note(:ended, [jid])
    end

    private

    def quick(_) = nil

    def sleep(_) = Kernel.sleep(0.01)

    def compute(_) = 2_000.times { |n| n.to_s }

    # Meanwhile others' transactions are under way in this process.
    def fork(_)
      pid = Kernel.fork { exit!(0) }
      ::Process.wait(pid)
    end

    def fail(_)
      raise "the first time" unless run.item["retry_count"]
    end

    # From inside of a job, one more is kept.
    def enqueue(mark)
      one = self.class.perform_async("quick", mark)
      HISTORY.note(:kept, [one])
    end
  end

  # Notes what the store took.
  module Acks
    def ack(claims)
      super.tap do |ours|
        HISTORY.note(:acked, claims.zip(ours)
          .filter_map { |claim, mine| claim.item["jid"] if mine })
      end
    end
  end

  name = ENV.fetch("LEDGER_STORE")
  require "raffia/jobs/stores/#{name}"
  Raffia::Jobs::Stores.const_get({"sqlite" => :SQLite, "redis" => :Redis,
                                  "mysql" => :MySQL, "postgres" => :Postgres}.fetch(name)).prepend(Acks)
end
