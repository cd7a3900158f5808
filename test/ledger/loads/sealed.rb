# frozen_string_literal: true

module Ledger
  # A job with encrypted arguments.
  class SealedJob < Job
    # In the arguments, and never in the store.
    SECRET = "ledger-secret"

    options encrypt: true

    def perform(kind, mark, secret)
      HISTORY.note(:unsealed, [jid]) unless secret == "#{SECRET}-#{mark}"
      super
    end
  end

  module Loads
    # Encrypted jobs.
    module Sealed
      SHARE = 8

      module_function

      def supported?(_) = true

      def produce(random, mark)
        size = random.rand(1..50)
        list = Array.new(size) { |n|
          [Plain.kind(random), mark - n, "#{SealedJob::SECRET}-#{mark - n}"]
        }
        Loads.kept("sealed", Loads.insist { SealedJob.perform_bulk(list) })
        size
      end
    end
  end
end
