# frozen_string_literal: true

require_relative "../../base/clock"

module Raffia
  class Server
    module Observability
      # The requests that a worker is at, seen from any thread: nothing is noted for it while nobody
      # asks.
      #
      # @api private
      class InFlightRequests
        # Of the oldest ones: as many as fit into one message between processes, with room to spare.
        MOST = 50
        # Lines of a backtrace, and how many requests have one.
        FRAMES = 20
        TRACED = 8
        # Where all that is the server's.
        SERVER = "#{File.dirname(__dir__)}/".freeze
        # Bytes of what a client has sent.
        LONG = 200

        # @!attribute [r] env
        #   @return [Hash]
        # @!attribute [r] age
        #   @return [Float] seconds
        # @!attribute [r] fiber
        #   @return [Fiber]
        # @!attribute [r] answered
        #   @return [Boolean] whether only its response is on its way, which for a stream may take
        #   hours
        Request = ::Data.define(:env, :age, :fiber, :began, :answered) do
          # @return [String] for people
          def to_s = "#{id} (#{env["REQUEST_METHOD"]} #{env["PATH_INFO"]})"

          # Its env is the application's, so nothing is noted there.
          # @return [String]
          def id
            env["raffia.request_id"] || env["action_dispatch.request_id"] ||
              env["HTTP_X_REQUEST_ID"] || "without id"
          end

          # @return [Array<String>] where its fiber is: in the application's code, and what that
          #   calls
          def backtrace
            frames = fiber.backtrace || []
            own = frames.take_while { |frame| !frame.start_with?(InFlightRequests::SERVER) }
            (own.empty? ? frames : own).first(InFlightRequests::FRAMES)
          end
        end

        # What several Ractors of this process have told: as {#to_h}.
        # @param parts [Array<Hash>]
        # @return [Hash]
        def self.merge(parts)
          requests = parts.flat_map { |part| part[:requests] }.sort_by { |request| -request[:age] }
            .first(MOST)
          requests.drop(TRACED).each { |request| request.delete(:backtrace) }
          {pid: ::Process.pid, in_flight: parts.sum { |part| part[:in_flight] }, requests: requests}
        end

        # @param worker [Worker]
        def initialize(worker)
          @worker = worker
        end

        # @return [Array<Request>] the oldest first
        def requests
          now = Clock.now
          @worker.connections.filter_map do |connection|
            env, began, fiber = connection.env, connection.began, connection.fiber
            if env && began && fiber
              Request.new(env:, began:, fiber:, age: now - began / 1e6,
                answered: connection.answered?)
            end
          end.sort_by(&:began)
        end

        # @param slow [Numeric, nil] seconds from which on a backtrace is wanted
        # @return [Hash] plain data, for JSON
        def to_h(slow: nil)
          found = requests
          {pid: ::Process.pid, in_flight: found.size,
           requests: found.first(MOST).each_with_index
             .map { |request, index|
               describe(request, slow && index < TRACED && request.age >= slow)
             }}
        end

        private

        def describe(request, traced)
          env = request.env
          shown = {id: request.id, method: env["REQUEST_METHOD"], path: env["PATH_INFO"],
                   remote: env["REMOTE_ADDR"]}
          {**shown.transform_values { |text| text.to_s.byteslice(0, LONG).scrub },
            age: request.age.round(6), answered: request.answered,
            **(traced ? {backtrace: request.backtrace} : {})}
        end
      end
    end
  end
end
