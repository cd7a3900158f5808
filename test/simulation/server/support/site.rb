# frozen_string_literal: true

require "logger"
require "raffia/server"
require_relative "client"
require_relative "tls"

module Simulations
  # A server on this host, and the records of its application.
  class Site
    PORT = 9000

    # A call of the application. Times are virtual seconds; `finished` is how often
    # rack.response_finished was called.
    Call = Struct.new(:path, :body, :began, :ended, :error, :finished)

    # @param seconds [Proc] of a path: what the application takes
    # @param content [Proc] of a path: the response's body
    # @param app [#call] without records of its calls
    # @param tls [Boolean, OpenSSL::SSL::SSLContext, nil]
    # @param options [Hash] of the server
    def initialize(sim, seconds: ->(_) { 0 }, content: ->(path) { path }, tls: nil,
      app: method(:call), **options)
      @sim = sim
      @seconds = seconds
      @content = content
      @calls = []
      @running = @most = 0
      options = {**TLS::OPTIONS, **options} if tls
      @server = Raffia::Server.start(app, logger: Logger.new(nil),
        bind: "#{tls ? "ssl" : "tcp"}://0.0.0.0:#{PORT}", **options)
    end

    # Calls of the application so far; how many there have been at a time.
    attr_reader :calls, :most

    def call(env)
      @calls << record = Call.new(env["PATH_INFO"], nil, @sim.now, nil, nil, 0)
      env["rack.response_finished"] << ->(*) { record.finished += 1 }
      @most = [@most, @running += 1].max
      record.body = env["rack.input"].read
      seconds = @seconds.call(record.path)
      Kernel.sleep(seconds) if seconds.positive?
      text = @content.call(record.path)
      record.ended = @sim.now
      [200, {"content-length" => text.bytesize.to_s}, [text]]
    rescue Exception => error # standard:disable Lint/RescueException
      record.error = error # such as Raffia::Cancel
      raise
    ensure
      @running -= 1
    end

    def paths = @calls.map(&:path)

    def stop = @server.stop

    # Runs the block in so many threads, each with a connection of its own. Returns its values.
    # @param wait [Proc] seconds before a thread connects
    # @yieldparam client [Client]
    # @yieldparam number [Integer] of the thread
    def visits(count, wait: -> { 0 })
      Array.new(count) do |number|
        Thread.new(wait.call) do |seconds|
          Kernel.sleep(seconds) if seconds.positive?
          client = Client.new("127.0.0.1", PORT)
          yield client, number
        ensure
          client&.close
        end
      end.map(&:value)
    end

    # Stops the server.
    # @raise [Violation] when connections or requests are left
    def drain
      stop
      raise Violation, "a stopped server leaves #{load.inspect}" unless idle?

      odd = @calls.reject { |call| call.finished == 1 }
      raise Violation, "rack.response_finished was not called once: #{odd.first}" if odd.any?
    end

    # Open connections, requests in flight, calls that run: as the server counts them.
    def load = [worker.connections.size, counters.gauge(:connections), counters.gauge(:in_flight),
      @running]

    def idle? = load.all?(&:zero?)

    # Requests that the limiter counts.
    def admitted = worker.context.admission.limiter.admitted

    private

    def worker = @server.instance_variable_get(:@service).instance_variable_get(:@worker)

    def counters = worker.context.telemetry.counters
  end
end
