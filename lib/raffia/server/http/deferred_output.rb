# frozen_string_literal: true

require_relative "output"

module Raffia
  class Server
    module HTTP
      # An output that leaves files to be sent by the connection's fiber: the thread that has the
      # response does not wait for the client.
      #
      # @api private
      class DeferredOutput < Output
        # Sends what was left.
        # @return [void]
        # @raise [Disconnected, BadResponse]
        def complete
          return unless @file

          send_range(@file, @from, @size)
          @wire.finish
        end

        # Nothing is left any more.
        # @return [void]
        def drop
          @file&.close
          @file = nil
        end

        private

        def send_part(status, headers, body)
          return @wire.finish unless @wire.begin(status, headers, body.size)

          defer(body.file.dup, body.from, body.size)
        end

        def send_file(status, headers, file)
          size = file.size
          return defer(file, 0, size) if @wire.begin(status, headers, size)

          @wire.finish
          file.close
        rescue
          file.close
          raise
        end

        def defer(file, from, size)
          @file = file
          @from = from
          @size = size
        end
      end
    end
  end
end
