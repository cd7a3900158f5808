# frozen_string_literal: true

require_relative "../base/error"
require_relative "failure_dump"

module Raffia
  class Pool
    # Replies on their way out of a worker process or Ractor, as strings.
    #
    # @api private
    module ReplyDump
      class << self
        # In the worker. Never fails: what cannot be dumped becomes a failure that says so.
        # @param reply [Reply]
        # @param codec [#dump] as Marshal
        # @param trial [#dump] says what codec would refuse, and sends nothing anywhere
        # @return [String]
        def dump(reply, codec = Marshal, trial: codec)
          codec.dump([with_dumps(reply.value), reply.failure && FailureDump.dump(reply.failure),
            reply.seconds])
        rescue *FailureDump::REFUSALS => error
          codec.dump([*without(reply.value, error, trial), reply.seconds])
        end

        # In the driver.
        # @param frame [String]
        # @param chunk [Chunk]
        # @param codec [#load] as Marshal
        # @return [Reply]
        # @raise [NotDumpable] when it has a class that is not known here
        def load(frame, chunk, codec = Marshal)
          value, failure, seconds = codec.load(frame)
          value.failures&.transform_values! { |dump| FailureDump.load(dump) } if Settled === value
          Reply.new(value, failure && FailureDump.load(failure), seconds)
        rescue ArgumentError, TypeError, NameError => error
          raise NotDumpable.new("the result of items #{chunk.first} to " \
          "#{chunk.first + chunk.size - 1} cannot be loaded here " \
            "(#{error.message}): load its class before the call, or return plain data",
            item: chunk.at(chunk.first), index: chunk.first)
        end

        private

        # Failures of single items travel by themselves, as that of a chunk does.
        def with_dumps(value)
          return value unless Settled === value && value.failures

          Settled.new(value.values, value.failures
            .transform_values { |failure| FailureDump.dump(failure) })
        end

        # What is left to say when a value cannot be dumped: a value and a failure.
        def without(value, error, trial)
          return [each_without(value, trial), nil] if Settled === value

          [nil, FailureDump.dump(FailureDump.refusal(culprit(value, trial), "the result", error))]
        end

        # The outcomes, with failures in place of those that cannot be dumped.
        def each_without(settled, trial)
          failures = with_dumps(settled).failures || {}
          values = settled.values.each_with_index.map do |value, position|
            trial.dump(value)
            value
          rescue *FailureDump::REFUSALS => error
            failures[position] = FailureDump.dump(FailureDump.refusal(position, "the result",
              error))
            nil
          end
          Settled.new(values, failures)
        end

        # Which of the results cannot be dumped.
        def culprit(values, trial)
          return 0 unless Array === values

          values.index { |value| !FailureDump.dumpable?(value, trial) } || 0
        end
      end
    end
  end
end
