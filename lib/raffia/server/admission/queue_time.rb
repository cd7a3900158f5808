# frozen_string_literal: true

module Raffia
  class Server
    class Admission
      # Reads the time that a request has waited, and the time its client will wait, from headers.
      #
      # @api private
      module QueueTime
        # Seconds that a proxy's clock may be ahead of ours.
        SKEW = 1.0
        # Seconds. More is a wrong unit, or a clock that was never set.
        MAX_AGO = 3600.0
        # Divisor by magnitude; each is valid for dates from 1973 to 5138.
        UNITS = {1e11 => 1.0, 1e14 => 1e3, 1e17 => 1e6, 1e20 => 1e9}.freeze
        private_constant :SKEW, :MAX_AGO, :UNITS

        module_function

        # Seconds since a proxy took the request, by X-Request-Start: seconds (nginx's msec),
        # milliseconds (Heroku), microseconds (haproxy, Apache) or nanoseconds, with "t=" or
        # without. Nil when the header is absent or implausible.
        def ago(header, now = Time.now.to_f)
          number = header&.slice(/\A(?:t=)?(\d{1,20}(?:\.\d{1,9})?)\z/, 1)&.to_f or return
          bound, unit = UNITS.find { |limit, _| number < limit }
          return unless bound

          ago = now - number / unit
          ago.clamp(0.0, MAX_AGO) if ago > -SKEW && ago < MAX_AGO
        end

        # Seconds that the client waits, by Request-Timeout; nil when absent or invalid.
        def client_timeout(header)
          header&.slice(/\A\d{1,9}(?:\.\d{1,9})?\z/)&.to_f
        end
      end
    end
  end
end
