# frozen_string_literal: true

require "json"

module Raffia
  module CLI
    module Work
      # What load balancers and people ask, in a thread of the process that answers for the workers:
      #
      # * /health: 200 while a worker works, else 503
      # * /ready: 200 when all do
      # * /stats.json: the processes
      #
      # @api private
      class Health
        TEXT = {"content-type" => "text/plain; charset=utf-8", "cache-control" => "no-store"}.freeze
        JSON_TYPE = {"content-type" => "application/json", "cache-control" => "no-store"}.freeze
        private_constant :TEXT, :JSON_TYPE

        # @param runner [#status]
        # @param address [String]
        # @param log [Logger]
        # @return [Server::Handle]
        # @raise [Server::CannotListen]
        def self.start(runner, address, log)
          require_relative "../../server"
          handle = Server.start(new(runner), bind: address, logger: log, max_connections: 16, drain_timeout: 1)
          # In workers it would go on listening when this process has ended.
          Fork.after_child { handle.listeners.each { |listener| listener.socket.close } }
          handle
        end

        # @param runner [#status]
        def initialize(runner) = @runner = runner

        # @return [Array] a Rack response
        def call(env)
          status = @runner.status
          case env["PATH_INFO"]
          when "/health" then tell(status, status[:ready].positive?)
          when "/ready" then tell(status, status[:ready] == status[:workers])
          when "/stats.json" then [200, JSON_TYPE.dup, ["#{::JSON.pretty_generate(status)}\n"]]
          else [404, TEXT.dup, ["/health /ready /stats.json\n"]]
          end
        end

        private

        def tell(status, good)
          good &&= status[:state].to_sym == :running
          [good ? 200 : 503, TEXT.dup, ["#{status[:state]}: #{status[:ready]} of #{status[:workers]} workers ready\n"]]
        end
      end
    end
  end
end
