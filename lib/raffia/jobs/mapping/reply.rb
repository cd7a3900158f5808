# frozen_string_literal: true

module Raffia
  module Jobs
    # A block failed on a worker with an error that cannot be made here.
    class RemoteError < Error
      # @return [String] its class
      attr_reader :name

      def initialize(message = nil, name: nil)
        @name = name
        super("#{name}: #{message}")
      end
    end

    module Mapping
      # The reply to a chunk: a job in a queue that only the caller reads.
      # @api private
      module Reply
        TTL = 3600
        BACKTRACE_LINES = 50
        # Positions of the value and the failure in the arguments of a reply.
        HIDDEN = [1, 2].freeze
        private_constant :HIDDEN

        module_function

        # Read by the caller of this map.
        def queue(call) = "raffia.map.#{call}"

        # The reply to a chunk with hidden items is hidden, too.
        def item(call, number, reply, chunk = {})
          secrets = chunk[Payload::OWN].to_h.slice("encrypt", "redact").transform_values { HIDDEN }
          args = [number, reply.value, reply.failure && failure(reply.failure), reply.seconds]
          Client::PayloadBuilder.check_arguments("the answer to a chunk", args,
            secret: secrets.any?)
          envelope(call, args, secrets)
        rescue BadArguments => error
          envelope(call, [number, nil, error_data(error, 0), reply.seconds], secrets)
        end

        def read(args)
          number, value, failure, seconds = args
          [number, Executor::Reply.new(value, failure && failure_of(failure), seconds)]
        end

        def envelope(call, args, secrets)
          {"class" => "Raffia::Jobs::Mapping::Reply", "queue" => queue(call),
           "retry" => false, "args" => args,
           Payload::OWN => {"expires_at" => Time.now.to_f + TTL, **secrets}}
        end

        def failure(failure)
          return error_data(failure.value, failure.position) if failure.kind == :error

          error_data(RuntimeError.new("#{failure.kind} cannot leave a worker on another machine: " \
            "return a value, or raise"), failure.position)
        end

        def error_data(error, position)
          {"class" => error.class.name,
           "message" => error.message.to_s.dup.force_encoding(Encoding::UTF_8).scrub,
           "position" => position,
           "backtrace" => error.backtrace&.first(BACKTRACE_LINES)}
        end

        def failure_of(hash)
          Executor::Failure.new(:error, hash["position"], error(hash["class"], hash["message"]),
            hash["backtrace"])
        end

        def error(name, message)
          kind = Object.const_get(name)
          made = kind.exception(message) if kind.is_a?(Class) && kind <= StandardError
          (made && made.message == message) ? made : RemoteError.new(message, name: name)
        rescue NameError, ArgumentError, TypeError
          RemoteError.new(message, name: name)
        end
      end
    end
  end
end
