# frozen_string_literal: true

require_relative "worker"

module Raffia
  class Server
    # Builds the worker of a process: one {Worker}, or a {Ractors::WorkerGroup}.
    #
    # @api private
    module WorkerFactory
      # `listeners`: one list for each Ractor, or a single list.
      def self.build(app, listeners, options:, **others)
        unless options.ractors?
          return Worker.new(app, listeners: listeners.first, options:, **others)
        end

        require_relative "ractors/worker_group"
        Ractors::WorkerGroup.new(app, listeners:, options:, **others)
      end
    end
  end
end
