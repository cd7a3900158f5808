# frozen_string_literal: true

require_relative "body_stream"

module Raffia
  class Server
    module HTTP
      # A body stream on a connection that has other requests, so there is no socket to wait for.
      #
      # @api private
      class MultiplexedBodyStream < BodyStream
        undef_method :to_io
      end
    end
  end
end
