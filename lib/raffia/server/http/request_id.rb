# frozen_string_literal: true

module Raffia
  class Server
    module HTTP
      # The id of a request in logs, made on demand.
      #
      # @api private
      module RequestId
        KEY = "raffia.request_id"
        # Ids of clients and proxies that are safe in a log.
        SAFE = /\A[\w.:=+\/@-]{1,200}\z/
        private_constant :KEY, :SAFE

        # The application's, else X-Request-Id's, else a new one.
        def self.of(env)
          return env[KEY] if env[KEY]

          id = env["action_dispatch.request_id"] || given(env) || fresh
          env.frozen? ? id : env[KEY] = id
        end

        # May be guessed, because it protects nothing. Forked children do not repeat ids.
        def self.fresh = ::Random.bytes(16).unpack1("H*")
        private_class_method :fresh

        def self.given(env)
          id = env["HTTP_X_REQUEST_ID"]
          id if id&.match?(SAFE)
        end
        private_class_method :given
      end
    end
  end
end
