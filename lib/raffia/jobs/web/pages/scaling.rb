# frozen_string_literal: true

require_relative "../page"

module Raffia
  module Jobs
    class Web
      module Pages
        # The signal for autoscalers: JSON for programs, and a table for people.
        class Scaling < Page
          # Parameters, see {Autoscaling#initialize}.
          NUMBERS = %w[target slots min max].freeze
          private_constant :NUMBERS

          def data = @data ||= web.state.autoscaling(**settings).to_h

          # The layout counts jobs of all sets; this page does too.
          def current?(to) = to == "/metrics"

          private

          def settings
            given = NUMBERS.select { |name| request[name] }
              .to_h { |name| [name.to_sym, request.number(name)] }
            queues = request.list("queue")
            queues.empty? ? given : {**given, queues: queues}
          end
        end
      end
    end
  end
end
