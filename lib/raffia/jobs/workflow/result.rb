# frozen_string_literal: true

module Raffia
  module Jobs
    # A result of a job that cannot be kept: no JSON, or too large.
    class BadResult < Error
    end

    module Workflow
      # Writes results of steps.
      # @api private
      module Result
        module_function

        # Its JSON, encrypted when the job is a step whose arguments are. Raises {BadResult}.
        def dump(value, job, item)
          json = JSON.generate(value)
          unless JSON.parse(json) == value
            refuse(job, "JSON would not give it back: use strings, numbers, true, false, nil, " \
              "arrays, and hashes with strings as keys")
          end
          check(sealed?(item) ? seal(value, item) : json, job)
        rescue JSON::JSONError, EncodingError => error
          refuse(job, error.message[0, 200])
        end

        def sealed?(item)
          which = item&.dig(Payload::OWN, "encrypt")
          which && which != [] && Encryption.workflow_of(item)
        end

        def seal(value, item)
          place = item[Payload::OWN]["workflow"].values_at("id", "node")
          JSON.generate(Encryption::WorkflowValue.seal_result(value, *place))
        end

        # Returns the JSON. Raises {BadResult}.
        def check(json, job)
          return json if json.bytesize <= Store::Workflows::RESULT

          refuse(job, "it has #{json.bytesize} bytes, the limit is #{Store::Workflows::RESULT}: " \
            "keep the data elsewhere, and return its id")
        end

        def refuse(job, why)
          raise BadResult, "the result of #{job.class} cannot be kept: #{why}"
        end
      end
    end
  end
end
