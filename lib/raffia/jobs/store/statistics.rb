# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      # Adds up what workers report: in total, by day (UTC), and by class and minute.
      class Statistics < Group
        # @return [Hash{String => Hash}] "2026-11-21" => {"processed", "failed"}, newest first
        def history(days = 30) = raise(NotImplementedError)

        # @return [Hash{String => Array<Hash>}] class => its minutes with jobs, oldest first {"at"
        #   (of its begin), "processed", "failed", "ms", "histogram" => 26 counts}
        def metrics(minutes = 60) = raise(NotImplementedError)
      end
    end
  end
end
