# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        class Rates < Store::Rates
          needs :redis

          def rate(key) = states(key).first || {}

          def rates(offset: 0, limit: 50) = states("", offset, limit)

          def close_rate(key, seconds)
            @redis.script(:change_rate, "close", key, seconds)
            nil
          end

          def change_rate(name, rule)
            @redis.script(:change_rate, "rule", name, rule ? JSON.generate(rule) : "")
            nil
          end

          private

          def states(*arguments)
            @redis.script(:rate, *arguments).map do |key, rule, tokens, opens, closed, blocked|
              {"name" => nil, "key" => key, **JSON.parse(rule), "tokens" => tokens.to_i,
               "opens_at" => time(opens), "closed_until" => time(closed), "blocked" => blocked}
            end
          end

          def time(text) = text.empty? ? nil : Float(text)
        end
      end
    end
  end
end
