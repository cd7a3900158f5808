# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Beanstalk < Store
        # The server itself makes delayed jobs ready.
        class Schedule < Store::Schedule
          def promote(_limit = 1000, rates: true) = nil

          def now = Time.now.to_f
        end
      end
    end
  end
end
