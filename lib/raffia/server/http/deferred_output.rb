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

        # Keeps a descriptor of its own, because the body is closed before the file is sent.
        def send_file_body(status, headers, body)
          return @stream.finish unless @stream.begin(status, headers, body.size)

          @file = body.file.dup
          @from = body.from
          @size = body.size
        end
      end
    end
  end
end
