# frozen_string_literal: true

module Raffia
  class Server
    module HTTP
      # The part of a {Stream} that an application reaches before it has answered. Raises
      # {ThreadHandoff::Abandoned} on a thread whose request was answered without it.
      #
      # @api private
      class GuardedStream
        def initialize(stream, handoff)
          @stream = stream
          @handoff = handoff
        end

        def hijack = @handoff.exclusive { @stream.hijack }

        def send_interim(...) = @handoff.exclusive { @stream.send_interim(...) }
      end
    end
  end
end
