# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Beanstalk < Store
        # Deletes, releases and buries reserved jobs. Their bytes stay as they are.
        class Completion < Store::Completion
          needs :reservations

          def ack(claims)
            claims.map { |claim|
              !!finish(claim) { |one| one.connection.call("delete", one.id).first == "DELETED" }
            }
          end

          def retry(claim, _payload, at)
            delay = (at - Time.now.to_f).ceil.clamp(0, 2**32 - 1)
            !!finish(claim) { |one|
              one.connection.call("release", one.id, one.priority, delay).first == "RELEASED"
            }
          end

          def bury(claim, _payload)
            !!finish(claim) { |one|
              one.connection.call("bury", one.id, one.priority).first == "BURIED"
            }
          end

          def discard(claim) = ack([claim]).first

          def release(claims, begun: true)
            claims.count { |claim| @reservations.give_back(claim.key) }
          end

          private

          def finish(claim, &) = @reservations.finish(claim.key, &)
        end
      end
    end
  end
end
