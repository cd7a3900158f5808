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

        # Its JSON. Raises {BadResult}.
        def dump(value, job)
          json = JSON.generate(value)
          unless JSON.parse(json) == value
            refuse(job, "JSON would not give it back: use strings, numbers, true, false, nil, " \
              "arrays, and hashes with strings as keys")
          end
          return json if json.bytesize <= Store::Workflows::RESULT

          refuse(job, "it has #{json.bytesize} bytes, the limit is #{Store::Workflows::RESULT}: " \
            "keep the data elsewhere, and return its id")
        rescue JSON::JSONError, EncodingError => error
          refuse(job, error.message[0, 200])
        end

        def refuse(job, why)
          raise BadResult, "the result of #{job.class} cannot be kept: #{why}"
        end
      end
    end
  end
end
