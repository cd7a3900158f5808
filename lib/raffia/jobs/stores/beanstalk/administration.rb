# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Beanstalk < Store
        # Tubes can be paused; jobs cannot be chosen.
        class Administration < Store::Administration
          extend Refusal

          needs :address, :reservations

          # Seconds of a pause: the longest that the server takes, 136 years.
          FOREVER = 2**32 - 1
          private_constant :FOREVER

          refuse :delete, :requeue, :kill, :clear, "it does not list jobs: use its `kick` and " \
            "`delete`"

          def pause(queue, tenant: nil)
            tenant ? refuse_tenant : pause_tube(queue, FOREVER)
          end

          def resume(queue, tenant: nil)
            tenant ? refuse_tenant : pause_tube(queue, 0)
          end

          private

          def refuse_tenant
            raise Unsupported.new(:pause, "beanstalkd", "it has no fair queues: pause the tube")
          end

          def pause_tube(queue, seconds)
            tube = @address.tube_of(queue)
            word, = @reservations.with { |connection|
              connection.call("pause-tube", tube, seconds)
            }
            return if word == "PAUSED"

            raise NotFound.new("beanstalkd has no tube #{tube}: it forgets empty ones", name: tube)
          end
        end
      end
    end
  end
end
