# frozen_string_literal: true

require "raffia/server"

module TestSupport
  module HTTP2
    # One server for all cases of a file, in a thread of this process. It starts with the first
    # case. RAFFIA_TEST_HTTP2_PORT names another server, for a check of the cases themselves:
    # `nghttpd --no-tls --echo-upload -d FOLDER PORT`, where the folder has index.html.
    module SharedServer
      BODY = "a body of a few bytes"
      LARGE = ("x" * 1_000_000).freeze
      # A request for each call of the application that has not ended.
      RUNNING = Thread::Queue.new
      GATE = Thread::Queue.new
      APP = lambda do |env|
        RUNNING << env
        @most_running = [@most_running, RUNNING.size].max
        case env["PATH_INFO"]
        when "/large" then respond(LARGE)
        when "/stubborn" then respond_uncancelled
        else respond((env["REQUEST_METHOD"] == "POST") ? env["rack.input"].read : BODY)
        end
      ensure
        RUNNING.pop
      end

      @most_running = 0

      class << self
        # @return [Integer] calls at a time, so far
        attr_reader :most_running

        def port = @port ||= Integer(ENV["RAFFIA_TEST_HTTP2_PORT"] || start.port)

        private

        # Its log would have thousands of malformed requests.
        def start
          Raffia::Server.start(APP, log: File::NULL)
            .tap { |server| Minitest.after_run { server.stop } }
        end

        def respond(body)
          [200, {"content-type" => "text/plain", "content-length" => body.bytesize.to_s}, [body]]
        end

        # A request that cannot be cancelled, as in a call of C.
        def respond_uncancelled = Raffia.shield { GATE.pop && respond(BODY) }
      end
    end
  end
end
