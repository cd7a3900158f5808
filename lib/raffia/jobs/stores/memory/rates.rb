# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        class Rates < Store::Rates
          needs :lock, :jobs

          def rate(key) = @jobs.rates[key]&.to_h(now) || {}

          def rates(offset: 0, limit: 50)
            (@jobs.rates.keys[offset, limit] || []).map { |key| key.to_h(now) }
          end

          def close_rate(key, seconds)
            @jobs.rates.close(key, now + seconds)
            nil
          end

          def change_rate(name, rule)
            @jobs.rates.change(name, rule, now)
            @lock.broadcast
            nil
          end

          private

          def now = ::Time.now.to_f
        end
      end
    end
  end
end
