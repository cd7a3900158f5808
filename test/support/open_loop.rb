# frozen_string_literal: true

require "socket"

module TestSupport
  # Requests at fixed times, whether earlier ones were answered or not, on new connections, and
  # beside them some clients that keep their connections. Counts what failed, and how long it took.
  class OpenLoop
    # Seconds for an answer.
    PATIENCE = 60
    REQUEST = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    ONCE = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

    attr_reader :failures, :bodies, :times

    # @param place [Integer, String] a port of loopback, or the path of a Unix socket
    # @param rate [Integer] new connections a second
    # @param keeping [Integer] clients that keep theirs; each asks every 10 ms
    def self.run(place, rate: 100, keeping: 2)
      load = new(place, rate, keeping)
      yield load
    ensure
      load&.stop
    end

    def initialize(place, rate, keeping)
      @place = place
      @failures, @bodies, @times = Thread::Queue.new, Thread::Queue.new, Thread::Queue.new
      @running = true
      @requests = Thread::Queue.new
      @threads = Array.new(keeping) { Thread.new { keep } }
    end

    def count = @bodies.size + @failures.size

    # Ends the load, and waits for all answers.
    def stop
      return unless @running

      @running = false
      @threads.each(&:join)
      @requests.pop.join until @requests.empty?
    end

    # @return [Array<String>] what went wrong
    def errors = Array.new(@failures.size) { @failures.pop.tap { |error| @failures << error } }

    private

    def send_at(rate)
      start = TestSupport.now
      (0..).each do |number|
        break unless @running

        due = start + number.fdiv(rate)
        rest = due - TestSupport.now
        sleep(rest) if rest.positive?
        @requests << Thread.new { once(due) }
      end
    end

    # Its time begins when it was due.
    def once(due)
      measure(due) do
        socket = connect
        socket.write(ONCE)
        read(socket).first
      ensure
        socket&.close
      end
    end

    def keep
      socket = nil
      while @running
        measure do
          socket ||= connect
          socket.write(REQUEST)
          body, closing = read(socket)
          socket = socket.close if closing
          body
        rescue
          socket = socket&.close
          raise
        end
        sleep(0.01)
      end
    ensure
      socket&.close
    end

    def measure(start = TestSupport.now)
      body = yield
      @times << TestSupport.now - start
      @bodies << body
    rescue SystemCallError, IOError, RuntimeError => error
      @failures << "#{error.class}: #{error.message}"
    end

    def connect
      socket = @place.is_a?(Integer) ? TCPSocket.new("127.0.0.1", @place) : UNIXSocket.new(@place)
      socket.tap { |one| one.timeout = PATIENCE }
    end

    # @return [Array(String, Boolean)] the body, and whether the server closes the connection
    def read(socket)
      head = +""
      head << (socket.gets || raise("the connection ended after #{head.inspect}")) until
        head.end_with?("\r\n\r\n")
      raise "answered #{head.lines.first}" unless head.start_with?("HTTP/1.1 200")

      [socket.read(head[/^content-length: (\d+)/i, 1].to_i), head.match?(/^connection: close/i)]
    end
  end
end
