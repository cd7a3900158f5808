# frozen_string_literal: true

module Raffia
  class Server
    class Admission
      # Reads from headers how long a request has waited, and how long its client will.
      #
      # @api private
      module QueueTime
        # Seconds that a proxy's clock may be ahead of ours. Beyond that it is not believed.
        SKEW = 1.0
        # Seconds. No client waits longer: it is a wrong unit, or a clock that was never set.
        MAX_AGO = 3600.0
        # Units in use, by the size of the number; each is good for dates from 1973 to 5138.
        UNITS = {1e11 => 1.0, 1e14 => 1e3, 1e17 => 1e6, 1e20 => 1e9}.freeze
        private_constant :SKEW, :MAX_AGO, :UNITS

        module_function

        # How long ago a proxy took the request, by its X-Request-Start header: "t=1761000000.123"
        # (nginx's msec), milliseconds (Heroku), microseconds (haproxy, Apache) or nanoseconds, with
        # "t=" or without.
        # @param now [Float] seconds since 1970
        # @return [Float, nil] seconds; nil when the header cannot be believed
        def ago(header, now = Time.now.to_f)
          number = header&.slice(/\A(?:t=)?(\d{1,20}(?:\.\d{1,9})?)\z/, 1)&.to_f or return
          bound, unit = UNITS.find { |limit, _| number < limit }
          return unless bound

          ago = now - number / unit
          ago.clamp(0.0, MAX_AGO) if ago > -SKEW && ago < MAX_AGO
        end

        # How long the client waits, by its Request-Timeout header.
        # @param header [String, nil] seconds
        # @return [Float, nil] seconds; nil when the header is not understood
        def client_timeout(header)
          header&.slice(/\A\d{1,9}(?:\.\d{1,9})?\z/)&.to_f
        end
      end
    end
  end
end
