# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Beanstalk < Store
        # None.
        class Rates < Store::Rates
          extend Refusal

          refuse :rate, :rates, :close_rate, :change_rate, "it keeps no values beside jobs"
        end
      end
    end
  end
end
