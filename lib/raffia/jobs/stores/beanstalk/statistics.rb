# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Beanstalk < Store
        # None: `raffia work --health` has the metrics of workers.
        class Statistics < Store::Statistics
          extend Refusal

          refuse :history, :metrics, "it keeps no values beside jobs"
        end
      end
    end
  end
end
