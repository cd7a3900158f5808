# frozen_string_literal: true

require_relative "../../base/clock"

module Raffia
  class Server
    module Observability
      # The requests in flight in a worker, read from any thread. It costs nothing while unread.
      #
      # @api private
      class InFlightRequests
        # The oldest ones: as many as fit into a message between processes.
        LIMIT = 50
        # Lines of a backtrace, and how many requests have one.
        FRAMES = 20
        TRACED = 8
        # The server's own files.
        SERVER = "#{File.dirname(__dir__)}/".freeze
        # Bytes that are shown of what a client has sent.
        TEXT_LIMIT = 200

        # `age` is in seconds. `answered`: only the response is on its way, which may take hours.
        Request = ::Data.define(:env, :age, :fiber, :began, :answered) do
          # @return [String] for people
          def to_s = "#{id} (#{env["REQUEST_METHOD"]} #{env["PATH_INFO"]})"

          # The env is the application's, so no id is stored in it here.
          # @return [String]
          def id
            env["raffia.request_id"] || env["action_dispatch.request_id"] ||
              env["HTTP_X_REQUEST_ID"] || "without id"
          end

          # @return [Array<String>] without the server's own frames
          def backtrace
            frames = fiber.backtrace || []
            own = frames.take_while { |frame| !frame.start_with?(InFlightRequests::SERVER) }
            (own.empty? ? frames : own).first(InFlightRequests::FRAMES)
          end
        end

        # @param parts [Array<Hash>] as {#to_h}, of the Ractors of this process
        # @return [Hash] as {#to_h}
        def self.merge(parts)
          requests = parts.flat_map { |part| part[:requests] }.sort_by { |request| -request[:age] }
            .first(LIMIT)
          requests.drop(TRACED).each { |request| request.delete(:backtrace) }
          {pid: ::Process.pid, in_flight: parts.sum { |part| part[:in_flight] }, requests: requests}
        end

        def initialize(worker)
          @worker = worker
        end

        # @return [Array<Request>] the oldest first
        def requests
          now = Clock.now
          @worker.connections.filter_map do |connection|
            env, began, fiber = connection.env, connection.began, connection.fiber
            next unless env && began && fiber

            Request.new(env:, began:, fiber:, age: now - began / 1e6,
              answered: connection.answered?)
          end.sort_by(&:began)
        end

        # @param slow [Numeric, nil] seconds from which on a backtrace is wanted
        # @return [Hash] plain data, for JSON
        def to_h(slow: nil)
          found = requests
          rows = found.first(LIMIT).each_with_index.map do |request, index|
            row(request, slow && index < TRACED && request.age >= slow)
          end
          {pid: ::Process.pid, in_flight: found.size, requests: rows}
        end

        private

        def row(request, traced)
          env = request.env
          texts = {id: request.id, method: env["REQUEST_METHOD"], path: env["PATH_INFO"],
                   remote: env["REMOTE_ADDR"]}
          {**texts.transform_values { |text| text.to_s.byteslice(0, TEXT_LIMIT).scrub },
            age: request.age.round(6), answered: request.answered,
            **(traced ? {backtrace: request.backtrace} : {})}
        end
      end
    end
  end
end
