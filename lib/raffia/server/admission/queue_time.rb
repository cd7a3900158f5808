# frozen_string_literal: true

module Raffia
  class Server
    class Admission
      # What proxies and clients say about the time of a request.
      #
      # @api private
      module QueueTime
        # How far the clock of a front may run ahead of ours, in seconds, before what it says is not
        # believed.
        SKEW = 1.0
        # Longer ago than any client waits: a wrong unit, or a clock that was never set.
        AGO = 3600.0
        # The units that are in use, told apart by size: each is good for dates from 1973 to 5138.
        UNITS = {1e11 => 1.0, 1e14 => 1e3, 1e17 => 1e6, 1e20 => 1e9}.freeze
        private_constant :SKEW, :AGO, :UNITS

        module_function

        # How long ago the front took the request, by its X-Request-Start header: "t=1761000000.123"
        # (nginx's msec), milliseconds (Heroku), microseconds (haproxy, Apache) or nanoseconds, with
        # "t=" or without.
        # @param header [String, nil]
        # @param now [Float] seconds since 1970
        # @return [Float, nil] seconds; nil when it says nothing that can be believed
        def ago(header, now = Time.now.to_f)
          number = header&.slice(/\A(?:t=)?(\d{1,20}(?:\.\d{1,9})?)\z/, 1)&.to_f or return
          bound, unit = UNITS.find { |most, _| number < most }
          return unless bound

          ago = now - number / unit
          ago.clamp(0.0, AGO) if ago > -SKEW && ago < AGO
        end

        # How long the client is going to wait, by its Request-Timeout header.
        # @param header [String, nil] seconds
        # @return [Float, nil] seconds; nil when it says nothing that can be understood
        def patience(header)
          header&.slice(/\A\d{1,9}(?:\.\d{1,9})?\z/)&.to_f
        end
      end
    end
  end
end
