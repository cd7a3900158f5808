# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Beanstalk < Store
        # Reserves jobs. The server chooses by priority and age among the tubes.
        class Claims < Store::Claims
          needs :address, :reservations, :notifier, :map

          def claim(lease, queues, limit, suspects: false, ahead: false)
            return [] if suspects

            tubes = queues.map { |queue| @address.tube_of(queue) }
            claims = []
            while claims.size < limit
              found = @notifier.reserved(tubes) || @reservations.reserve(tubes, 0) or break
              claim = claimed(lease, *found) and claims << claim
            end
            claims
          rescue StoreUnavailable
            raise if claims.nil? || claims.empty?

            claims
          end

          def suspects?(_queues) = false

          def expired = super

          private

          # Nil for an expired job, which is deleted.
          def claimed(lease, key, reservation)
            item = item(reservation)
            if item && expired?(item)
              @reservations.finish(key) { |one| one.connection.call("delete", one.id) }
              count_expired(@address.queue_of(reservation.tube))
              return
            end

            Claim.new(lease, key, @address.queue_of(reservation.tube),
              item ? JSON.generate(item) : reservation.bytes)
          end

          # Nil for bytes that are no job: the worker buries them.
          def item(reservation)
            item = payload(reservation.bytes)
            return unless item.is_a?(Hash)

            item = {"jid" => format("%024x", reservation.id), "queue" => "default", **item}
            failures = reservation.failures
            item["retry_count"] = failures - 1 if failures.positive?
            item
          end

          # The map is a program's own: what it cannot read is buried.
          def payload(bytes)
            @map ? @map.call(bytes) : Payload.load(bytes)
          rescue BadPayload
            nil
          rescue => error
            warn "raffia: the map of #{@address.url} raised #{error.class}: #{error.message}"
            nil
          end

          def expired?(item)
            own = item[Payload::OWN]
            time = own["expires_at"] if own.is_a?(Hash)
            time.is_a?(Numeric) && time < Time.now.to_f
          end
        end
      end
    end
  end
end
