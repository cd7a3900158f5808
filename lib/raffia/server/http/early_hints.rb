# frozen_string_literal: true

module Raffia
  class Server
    module HTTP
      # `rack.early_hints`: tells the client in a 103 response what to fetch in the meantime.
      #
      # @api private
      class EarlyHints
        # A new one, like {Hijack.of}. `hijack` expires with the request.
        def self.of(stream, hijack) = Native.allocate(self).open(stream, hijack)

        # Returns itself.
        def open(stream, hijack)
          @stream = stream
          @hijack = hijack
          self
        end

        def call(headers)
          @stream.send_interim(103, headers) unless @hijack.expired?
          nil
        end
      end
    end
  end
end
