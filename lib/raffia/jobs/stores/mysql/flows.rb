# frozen_string_literal: true

require_relative "../sql/held_flows"

module Raffia
  module Jobs
    module Stores
      class MySQL < SQL
        class Flows < SQL::HeldFlows
        end
      end
    end
  end
end
