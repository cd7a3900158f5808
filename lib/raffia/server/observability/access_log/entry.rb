# frozen_string_literal: true

module Raffia
  class Server
    module Observability
      class AccessLog
        ZEROS = Array.new(7) { |size| "0.#{"0" * (6 - size)}".freeze }.freeze
        private_constant :ZEROS

        # Logged data of a request, in microseconds and bytes. A negative `queued` is not known.
        #
        # @api private
        Entry = ::Struct.new(:env, :id, :status, :sent, :duration, :queued) do
          def target
            return env["REQUEST_URI"] if env["REQUEST_URI"]

            query = env["QUERY_STRING"].to_s
            "#{env["SCRIPT_NAME"]}#{env["PATH_INFO"]}#{"?#{query}" unless query.empty?}"
          end

          def duration_text = seconds(duration)

          # Nil when not known.
          def queued_text = queued.negative? ? nil : seconds(queued)

          private

          # Six decimals, without a Float.
          def seconds(microseconds)
            digits = microseconds.to_s
            size = digits.size
            return "#{ZEROS[size]}#{digits}" if size <= 6

            "#{digits[0, size - 6]}.#{digits[-6, 6]}"
          end
        end
      end
    end
  end
end
