# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Beanstalk < Store
        # The server itself returns the jobs of closed connections to their tubes.
        class Recovery < Store::Recovery
          def recover = []

          def report_death(_lease, _begun) = []
        end
      end
    end
  end
end
