# frozen_string_literal: true

require_relative "error_transport"
require_relative "failure"
require_relative "reply"

module Raffia
  module Executor
    # Dumps replies in a worker elsewhere, and loads them in its loop.
    module ReplyTransport
      class << self
        # Never fails: what cannot be dumped becomes a failure. `trial` says what the codec would
        # refuse, and sends nothing.
        def dump(reply, codec = Marshal, trial: codec)
          failure = reply.failure && ErrorTransport.dump(reply.failure)
          codec.dump([with_dumps(reply.value), failure, reply.seconds])
        rescue *ErrorTransport::REFUSALS => error
          codec.dump([*without(reply.value, error, trial), reply.seconds])
        end

        def load(frame, codec = Marshal)
          value, failure, seconds = codec.load(frame)
          if Reply::Outcomes === value
            value.failures&.transform_values! { |dump| ErrorTransport.load(dump) }
          end
          Reply.new(value, failure && ErrorTransport.load(failure), seconds)
        rescue ArgumentError, TypeError, NameError => error
          raise yield(error)
        end

        private

        # Failures of single calls travel by themselves, as that of a message does.
        def with_dumps(value)
          return value unless Reply::Outcomes === value && value.failures

          dumps = value.failures.transform_values { |failure| ErrorTransport.dump(failure) }
          Reply::Outcomes.new(value.values, dumps)
        end

        # A value and a failure, in place of a value that cannot be dumped.
        def without(value, error, trial)
          return [each_without(value, trial), nil] if Reply::Outcomes === value

          [nil, refusal(culprit(value, trial), error)]
        end

        # The outcomes, with failures in place of those that cannot be dumped.
        def each_without(outcomes, trial)
          failures = with_dumps(outcomes).failures || {}
          values = outcomes.values.each_with_index.map do |value, position|
            trial.dump(value)
            value
          rescue *ErrorTransport::REFUSALS => error
            failures[position] = refusal(position, error)
            nil
          end
          Reply::Outcomes.new(values, failures)
        end

        def refusal(position, error)
          ErrorTransport.dump(ErrorTransport.refusal(position, "the result", error))
        end

        def culprit(values, trial)
          return 0 unless Array === values

          values.index { |value| !ErrorTransport.dumpable?(value, trial) } || 0
        end
      end
    end
  end
end
