# frozen_string_literal: true

module Raffia
  class Server
    module Observability
      # Serves a small application beside the workers, such as {Service::Health}, in a thread.
      #
      # @api private
      module Admin
        OPTIONS = {processes: 0, max_connections: 64, idle_timeout: 10, head_timeout: 5,
                   body_timeout: 5, write_timeout: 5, drain_timeout: 1, request_timeout: 10,
                   metrics: nil, access_log: nil, max_body: 1}.freeze
        private_constant :OPTIONS

        # A service for a {Handle}, which listens already. `given`: sockets of an earlier server.
        # Raises CannotListen.
        def self.prepare(app, address, log, given: Listen::SocketSet.new)
          options = Options.build({bind: address, **OPTIONS})
          listening = Listen::Listeners.new(options, given: given, scope: "metrics")
          # Child processes would keep the port open after this one has ended.
          Fork.after_child { listening.first.each { |listener| listener.socket.close } }
          SingleProcess.new(Application.of(app, trusted: true), listening, options,
            hooks: Hooks.new, log: log)
        end

        # Returns a {Handle}. Raises CannotListen.
        def self.start(...) = Handle.new(prepare(...))
      end
    end
  end
end
