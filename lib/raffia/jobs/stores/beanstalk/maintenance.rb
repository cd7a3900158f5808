# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Beanstalk < Store
        # There is nothing that grows old, and nothing to check.
        class Maintenance < Store::Maintenance
          def prune(**) = 0

          def check = []
        end
      end
    end
  end
end
