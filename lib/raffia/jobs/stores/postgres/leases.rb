# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        class Leases < SQL::Leases
          needs :database, :completion, :statistics, :held

          def beat(lease, state = {}, tally: nil)
            super.tap { |orders| @held.remove_lease(lease) unless orders }
          end

          def resign(lease, tally: nil) = super.tap { @held.remove_lease(lease) }
        end
      end
    end
  end
end
