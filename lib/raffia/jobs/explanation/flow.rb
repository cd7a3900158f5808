# frozen_string_literal: true

module Raffia
  module Jobs
    class Explanation
      # Why a durable function does not go on.
      # @api private
      class Flow
        # Waits that are listed, at most.
        MOST = 10
        private_constant :MOST

        def initialize(store, entry, now)
          @store = store
          @id = entry.jid
          @at = entry.at
          @now = now
        end

        # Nil for a job that is no durable function, or that waits for its start.
        def reasons
          flow = @store.flow(@id) or return
          case flow["status"]
          when "stuck" then [stuck(flow["error"])]
          when "waiting"
            waits = @store.flow_steps(@id).select(&:pending?).first(MOST)
            waits.map { |step| wait(step) } unless waits.empty?
          end
        end

        private

        def stuck(error)
          seconds = seconds_until(@at)
          reason("stuck", "its code does not fit its recorded steps: #{error}. It is tried again " \
            "in #{seconds} s", due_in: seconds)
        end

        def wait(step)
          seconds = seconds_until(step.at) if step.at < Store::Flows::NEVER
          child = step.signal&.[](/\Achild:(.+)/m, 1)
          if child
            reason("child", "it waits for the end of the durable function #{child}", child: child)
          elsif step.signal
            reason("signal", "it waits for the signal #{step.signal}#{", for #{seconds} s more" if
              seconds}", signal: step.signal, due_in: seconds)
          else
            reason("sleeping", "it sleeps for #{seconds} s more", due_in: seconds)
          end
        end

        def seconds_until(time) = [(time - @now).ceil, 0].max

        def reason(name, message, **data)
          {"reason" => name, "message" => message, **data.transform_keys(&:to_s).compact}
        end
      end
    end
  end
end
