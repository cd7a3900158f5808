# frozen_string_literal: true

require_relative "../../durable/value_cipher"
require_relative "../flow_presenter"
require_relative "../page"
require_relative "../pager"

module Raffia
  module Jobs
    class Web
      module Pages
        # Durable functions, newest first.
        class Functions < Page
          PAGE = 50
          STATUSES = ["pending", "running", "waiting", "stuck", *Store::Flows::ENDED].freeze

          def data = shown.map(&:data)

          private

          def status_shown = (request["status"] if STATUSES.include?(request["status"]))

          def shown
            @shown ||= pager.cut(store.flows(status: status_shown, offset: pager.offset,
              limit: PAGE + 1)).map { |flow| FlowPresenter.new(flow) }
          end

          def pager = @pager ||= Pager.new(self, PAGE, status: status_shown)
        end

        # One durable function: its state, and the history of its steps.
        class Function < Page
          # Steps in the table, at most: the last ones.
          STEPS = 500

          def title = "Function #{function.name}"

          def data = {**function.data, "history" => function.steps.map(&:to_h)}

          def change(action)
            return super if action != "cancel"

            id = required("id")
            outcome(store.cancel_flow(id) ? "stopping" : "unchanged", nil, id: id)
          end

          def current?(to) = to == "/functions"

          private

          def function
            @function ||= begin
              flow = store.flow(required("id")) ||
                raise(NotFound.new("There is no durable function #{request["id"]}: it was never " \
                  "started here, or was thrown away since it ended.", name: request["id"]))
              FlowPresenter.new(flow, store.flow_steps(flow["id"]))
            end
          end
        end
      end
    end
  end
end
