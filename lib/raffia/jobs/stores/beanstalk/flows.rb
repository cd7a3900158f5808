# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Beanstalk < Store
        # None.
        class Flows < Store::Flows
          extend Refusal

          refuse(*Store::OPERATIONS.fetch(:flows), "it keeps no values beside jobs")
        end
      end
    end
  end
end
