# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # Dumps and loads errors. An error that Marshal refuses arrives as its description.
      module ErrorCodec
        module_function

        def dump(error) = Executor::ErrorTransport.dump(Executor::Failure.of(error, 0))

        def load(string)
          failure = Executor::ErrorTransport.load(string)
          Pool::ItemFailure.new(failure, nil, nil).error
        rescue => error
          unloadable("the error of the other side", error)
        end

        # Yields the reason of an exit, or its description if it cannot be dumped.
        def with_reason(reason)
          yield reason
        rescue NotDumpable
          yield Cancel.describe(reason)
        end

        def unloadable(subject, error)
          NotDumpable.new("#{subject} cannot be loaded here (#{error.message}): load its class " \
            "here, too")
        end
      end
    end
  end
end
