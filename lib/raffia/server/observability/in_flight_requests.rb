# frozen_string_literal: true

module Raffia
  class Server
    module Observability
      # The requests in flight in a worker, read from any thread. Costs nothing until it is read.
      #
      # @api private
      class InFlightRequests
        # The oldest ones, to fit into a message between processes.
        LIMIT = 50
        # Lines of a backtrace, and requests that have one.
        FRAMES = 20
        TRACED = 8
        SERVER = "#{File.dirname(__dir__)}/".freeze
        # Bytes shown of a client's text.
        TEXT_LIMIT = 200

        # `age` is in seconds. An answered request only sends its response, which may take hours.
        Request = ::Data.define(:env, :age, :fiber, :began, :answered) do
          def to_s = "#{id} (#{env["REQUEST_METHOD"]} #{env["PATH_INFO"]})"

          # Stores no id: the env is the application's.
          def id
            env["raffia.request_id"] || env["action_dispatch.request_id"] ||
              env["HTTP_X_REQUEST_ID"] || "without id"
          end

          # Leaves out the server's own frames.
          def backtrace
            frames = fiber.backtrace || []
            own = frames.take_while { |frame| !frame.start_with?(InFlightRequests::SERVER) }
            (own.empty? ? frames : own).first(InFlightRequests::FRAMES)
          end
        end

        # Merges hashes of {#to_h}, of several Ractors.
        def self.merge(parts)
          requests = parts.flat_map { |part| part[:requests] }.sort_by { |request| -request[:age] }
            .first(LIMIT)
          requests.drop(TRACED).each { |request| request.delete(:backtrace) }
          {pid: ::Process.pid, in_flight: parts.sum { |part| part[:in_flight] }, requests: requests}
        end

        def initialize(worker)
          @worker = worker
        end

        # Oldest first.
        def requests
          now = Clock.now
          @worker.connections.cycles.filter_map do |cycle|
            env, began, fiber = cycle.env, cycle.began, cycle.fiber
            next unless env && began && fiber

            Request.new(env:, began:, fiber:, age: now - began / 1e6,
              answered: cycle.answered?)
          end.sort_by(&:began)
        end

        # Plain data for JSON. Requests older than `slow` seconds have a backtrace.
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
