# frozen_string_literal: true

require_relative "error"

module Raffia
  module Jobs
    module Durable
      # End of a step, as JSON: its value in an Array, or an error in an object.
      # @api private
      module Outcome
        module_function

        # Raises {BadResult}.
        def dump(value, name)
          Client::PayloadBuilder.check_arguments(name, [value])
          JSON.generate([value])
        rescue BadArguments => error
          raise BadResult, error.message.sub(/\Aargument 1 of/, "the result of")
        end

        def dump_error(error)
          message = Worker::RetryPolicy.message(error)
          JSON.generate({"error" => error.class.name, "message" => message})
        end

        # Raises {StepFailed} when it is an error.
        def load(json, name)
          outcome = JSON.parse(json)
          return outcome.first if outcome.is_a?(Array)

          raise StepFailed.new("step #{name} failed: #{outcome["message"]} (#{outcome["error"]})",
            error_class: outcome["error"])
        end
      end
    end
  end
end
