# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # Dumps and loads errors. An error that Marshal refuses arrives as its description.
      module ErrorCodec
        # An error to be sent. It is dumped by the connection, which knows refs.
        SentError = Struct.new(:error) do
          def dump = Executor::ErrorTransport.dump(Executor::Failure.of(error, 0))
        end

        class << self
          def of(error) = SentError.new(error)

          def read(string)
            failure = Executor::ErrorTransport.load(string)
            Pool::ItemFailure.new(failure, nil, nil).error
          rescue => error
            NotDumpable.new("the error of the other side cannot be loaded here " \
              "(#{error.message}): load its class here, too")
          end

          # Yields the reason of an exit, or its description if it cannot be dumped.
          def with_reason(reason)
            yield reason
          rescue NotDumpable
            yield Cancel.describe(reason)
          end

          def undumpable(error)
            NotDumpable.new("this cannot go to where the actor is (#{error.message}): hand in " \
              "and return plain data (numbers, strings, arrays, hashes, structs) and refs, or " \
              "spawn on: :threads")
          end

          def unloadable(error)
            NotDumpable.new("what came from the other side cannot be loaded here " \
              "(#{error.message}): load its class here, too")
          end
        end
      end
    end
  end
end
