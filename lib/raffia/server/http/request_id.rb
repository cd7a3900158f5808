# frozen_string_literal: true

module Raffia
  class Server
    module HTTP
      # The name of a request in the logs. Made only when somebody asks.
      module RequestId
        KEY = "raffia.request_id"
        # What others gave a request is taken if it cannot make a mess of a log.
        SOUND = /\A[\w.:=+\/@-]{1,200}\z/
        private_constant :KEY, :SOUND

        # @param env [Hash]
        # @return [String] the app's, else that of X-Request-Id, else a fresh one
        def self.of(env)
          return env[KEY] if env[KEY]

          id = env["action_dispatch.request_id"] || given(env) || fresh
          env.frozen? ? id : env[KEY] = id
        end

        # Nobody is kept out by it, so it need not be hard to guess. Forked children do not repeat
        # each other's.
        def self.fresh = ::Random.bytes(16).unpack1("H*")
        private_class_method :fresh

        def self.given(env)
          id = env["HTTP_X_REQUEST_ID"]
          id if id&.match?(SOUND)
        end
        private_class_method :given
      end
    end
  end
end
