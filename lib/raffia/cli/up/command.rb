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

        def beside(server) = Beside.new(@asked, server.log, method(:attempt), alone: server.options.workers.zero?)
      end
    end
  end
end
