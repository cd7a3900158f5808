# frozen_string_literal: true

require_relative "scheduler_case"
require "logger"
require "net/http"
require "openssl"
require "zlib"

# Things that programs do, in fibers, and calls that block.
module SchedulerProgramsSuite
  Boom = Class.new(StandardError)

  def test_net_http
    on_scheduler do
      # No client is answered until all have asked: one after the other they would wait for ever.
      asked = 0
      serve_http(before: -> { (asked += 1) && settle { asked >= 10 } }) do |port|
        bodies = []
        10.times do |i|
          Fiber.schedule { bodies << Net::HTTP.get(URI("http://127.0.0.1:#{port}/#{i}")) }
        end
        settle { bodies.size == 10 }
        assert_equal Array.new(10) { |i| "body of /#{i}" }, bodies.sort
        Net::HTTP.start("127.0.0.1", port) do |http|
          assert_equal %w[a b], %w[a b].map { |name| http.get("/#{name}").body[-1] }
        end
        assert_raises(Net::ReadTimeout) do
          Net::HTTP.start("127.0.0.1", port, read_timeout: 0.01, max_retries: 0) do |http|
            http.get("/never")
          end
        end
      end
    end
  end

  def test_tls
    context, store = tls_identity
    on_scheduler do
      server = TCPServer.new("127.0.0.1", 0)
      Fiber.schedule do
        5.times do
          client = server.accept
          Fiber.schedule do
            socket = OpenSSL::SSL::SSLSocket.new(client, context)
              .tap { |ssl| ssl.sync_close = true }.accept
            socket.write(socket.gets.upcase * 20_000)
            socket.close
          end
        end
      end
      answers = []
      5.times do |i|
        Fiber.schedule do
          tls = OpenSSL::SSL::SSLContext.new
            .tap { |own| own.set_params(cert_store: store, verify_hostname: false) }
          socket = OpenSSL::SSL::SSLSocket.new(TCPSocket.new("127.0.0.1", server.addr[1]), tls)
            .tap { |ssl| ssl.sync_close = true }.connect
          socket.puts("line #{i}")
          answers << socket.read
          socket.close
        end
      end
      settle { answers.size == 5 }
      assert_equal Array.new(5) { |i| "LINE #{i}\n" * 20_000 }, answers.sort
      server.close
    end
  end

  def test_names
    need_localhost
    on_scheduler do
      server = TCPServer.new("localhost", 0)
      Fiber.schedule { server.accept.tap { |client| client << "hello" }.close }
      assert_equal "hello", TCPSocket.open("localhost", server.addr[1], &:read)
      server.close
      assert_includes Addrinfo.getaddrinfo("localhost", 80, nil, :STREAM).map(&:ip_address),
        "127.0.0.1"
      assert_raises(SocketError) { Addrinfo.getaddrinfo("no such name.invalid", 80) }
      assert_includes Fiber.scheduler.address_resolve("127.0.0.1"), "127.0.0.1"
    end
  end

  def test_zlib
    on_scheduler do
      text = Random.bytes(20_000) * 20
      packed = []
      turns = 0
      Fiber.schedule { 5.times { sleep(0.0005) && turns += 1 } }
      3.times { Fiber.schedule { packed << Zlib.gzip(text) } }
      settle { packed.size == 3 && turns == 5 }
      assert_equal [text] * 3, packed.map { |bytes| Zlib.gunzip(bytes) }
    end
  end

  def test_a_logger_of_many_fibers
    on_scheduler do
      Tempfile.create("log") do |file|
        logger = Logger.new(file.path)
        fibers = Array.new(10) do |i|
          Fiber.schedule { 5.times { |n| logger.info("#{i}-#{n}") && sleep(0) } }
        end
        settle { fibers.none?(&:alive?) }
        logger.close
        assert_equal 50, File.readlines(file.path).grep(/INFO/).size
      end
    end
  end

  def test_standard_streams
    script = <<~RUBY
      require "raffia"
      Raffia.run do |scope|
        scope.spawn { sleep 0.001; puts "other" }
        while (line = $stdin.gets)
          puts line.upcase
          $stderr.puts line.size
        end
      end
    RUBY
    command = [{"RAFFIA_BACKEND" => backend.to_s}, RbConfig.ruby,
      "-I#{File.expand_path("../../../lib", __dir__)}", "-e", script]
    out, err, status = Open3.capture3(*command, stdin_data: "one\ntwo\n")
    assert_equal [["ONE", "TWO", "other"], "4\n4\n", 0],
      [out.lines.map(&:chomp).sort, err, status.exitstatus]
    [File::NULL, __FILE__].each do |file|
      out, = Open3.capture3(*command, in: file)
      assert_includes out, "other"
    end
  end

  # -- calls that block

  def test_offloaded_calls_do_not_hold_up_the_others
    on_scheduler do |scheduler|
      turns = 0
      gate = Thread::Queue.new
      Fiber.schedule { 3.times { sleep(0.0005) && turns += 1 } && gate << true }
      assert_equal :value, scheduler.offloaded { gate.pop && :value }
      assert_equal 3, turns
      assert_raises(Boom) { scheduler.offloaded { raise Boom } }
      assert_equal :inner, scheduler.offloaded { scheduler.offloaded { :inner } }
    end
  end

  def test_without_an_offload_pool
    on_scheduler(offload: false) do |scheduler|
      assert_equal :value, scheduler.offloaded { :value }
      assert_equal "text", Zlib.gunzip(Zlib.gzip("text"))
      assert_equal File.size(__FILE__), File.read(__FILE__).bytesize
      assert_includes scheduler.address_resolve("127.0.0.1"), "127.0.0.1"
      Tempfile.create("scheduler") do |file|
        assert_equal 5, IO.copy_stream(StringIO.new("bytes"), file)
      end
    end
  end

  def test_blocking_operations
    on_scheduler do |scheduler|
      ran = []
      scheduler.blocking_operation_wait(-> { ran << Thread.current })
      refute_same Thread.current, ran.first
      scheduler.blocking_operation_wait(-> {
        scheduler.blocking_operation_wait(-> { ran << :nested })
      })
      assert_equal :nested, ran.last
      assert_raises(Boom) { scheduler.blocking_operation_wait(-> { raise Boom }) }
    end
  end

  # The call uses the stack of the fiber that waits for it, so the fiber must not leave before its
  # end.
  def test_an_interrupt_waits_for_the_end_of_a_blocking_operation
    on_scheduler do |scheduler|
      begun = Thread::Queue.new
      order = []
      fiber = Fiber.schedule do
        scheduler.blocking_operation_wait(lambda do
          begun << true
          5.times { sleep(0.002) }
          order << :worked
        end)
      rescue Boom
        order << :interrupted
      end
      begun.pop
      3.times { scheduler.fiber_interrupt(fiber, Boom.new) }
      settle { !fiber.alive? }
      assert_equal %i[worked interrupted], order
    end
  end

  def test_one_that_has_not_begun_never_will
    in_thread do
      pool = Raffia::Executor::Threads::BlockingPool.new(max: 1)
      Fiber.set_scheduler(scheduler = Raffia::Scheduler.new(backend: backend,
        offload: pool.method(:call)))
      gate = Thread::Queue.new
      ran = []
      Fiber.schedule { scheduler.offloaded { gate.pop } }
      second = Fiber.schedule do
        scheduler.blocking_operation_wait(-> { ran << :second })
      rescue Boom
        ran << :interrupted
        gate << true
      end
      scheduler.fiber_interrupt(second, Boom.new)
      scheduler.run
      assert_equal [:interrupted], ran
    ensure
      Fiber.set_scheduler(nil)
      pool.shutdown
    end
  end

  # Opening a FIFO waits for the other side, for ever if need be.
  def test_a_time_limit_for_opening_a_fifo
    skip("Ruby before 3.4 blocks the thread") if RUBY_VERSION < "3.4"
    Dir.mktmpdir do |dir|
      File.mkfifo("#{dir}/fifo")
      on_scheduler do
        assert_raises(Timeout::Error) { Timeout.timeout(0.01) { File.open("#{dir}/fifo") } }
        text = nil
        Fiber.schedule { text = File.read("#{dir}/fifo") }
        File.write("#{dir}/fifo", "through")
        settle { text }
        assert_equal "through", text
      end
    end
  end

  private

  def serve_http(before:)
    server = TCPServer.new("127.0.0.1", 0)
    fibers = []
    fibers << Fiber.schedule do
      loop { fibers << handle(server.accept, before) }
    rescue Boom
      nil
    end
    yield server.addr[1]
  ensure
    fibers.each { |fiber| Fiber.scheduler.fiber_interrupt(fiber, Boom.new) }
    settle { fibers.none?(&:alive?) }
    server.close
  end

  def handle(client, before)
    Fiber.schedule do
      while (line = client.gets)
        nil until client.gets.strip.empty?
        path = line.split[1]
        sleep if path == "/never"
        before.call
        body = "body of #{path}"
        client.write("HTTP/1.1 200 OK\r\nContent-Length: #{body.size}\r\n\r\n#{body}")
      end
    rescue Boom, SystemCallError
      nil
    ensure
      client.close
    end
  end

  def tls_identity
    key = OpenSSL::PKey::EC.generate("prime256v1")
    certificate = OpenSSL::X509::Certificate.new
    certificate.version = 2
    certificate.serial = 1
    certificate.subject = certificate.issuer = OpenSSL::X509::Name.parse("/CN=localhost")
    certificate.public_key = key
    certificate.not_before = Time.now - 60
    certificate.not_after = Time.now + 3600
    factory = OpenSSL::X509::ExtensionFactory.new(certificate, certificate)
    certificate.add_extension(factory.create_extension("basicConstraints", "CA:TRUE", true))
    certificate.sign(key, OpenSSL::Digest.new("SHA256"))
    context = OpenSSL::SSL::SSLContext.new
    context.add_certificate(certificate, key)
    [context, OpenSSL::X509::Store.new.tap { |store| store.add_cert(certificate) }]
  end
end

SchedulerCase.run(SchedulerProgramsSuite)
