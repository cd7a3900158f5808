# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Beanstalk < Store
        # Nothing can be written, so that nothing is there to be read.
        class KeyValues < Store::KeyValues
          extend Refusal

          refuse :write, Refusal::VALUES

          def read(_key) = nil

          def keys(_prefix) = []
        end
      end
    end
  end
end
