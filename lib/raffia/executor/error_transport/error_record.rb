# frozen_string_literal: true

module Raffia
  module Executor
    module ErrorTransport
      # An exception as plain data, for those that Marshal refuses: one of ActiveRecord holds its
      # connection pool, a NoMethodError its receiver. Instance variables that cannot be dumped
      # become nil.
      #
      # class_name:: by which the class is found again
      # fact:: a name or key, which Ruby keeps outside of the instance variables
      # variables:: Hash of names to dumps
      # cause:: ErrorRecord, nil
      ErrorRecord = Struct.new(:class_name, :message, :fact, :variables, :cause, :backtrace)

      class ErrorRecord
        # The most bytes of a variable, and the most causes.
        LONGEST = 1_048_576
        DEEPEST = 16
        # Errors that Marshal raises, of the value's own methods, and for too deep or too large a
        # value.
        REFUSALS = [StandardError, SystemStackError, ScriptError, NoMemoryError].freeze

        # Fixes the message of an exception that would make it of variables which it has lost.
        module FixedMessage
          def message = @raffia_message
          alias_method :to_s, :message
        end

        class << self
          # nil when its class cannot be found again by its name.
          def of(error, variables: true, depth: DEEPEST)
            name = error.class.name
            return unless name && ::Object.const_get(name).equal?(error.class)

            record = new(name, message_of(error), nil, {}, nil, backtrace(error))
            record.keep(error, depth) if variables
            record
          rescue NameError
            nil
          end

          # The message, which is the user's code and may raise.
          def words(error)
            String.new(error.message.to_s)
          rescue => worse
            "whose message raises #{worse.class}"
          end

          private

          def message_of(error)
            String.new(error.message.to_s)
          rescue
            "#{error.class} (#{words(error)})"
          end

          def backtrace(error)
            error.backtrace&.map(&:to_s)
          rescue => worse
            worse.backtrace
          end
        end

        def keep(error, depth)
          self.fact = fact_of(error)
          error.instance_variables.each do |name|
            dump = dump_of(error.instance_variable_get(name))
            variables[name] = dump if dump
          end
          if error.cause && depth.positive?
            self.cause = ErrorRecord.of(error.cause, depth: depth - 1)
          end
        end

        # Made without its class's own `initialize`. Raises NameError, TypeError when there is no
        # such class of exceptions here.
        def to_error
          klass = ::Object.const_get(class_name)
          unless klass.is_a?(::Class) && klass <= ::Exception
            raise TypeError, "#{class_name} is no class of exceptions here"
          end

          error = klass.allocate
          begin_with_core(error)
          restore_variables(error)
          fix_message(error)
          error = caused(error) if cause
          error.set_backtrace(backtrace) if backtrace
          error
        end

        private

        def dump_of(value)
          dump = Marshal.dump(value)
          dump if dump.bytesize <= LONGEST
        rescue *REFUSALS
          nil
        end

        def fact_of(error)
          case error
          when ::NameError then error.name
          when ::KeyError then dump_of(error.key)
          end
        rescue ArgumentError
          nil # a KeyError without a key
        end

        # Runs the initialize of Ruby's own classes, without that of subclasses.
        def begin_with_core(error)
          case error
          when ::NameError
            ::NameError.instance_method(:initialize).bind_call(error, message, fact)
          when ::KeyError
            ::KeyError.instance_method(:initialize).bind_call(error, message, **key)
          when ::SystemCallError
            ::SystemCallError.instance_method(:initialize).bind_call(error, message)
          else ::Exception.instance_method(:initialize).bind_call(error, message)
          end
        end

        def key = fact ? {key: Marshal.load(fact)} : {} # standard:disable Security/MarshalLoad

        def restore_variables(error)
          variables.each do |name, dump|
            value = Marshal.load(dump) # standard:disable Security/MarshalLoad
            error.instance_variable_set(name, value)
          rescue *REFUSALS
            next # its class is not known here
          end
        end

        def fix_message(error)
          return if message_of(error) == message

          error.instance_variable_set(:@raffia_message, message)
          error.extend(FixedMessage)
        end

        def message_of(error)
          error.message
        rescue *REFUSALS
          nil
        end

        # Ruby has no other way to set an exception's cause.
        def caused(error)
          raise error, cause: cause.to_error
        rescue ::Exception => raised # standard:disable Lint/RescueException
          raise unless raised.equal?(error)

          error
        end
      end
    end
  end
end
