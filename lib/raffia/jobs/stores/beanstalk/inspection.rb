# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Beanstalk < Store
        # Shows the server's counts.
        class Inspection < Store::Inspection
          extend Refusal

          needs :address, :reservations

          # Names in the server's statistics.
          COUNTS = {queue: "current-jobs-ready", scheduled: "current-jobs-delayed",
                    running: "current-jobs-reserved", dead: "current-jobs-buried",
                    processed: "cmd-delete", failed: "cmd-bury"}.freeze
          private_constant :COUNTS

          refuse :entries, :find, "it does not list jobs"

          def countable = nil

          def queues(most: nil)
            @reservations.with do |connection|
              reachable(connection.facts("list-tubes"))
                .filter_map { |tube| queue(connection, tube) }.sort_by { |queue| queue["name"] }
            end
          end

          # Retries are among the scheduled ones.
          def counts(most: nil)
            facts = @reservations.with { |connection| connection.facts("stats") }
            Store::SETS.to_h { |set| [set, 0] }
              .merge(COUNTS.transform_values { |name| facts[name].to_i })
          end

          private

          # The server always has a tube "default", which another one may stand for here.
          def reachable(tubes) = tubes.select { |tube| @address.reachable?(tube) }

          def queue(connection, tube)
            facts = connection.facts("stats-tube", tube) or return
            {"name" => @address.queue_of(tube), "size" => facts["current-jobs-ready"],
             "latency" => 0, "paused" => facts["pause"].positive?}
          end
        end
      end
    end
  end
end
