# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Redis keeps no flows yet: a durable function is refused when it is started, and its
        # operations raise {ConfigError}.
        class Flows < Store::Flows
          def self.refuse
            raise ConfigError, "the redis store has no durable functions yet: use a store of " \
              "sqlite: or postgres: for them"
          end

          def load_flow(claim) = Flows.refuse

          def record_step(claim, step, drafts: []) = Flows.refuse

          def await_step(claim, step, seconds, park: true, cancellable: true) = Flows.refuse

          def park_flow(claim, cancellable: true) = Flows.refuse

          def continue_flow(claim, payload) = Flows.refuse

          def stall_flow(claim, message, seconds) = Flows.refuse

          def close_flow(claim, status, result: nil, error: nil) = Flows.refuse

          def signal_flow(id, name, payload, key: nil) = Flows.refuse

          def cancel_flow(id) = Flows.refuse

          def flow(id) = Flows.refuse

          def flow_steps(id) = Flows.refuse

          def flows(status: nil, offset: 0, limit: 50) = Flows.refuse
        end
      end
    end
  end
end
