# frozen_string_literal: true

require "socket"

module TestSupport
  # Clients that connect, say one line and want it back, repeatedly, until they have to stop. The
  # workers are slower than they are, so connections wait in the queues of their sockets: one that
  # is dropped there is counted.
  class QueueLoad
    # The worker's program: one connection at a time. The board shows when each begins and is done.
    WORKER = <<~RUBY
      def listener(port)
        socket = Socket.new(:INET, :STREAM)
        socket.setsockopt(:SOCKET, :REUSEPORT, 1)
        socket.bind(Addrinfo.tcp("127.0.0.1", port))
        socket.listen(512)
        [TCPServer.for_fd(socket.tap { |one| one.autoclose = false }.fileno)]
      end

      def echo(seat)
        server = seat.ios.first
        seat.ready!
        until seat.stopping?
          seat.beat
          next unless server.wait_readable(0.02)
          client = server.accept_nonblock(exception: false)
          next if client == :wait_readable
          line = client.gets
          sleep(0.0005)
          client.write(line) if line
          client.close
        end
      end
    RUBY

    # Seconds for a connection, for an answer, and for so many more answers: on a busy machine a
    # worker that was replaced takes its time.
    PATIENCE = 60

    attr_reader :served, :errors

    # @param port [Integer]
    # @param clients [Integer]
    # @yieldparam number [Integer] of a client
    # @yieldreturn [Array(String, String)] what it says, and how the answer must end
    def initialize(port, clients = 12, &dialogue)
      @port = port
      @dialogue = dialogue || ->(number) { ["hello #{number}\n"] * 2 }
      @go_on = true
      @served = Thread::Queue.new
      @errors = Thread::Queue.new
      @threads = Array.new(clients) { |number| Thread.new { ask(number) while @go_on } }
    end

    # @return [void]
    def stop
      @go_on = false
      @threads.each(&:join)
    end

    # Wait until so many more were served.
    def await(more)
      goal = @served.size + more
      limit = TestSupport.now + PATIENCE
      sleep(0.001) until @served.size >= goal || TestSupport.now > limit
      if @served.size < goal
        raise "only #{@served.size} of #{goal} were served: #{all_errors.tally}"
      end
    end

    def all_errors = Array.new(@errors.size) { @errors.pop }.each { |error| @errors << error }

    private

    def ask(number)
      Socket.tcp("127.0.0.1", @port, connect_timeout: PATIENCE) do |socket|
        line, expected = @dialogue.call(number)
        socket.write(line)
        raise "no answer came within #{PATIENCE} s" unless socket.wait_readable(PATIENCE)
        answer = socket.read
        raise "the answer was #{answer.inspect}" unless answer.end_with?(expected)
      end
      @served << number
    rescue => error
      @errors << "#{error.class}: #{error.message}"
    end
  end
end
