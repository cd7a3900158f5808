# frozen_string_literal: true

require_relative "../serve/command"
require_relative "beside"

module Raffia
  module CLI
    module Up
      # One call of `raffia up`.
      #
      # @api private
      class Command < Serve::Command
        private

        # The jobs too, as in a worker: after the application.
        def check(said)
          jobs = Beside.new(@asked, nil, method(:attempt),
            alone: Server::Options.build(said).workers.zero?)
          super.tap { jobs.load }
        end

        def beside(server)
          Beside.new(@asked, server.log, method(:attempt), alone: server.options.workers.zero?)
        end
      end
    end
  end
end
