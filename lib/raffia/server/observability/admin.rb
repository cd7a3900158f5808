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

        # Returns a {Handle}. Raises CannotListen.
        def self.start(app, address, log)
          options = Options.build({bind: address, **OPTIONS})
          handle = Handle.new(SingleProcess.new(Application.of(app, trusted: true),
            Listen::Listeners.new(options), options, hooks: Hooks.new, log: log))
          # Child processes would keep the port open after this one has ended.
          Fork.after_child { handle.listeners.each { |listener| listener.socket.close } }
          handle
        end
      end
    end
  end
end
