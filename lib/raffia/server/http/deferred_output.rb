# frozen_string_literal: true

require_relative "output"

module Raffia
  class Server
    module HTTP
      # Leaves files to the connection's fiber, so that a thread does not wait for the client.
      #
      # @api private
      class DeferredOutput < Output
        def complete
          return unless @file

          @stream.send_file(@file, @from, @size)
          @stream.finish
        end

        def discard
          @file&.close
          @file = nil
        end

        private

        def send_file_body(status, headers, body)
          return @stream.finish unless @stream.begin(status, headers, body.size)

          defer(body.file.dup, body.from, body.size)
        end

        def send_file(status, headers, file)
          size = file.size
          return defer(file, 0, size) if @stream.begin(status, headers, size)

          @stream.finish
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
