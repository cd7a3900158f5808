# frozen_string_literal: true

require_relative "error_transport/error_record"
require_relative "failure"

module Raffia
  module Executor
    # Dumps failures in a worker elsewhere, and loads them here. An exception that cannot be dumped
    # is rebuilt from the parts that can be ({ErrorRecord}), or else replaced by a description.
    module ErrorTransport
      # Errors that Marshal raises.
      REFUSALS = ErrorRecord::REFUSALS

      class << self
        def dumpable?(value, codec = Marshal)
          codec.dump(value)
          true
        rescue *REFUSALS
          false
        end

        # Like {dumpable?}. An exception that cannot be dumped for its item (of a nested call) drops
        # that.
        def crosses?(error)
          dumpable?(error) || (error.respond_to?(:drop_item) && error.drop_item && dumpable?(error))
        end

        def dump(failure)
          return dump_error(failure) if failure.kind == :error

          Marshal.dump(failure.to_a)
        rescue *REFUSALS => error
          Marshal.dump(refusal(failure.position, what(failure), error, failure.backtrace).to_a)
        end

        def load(string)
          failure = Failure.new(*Marshal.load(string)) # standard:disable Security/MarshalLoad
          failure.value = load_error(*failure.value) if failure.kind == :error
          failure
        rescue *REFUSALS => error
          raise unless failure

          _, record, words = failure.value
          words ||= "the exception #{record&.class_name}"
          refusal(failure.position, words, error, failure.backtrace)
        end

        def refusal(position, what, error, backtrace = nil)
          Failure.new(:undumpable, position, [what, error.message], backtrace)
        end

        private

        # The exception, a record of it in case it cannot be loaded, and a description in case its
        # class is unknown there.
        def dump_error(failure)
          error = failure.value
          dumped = dumped(error)
          record = ErrorRecord.of(error, variables: dumped.nil? || custom?(error))
          # Neither can be had: Marshal says why.
          Marshal.dump(error) unless dumped || record
          Marshal.dump([:error, failure.position, [dumped, record, what(failure)],
            failure.backtrace])
        end

        def dumped(error)
          Marshal.dump(error)
        rescue *REFUSALS
          Marshal.dump(error) if crosses?(error)
        end

        # Whether code of its class loads it, which may raise.
        def custom?(error)
          error.respond_to?(:marshal_load, true) || error.class.respond_to?(:_load)
        end

        def load_error(dumped, record, _words)
          return record.to_error unless dumped

          begin
            Marshal.load(dumped) # standard:disable Security/MarshalLoad
          rescue *REFUSALS
            raise unless record

            record.to_error
          end
        end

        def what(failure)
          case failure.kind
          when :break then "the value of the break"
          when :throw then "the value of the throw"
          else "the exception #{failure.value.class} (#{ErrorRecord.words(failure.value)})"
          end
        end
      end
    end
  end
end
