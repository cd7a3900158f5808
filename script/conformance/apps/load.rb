# frozen_string_literal: true

module Conformance
  # Clients that write, each on connections of its own, and a person with a browser, while the
  # server is restarted.
  class AppLoad
    CLIENTS = 6
    WRITES = 25
    # Notes that the person writes.
    NOTES = 10
    # Numbers of writes of all clients together, after which the server restarts.
    RESTARTS = [CLIENTS * WRITES / 5, CLIENTS * WRITES / 2].freeze

    Result = Struct.new(:acknowledged, :errors)

    def initialize(app, server)
      @app = app
      @server = server
      @done = Queue.new
      @errors = Queue.new
      @acknowledged = Queue.new
    end

    # @return [Result] how many writes were acknowledged, and what went wrong
    def call
      clients = Array.new(CLIENTS) { Thread.new { client } }
      clients << Thread.new { person } if @app.visited?
      restarts
      clients.each(&:join)
      Result.new(@acknowledged.size, Array.new(@errors.size) { @errors.pop })
    end

    private

    # A connection for five writes, as browsers have them, and another one after an error.
    def client
      (WRITES / 5).times do
        left = 5
        left = some_writes(left) while left.positive?
      end
    end

    # Messages of the browser are errors, too: a page without one of its scripts.
    def person
      AppVisitor.open(@server.port) do |visitor|
        NOTES.times do |number|
          @app.note(visitor, number)
          @acknowledged << true
        end
        visitor.steps.flat_map { |step| step["complaints"] }.uniq.each { |line| @errors << line }
      end
    rescue Error => error
      @errors << error.message
    end

    # @return [Integer] how many are left to do
    def some_writes(left)
      AppClient.open(@server.port) do |http|
        while left.positive?
          @app.write(http) ? @acknowledged << true : @errors << "not acknowledged"
          @done << true
          left -= 1
        end
      end
      left
    rescue => error
      @errors << "#{error.class}: #{error.message}"
      @done << true
      left - 1
    end

    def restarts
      total = CLIENTS * WRITES
      (1..total).each do |number|
        @done.pop
        @server.restart if RESTARTS.include?(number)
      end
    end
  end
end
