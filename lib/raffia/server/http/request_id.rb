# frozen_string_literal: true

module Raffia
  class Server
    module HTTP
      # The id of a request in the logs, made when it is first needed.
      module RequestId
        KEY = "raffia.request_id"
        # An id of a client or proxy is used if it is safe in a log.
        SAFE = /\A[\w.:=+\/@-]{1,200}\z/
        private_constant :KEY, :SAFE

        # @param env [Hash]
        # @return [String] the application's, else that of X-Request-Id, else a new one
        def self.of(env)
          return env[KEY] if env[KEY]

          id = env["action_dispatch.request_id"] || given(env) || fresh
          env.frozen? ? id : env[KEY] = id
        end

        # It protects nothing, so it may be guessed. Forked children do not repeat
        # each other's.
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
