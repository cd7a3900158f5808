# frozen_string_literal: true

require_relative "../../../raffia"

module Raffia
  module Lab
    class Service
      # A helper process that keeps a resource for the run, such as a database server or a file, and
      # takes the same commands as a {Service}.
      class ResourceServer < Service
        # It ends with its input, which ends with the lab. A SIGTERM could interrupt the cleanup.
        def run = Signals.with(TERM: proc {}) { Raffia.run { |scope| serve(scope) } }

        private

        def serve(scope)
          say(**@peer.open(scope))
          nil while command(@input.gets&.chomp)
        ensure
          @peer.close
          scope.cancel
        end
      end
    end
  end
end
