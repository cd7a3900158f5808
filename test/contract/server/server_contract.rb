# frozen_string_literal: true

require "test_helper"
require "support/each_backend"
require "support/ractor_server"
require "logger"
require "rack"
require "rack/lint"
require "socket"
require "stringio"
require "tempfile"
require "raffia"
require "raffia/server"
require "raffia/server/worker"

# The suites of the server run over real sockets, on every back end that works here, with Rack::Lint
# around every app.
module ServerContract
  BACKENDS = Raffia::Engine.probe.filter_map { |found| found[:name] if found[:ok] }

  # A response as it came over the wire.
  Answer = Struct.new(:status, :headers, :body, :version, :raw) do
    def [](name) = headers[name]&.join(", ")
  end

  # Speaks HTTP by hand.
  class Client
    attr_reader :socket

    def initialize(socket)
      @socket = socket
      @buffer = "".b
    end

    def say(text)
      @socket.write(text)
      self
    end

    # @return [Answer]
    def answer(head: false)
      raw = line_block
      lines = raw.split("\r\n")
      version, status = lines.shift.split(" ", 3)
      headers = lines.each_with_object({}) do |line, all|
        (all[line[/\A[^:]+/]] ||= []) << line[/: ?(.*)\z/, 1]
      end
      status = status.to_i
      bodyless = head || status < 200 || status == 204 || status == 304
      Answer.new(status, headers, bodyless ? "" : body(headers), version, raw)
    end

    def get(path = "/", method: "GET", **headers)
      say("#{method} #{path} HTTP/1.1\r\nhost: " \
        "test\r\n#{headers.map { |name, value| "#{name}: #{value}\r\n" }.join}\r\n")
      answer(head: method == "HEAD")
    end

    def post(path, body, **headers)
      say("POST #{path} HTTP/1.1\r\nhost: test\r\ncontent-length: " \
        "#{body.bytesize}\r\n" \
        "#{headers.map { |name, value| "#{name}: #{value}\r\n" }.join}\r\n#{body}")
      answer
    end

    def read(length)
      @buffer << @socket.readpartial(65_536) while @buffer.bytesize < length
      @buffer.slice!(0, length)
    end

    def rest
      all = @buffer.dup << @socket.read.to_s
      @buffer.clear
      all
    rescue Errno::ECONNRESET
      @buffer.dup
    end

    # Whether the server has ended the connection, and sent nothing more.
    def ended? = rest.empty?

    def gets
      @buffer << @socket.readpartial(65_536) until @buffer.include?("\r\n")
      @buffer.slice!(/\A.*?\r\n/m).chomp
    end

    def close = @socket.close

    private

    def line_block
      @buffer << @socket.readpartial(65_536) until @buffer.include?("\r\n\r\n")
      @buffer.slice!(/\A.*?\r\n\r\n/m)
    end

    def body(headers)
      return read(headers["content-length"].first.to_i) if headers["content-length"]
      return chunks if headers["transfer-encoding"]&.first == "chunked"

      rest
    end

    def chunks
      all = "".b
      while (size = gets.hex) > 0
        all << read(size)
        raise "a chunk's end is missing" unless read(2) == "\r\n"
      end
      nil until gets.empty?
      all
    end
  end

  # Defines a test class for each back end, named after the suite.
  def self.run(suite) = TestSupport::EachBackend.define(suite, self, BACKENDS)

  # Defines one more, whose apps are served from Ractors. They and what they capture are shared, so
  # not all can be.
  # @param without [Array<Symbol>] tests of apps that have something that Ractors cannot share
  def self.run_in_ractors(suite, without: [])
    parent = Class.new(Raffia::TestCase) do
      include ServerContract
      include InRactors
      include suite

      without.each { |test| undef_method(test) }
    end
    suite.const_set(:InRactorsTest, parent)
  end

  # Defines one more, whose apps run on threads.
  # @param without [Array<Symbol>] tests of what fibers alone can do
  def self.run_on_threads(suite, without: [])
    parent = Class.new(Raffia::TestCase) do
      include ServerContract
      include OnThreads
      include suite

      without.each { |test| undef_method(test) }
    end
    suite.const_set(:OnThreadsTest, parent)
  end

  # Serves the app for the time of the block.
  # @yieldparam server [Running]
  def serve(app, lint: true, bind: "tcp://127.0.0.1:0", **options)
    @log = StringIO.new
    assert_no_leaks do
      server = Running.new(lint ? Rack::Lint.new(app) : app, backend, bind, @log, options)
      stopping(server) { yield server }
    end
  end

  # @return [String] what the server has logged
  def log = @log.string

  def eventually(message = nil, &) = wait_until(Raffia::TestCase::PATIENCE * 2, message, &)

  # A server whose test has failed may not end; then the test's own failure is the one to read.
  def stopping(server)
    yield
  ensure
    failure = $!
    begin
      server.stop
    rescue => error
      raise failure || error
    end
  end

  # The same on threads.
  module OnThreads
    def backend = BACKENDS.first

    def serve(app, **options, &) = super(app, execution: :threads, **options, &)
  end

  # The same from Ractors.
  module InRactors
    def setup
      super
      need_cruby "Ractors"
      need_fork
      @log = Tempfile.create("log")
    end

    def teardown
      @log&.close
      File.unlink(@log) if @log
      super
    end

    def serve(app, lint: true, bind: "tcp://127.0.0.1:0", **options)
      assert_no_leaks do
        server = RunningInRactors.new(app, bind, @log.path, lint: lint, **options)
        stopping(server) { yield server }
      end
    end

    def log = File.read(@log)
  end

  # Clients of a server, and what can be seen of it.
  module Served
    # @return [Integer] connections that are open
    def connections = counters.gauge(:connections)

    # @return [Integer] requests
    def in_flight = counters.gauge(:in_flight)

    # @yieldparam client [Client]
    def connect
      socket = if @listener.port
        TCPSocket.new("127.0.0.1", @listener.port)
      else
        UNIXSocket.new(@listener.host)
      end
      socket.timeout = Raffia::TestCase::PATIENCE
      clients << socket
      return Client.new(socket) unless block_given?

      begin
        yield Client.new(socket)
      ensure
        socket.close
      end
    end

    def get(...) = connect { |client| client.get(...) }

    def post(...) = connect { |client| client.post(...) }

    # All connections of the clients' are closed first, or those that are idle would be waited for.
    def stop
      clients.each(&:close)
      drain
    end

    private

    def clients = @clients ||= []
  end

  # A worker in a thread.
  class Running
    include Served

    attr_reader :worker, :listener, :thread

    def initialize(app, backend, bind, log, options)
      options = Raffia::Server::Options.build(options)
      @listener = Raffia::Server::Listen::Listener.open(Raffia::Server::Listen::Bind.parse(bind),
        options).first
      @worker = Raffia::Server::Worker.new(app, listeners: [@listener], options: options,
        log: Logger.new(log), backend: backend)
      ready = Thread::Queue.new
      @thread = Thread.new do
        Thread.current.report_on_exception = false
        @worker.run { ready << true }
      ensure
        ready.close
      end
      ready.pop or @thread.value
    end

    def counters = @worker.context.telemetry.counters

    def stop
      super
    ensure
      @listener.close
    end

    def drain(how = :drain)
      @worker.stop(how)
      @thread.join(Raffia::TestCase::PATIENCE) or raise "the worker does not end"
      @thread.value
    end
  end

  # Ractors in a process.
  class RunningInRactors < TestSupport::RactorServer
    include Served
  end
end
