# frozen_string_literal: true

require_relative "value_cipher"

module Raffia
  module Jobs
    module Durable
      # Operations on durable functions from outside: module functions of {Durable}.
      module Control
        # Seconds between two looks for a result.
        INTERVAL = 0.1

        # Sends a signal, for {Durable#wait_for}. It is stored until the function takes it.
        # @param id [String]
        # @param name [Symbol, String]
        # @param payload [Object] a JSON value
        # @param key [String, nil] a second signal with the same name and key is ignored
        # @return [Boolean] whether it is new
        # @raise [UnknownFlow] when there is no such function, or it has ended
        # @raise [BadArguments] for a payload that JSON would change
        # @raise [ConfigError] without the keys of a function with encrypted arguments
        def signal(id, name, payload = nil, key: nil)
          Client::PayloadBuilder.check_arguments("signal #{name}", [payload])
          value = ValueCipher.of(flow(id)).seal(JSON.generate(payload), "signal #{name}")
          sent = Jobs.store.signal_flow(id, name.to_s, value, key: key)
          return sent unless sent.nil?

          raise UnknownFlow, "there is no durable function #{id}, or it has ended"
        end

        # Ends a function at its next step, which raises {Cancelled}; its children, too.
        # @return [Boolean] false when there is no such function, or it has ended
        def cancel(id) = Jobs.store.cancel_flow(id)

        # @return [String] "pending", "running", "waiting", "stuck", "done", "failed", "cancelled"
        # @raise [UnknownFlow]
        def status(id) = flow(id)["status"]

        # @return [Object, nil] what the function has published last, see {Durable#publish}
        # @raise [UnknownFlow]
        def query(id)
          flow = self.flow(id)
          state = flow["state"] or return
          JSON.parse(ValueCipher.of(flow).unseal(state, "state")).first
        end

        # @param timeout [Numeric] seconds to wait for the end
        # @return [Object] what `call` returned
        # @raise [UnknownKey] when it is encrypted, and its key is not here
        # @raise [NotEnded]
        # @raise [FlowFailed] when it failed, or was cancelled
        # @raise [UnknownFlow]
        def result(id, timeout: 0)
          deadline = Clock.now + timeout
          flow = self.flow(id)
          until Store::Flows::ENDED.include?(flow["status"])
            if Clock.now >= deadline
              raise NotEnded, "durable function #{id} (#{flow["class"]}) is #{flow["status"]}"
            end

            Kernel.sleep(INTERVAL)
            flow = self.flow(id)
          end
          cipher = ValueCipher.of(flow)
          if flow["status"] == "done"
            return JSON.parse("[#{cipher.unseal(flow["result"] || "null", "result")}]").first
          end

          raise FlowFailed.new("durable function #{id} (#{flow["class"]}) has #{flow["status"]}: " \
            "#{cipher.reveal_error(flow["error"])}", status: flow["status"])
        end

        # @return [Hash] see {Store::Flows#flow}
        # @raise [UnknownFlow]
        def flow(id)
          Jobs.store.flow(id) ||
            raise(UnknownFlow, "there is no durable function #{id}: it was never started in " \
              "#{Jobs.store.url}, or was pruned after its end")
        end
      end
    end
  end
end
