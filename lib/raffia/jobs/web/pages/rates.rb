# frozen_string_literal: true

require_relative "../page"
require_relative "../pager"

module Raffia
  module Jobs
    class Web
      module Pages
        # Rates by key: those with blocked jobs first.
        class Rates < Page
          PAGE = 50
          # Seconds for which a rate is closed that nobody opens: a hundred years.
          EVER = 100 * 365 * 86_400
          # Seconds from now after which a pause counts as one of {EVER}.
          LONG = 365 * 86_400
          private_constant :EVER, :LONG

          def data = store.rates(offset: pager.offset, limit: PAGE)

          def change(action)
            key = required("key")
            case action
            when "pause" then store.close_rate(key, EVER)
            when "resume" then store.close_rate(key, 0)
            else super
            end
            outcome("#{action}d", 1, offset: request["offset"])
          end

          def current?(to) = to == "/blocked"

          private

          def shown
            @shown ||= pager.cut(store.rates(offset: pager.offset, limit: PAGE + 1))
          end

          def pager = @pager ||= Pager.new(self, PAGE)

          # "60 in 60 s".
          def rule(rate)
            return "" unless rate["allow"]

            "#{number(rate["allow"])} in #{span(rate["per"])}" \
              "#{", bursts of #{number(rate["burst"])}" if rate["style"] == "bucket"}"
          end

          def paused?(rate) = rate["closed_until"].to_f > Time.now.to_f + LONG

          def opens(rate)
            return "not before it is resumed" if paused?(rate)

            ago(rate["closed_until"] || rate["opens_at"])
          end
        end
      end
    end
  end
end
