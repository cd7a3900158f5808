# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Beanstalk < Store
        # None.
        class Batches < Store::Batches
          extend Refusal

          refuse :open_batch, :seal_batch, :batch, :batches, "it keeps no values beside jobs"
        end
      end
    end
  end
end
