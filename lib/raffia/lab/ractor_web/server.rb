# frozen_string_literal: true

require "logger" # before there are Ractors
require_relative "../../server"
require_relative "application"

module Raffia
  module Lab
    class RactorWeb < HttpCores
      # A worker of `raffia serve`, in a process or in a Ractor.
      class Server
        BIND = ::Raffia::Server::Listen::Bind.parse("tcp://127.0.0.1:0")
        OPTIONS = ::Raffia::Server::Options.build({processes: 0})

        # Like {Http::Server#serve}.
        def serve(listener)
          counters = ::Raffia::Server::Observability::Metrics::Counters.alone
          worker = ::Raffia::Server::Worker.new(Application,
            listeners: [::Raffia::Server::Listen::Listener.new(listener, BIND)], options: OPTIONS,
            counters: counters)
          Raffia.run do |scope|
            scope.spawn do
              yield
              worker.stop(:now)
            end
            worker.run
          end
          totals = ::Raffia::Server::Observability::Metrics::Totals.new(counters.memory, [])
          {served: totals.requests, connections: totals.counted(:accepted)}
        end
      end
    end
  end
end
