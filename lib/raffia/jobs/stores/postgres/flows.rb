# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # A job that leaves its worker is not held any more.
        class Flows < SQL::Flows
          needs :database, :cleanup, :enqueue, :flow_table, :held

          private

          def left(claim)
            answer = yield
            @held.remove([claim]) unless %i[done pending cancelling ready].include?([*answer].first)
            answer
          end
        end
      end
    end
  end
end
