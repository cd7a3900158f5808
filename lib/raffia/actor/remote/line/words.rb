# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      class Line
        # Errors on their way: what Marshal refuses arrives as words about it.
        #
        # @api private
        module Words
          # An error that is to be told. It is dumped where refs can be.
          Told = Struct.new(:error) do
            # @return [String]
            def dump = Executor::ErrorTransport.dump(Executor::Failure.of(error, 0))
          end

          class << self
            # @param error [Exception]
            # @return [Told]
            def of(error) = Told.new(error)

            # @param string [String]
            # @return [Exception]
            def read(string)
              failure = Executor::ErrorTransport.load(string)
              Pool::ItemFailure.new(failure, nil, nil).error
            rescue => error
              NotDumpable.new("the error of the other side cannot be loaded here " \
                "(#{error.message}): load its class here, too")
            end

            # What somebody ended by need not be anything that can go elsewhere.
            # @yieldparam reason [Object] or words about it
            def for_reason(reason)
              yield reason
            rescue NotDumpable
              yield Cancel.describe(reason)
            end

            # @return [NotDumpable]
            def undumpable(error)
              NotDumpable.new("this cannot go to where the actor is (#{error.message}): hand in " \
              "and return plain data (numbers, strings, " \
                "arrays, hashes, structs) and refs, or spawn on: :threads")
            end

            # @return [NotDumpable]
            def unloadable(error)
              NotDumpable.new("what came from the other side cannot be loaded here " \
                "(#{error.message}): load its class here, too")
            end
          end
        end
      end
    end
  end
end
