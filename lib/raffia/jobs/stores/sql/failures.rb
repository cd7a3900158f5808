# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # Errors of database servers that {ServerDatabase} handles.
        # @api private
        module Failures
          # The server has rolled back one of two transactions: it may be tried again.
          class Conflict < StoreUnavailable
          end

          # The tables are missing.
          class NoTables < StoreUnavailable
          end
        end
      end
    end
  end
end
