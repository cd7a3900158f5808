# frozen_string_literal: true

require_relative "../http/server"
require_relative "../web/conversation"
require_relative "app"

module Raffia
  module Lab
    class RactorWeb < HttpCores
      # The server of `http`, with a Rack application instead of a fixed answer.
      class Server < Http::Server
        def initialize
          super
          @conversation = Web::Conversation.new(App)
        end

        private

        def serve(client)
          served = @conversation.hold(client)
          @requests += served
        end
      end
    end
  end
end
