# frozen_string_literal: true

require_relative "../cli/cli_case"
require "json"
require "net/http"
require "socket"
require "support/certificates"
require "raffia/server"

module Raffia
  # `raffia serve --ractors`, as clients see it.
  class ServerRactorsTest < CLICase
    # Answers by what it is asked for. There is nothing in it that Ractors have in common.
    APP = <<~'RUBY'
      class Count
        def initialize(app) = (@app, @count = app, 0)
        def call(env) = @app.call(env.merge("count" => @count += 1))
      end
      use Rack::Lint
      use Count
      run ->(env) do
        status = 200
        body = case env["PATH_INFO"]
        when "/who"
          ractor = Ractor.current.equal?(Ractor.main) ? "main" : Ractor.current.object_id
          ["#{ractor} #{env["count"]} #{Process.pid}"]
        when "/echo" then [env["rack.input"].read.to_s]
        when "/stream"
          ->(stream) { 3.times { |n| stream.write("part #{n}\n") && sleep(0.01) } && stream.close }
        when "/each" then Enumerator.new { |parts| 3.times { |n| parts << "part #{n}\n" } }
        when "/slow" then File.write("slow-#{rand}", "") && sleep(1) && ["slow"]
        when "/gate" then (sleep(0.01) until File.exist?("open")) || ["open"]
        when "/raise" then raise "on purpose"
        when "/wrong" then [nil.upcase]
        when "/table" then [TABLE.to_s]
        when "/exit" then Thread.current.kill
        when "/stuck" then loop { 1 + 1 }
        when "/garbage" then [Array.new(2_000) { |n| "g#{n}" }.join.bytesize.to_s]
        when "/stress"
          GC.stress = true
          [Array.new(5) { |n| "s#{n}" }.join.tap { GC.stress = false }]
        when "/collections" then [GC.count.to_s]
        when "/compact" then [GC.compact && "compact"]
        else (status = 404) && ["nothing"]
        end
        [status, {"content-type" => "text/plain"}, body]
      end
    RUBY

    def setup
      super
      need_cruby "Ractors"
      Gem::Specification.find_by_name("rack")
    rescue Gem::MissingSpecError
      skip "the gem rack is not installed"
    end

    def teardown
      stop if @server
      super
    end

    # A server that is there until the end of the test.
    def serve(*argv, app: APP, ractors: 2)
      path = script(app, "config.ru")
      @log = File.join(@dir, "log")
      @server = IO.popen([{"RAFFIA_LOG" => nil, "RUBYOPT" => nil, "RACK_ENV" => nil}, RbConfig.ruby,
        "-W0", "-I", File.join(ROOT, "lib"), EXECUTABLE, "serve", path,
        "-b", "tcp://127.0.0.1:0", "--ractors", ractors.to_s, "--json", *argv,
        {chdir: @dir, err: @log}])
      line = @server.gets or flunk "it did not start:\n#{File.read(@log)}"
      @facts = JSON.parse(line)
      @uri = URI(@facts["urls"].first)
      wait_until(PROCESS_PATIENCE) { get("/who") }
    end

    # @return [Integer] the exit code
    def stop(signal = :TERM)
      ::Process.kill(signal, @server.pid)
      @server.read
      @server.close
      @server = nil
      $?.exitstatus
    end

    def log = File.read(@log)

    # On a connection of its own, and so by any of the Ractors. @return [Net::HTTPResponse, nil] nil
    # when no server is there
    def response(path, body = nil)
      Net::HTTP.start(@uri.host, @uri.port, read_timeout: PROCESS_PATIENCE,
        max_retries: 0) do |http|
        body ? http.post(path, body) : http.get(path)
      end
    rescue SystemCallError, IOError
      nil
    end

    def get(path) = response(path)&.body

    def many(count, path, threads: 8)
      Array.new(threads) { Thread.new { Array.new(count / threads) { get(path) } } }
        .flat_map(&:value)
    end

    def test_all_ractors_answer_and_the_main_one_does_not
      serve("--processes", "0", ractors: 3)
      answers = many(96, "/who").map(&:split)
      assert_equal 3, answers.map(&:first).uniq.size
      refute_includes answers.map(&:first), "main"
      assert_equal [@server.pid.to_s], answers.map(&:last).uniq
      # Each Ractor has a middleware of its own, which counts for itself.
      answers.group_by(&:first).each_value do |one|
        assert_equal one.size, one.map { |_, count, _| count }.uniq.size
      end
      assert_equal 0, stop
    end

    def test_bodies_both_ways
      serve("--processes", "0")
      assert_equal "x" * 300_000, response("/echo", "x" * 300_000).body
      assert_equal "part 0\npart 1\npart 2\n", get("/stream")
      assert_equal "404", response("/elsewhere").code
      socket = TCPSocket.new(@uri.host, @uri.port)
      socket.write("POST /echo HTTP/1.1\r\nhost: a\r\ntransfer-encoding: " \
      "chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n" \
        "HEAD /echo HTTP/1.1\r\nhost: a\r\n\r\nGET /echo HTTP/1.1\r\nhost: a\r\nconnection: " \
        "close\r\n\r\n")
      answers = socket.read
      assert_equal 3, answers.scan("HTTP/1.1 200 OK\r\n").size, answers
      assert_includes answers, "\r\n\r\nabcdefg"
    end

    def test_nonsense_is_refused
      serve("--processes", "0")
      socket = TCPSocket.new(@uri.host, @uri.port)
      socket.write("GET / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: " \
        "chunked\r\n\r\n")
      assert_match(%r{\AHTTP/1\.1 400 }, socket.read)
      assert get("/who")
    end

    def test_errors_of_the_application
      serve("--processes", "0", app: "TABLE = {1 => [+'a']}\n#{APP}".sub("[TABLE.to_s]",
        "[Object.const_get(:TABLE).to_s]"))
      socket = TCPSocket.new(@uri.host, @uri.port)
      2.times do
        socket.write("GET /raise HTTP/1.1\r\nhost: a\r\n\r\n")
        head = socket.gets("\r\n\r\n")
        assert_match(%r{\AHTTP/1\.1 500 }, head)
        socket.read(head[/content-length: (\d+)/i, 1].to_i)
      end
      assert_equal %w[500 500], [response("/table").code, response("/wrong").code]
      wait_until(PROCESS_PATIENCE) do
        log.include?("on purpose") && log.include?("(NoMethodError") &&
          log.include?("Ractor::IsolationError")
      end
    end

    def test_a_ractor_that_ends_is_replaced
      serve("--processes", "0")
      response("/exit")
      wait_until(PROCESS_PATIENCE) { log.include?("a Ractor of the server ended, and is replaced") }
      assert_equal 2, many(64, "/who").compact.map { |answer| answer[/\d+/] }.uniq.size
      assert_equal 0, stop
    end

    def test_one_that_ends_again_and_again_is_given_up
      serve("--processes", "1")
      pid = get("/who").split.last
      # A request that reaches a Ractor which is just ending gets no answer, and ends nothing: so it
      # is asked until there is another process.
      wait_until(PROCESS_PATIENCE) do
        next unless (now = get("/who")&.split&.last)

        response("/exit") if now == pid
        now != pid
      end
      assert_operator log.scan("is replaced").size, :>=, 5
      assert_equal 1, log.scan("exited with status 1 while it was ready").size
    end

    def test_requests_in_flight_are_ended_first
      serve("--processes", "0")
      slow = Array.new(6) { Thread.new { get("/slow") } }
      wait_until(PROCESS_PATIENCE) { Dir[File.join(@dir, "slow-*")].size == 6 }
      assert_equal 0, stop
      assert_equal ["slow"], slow.map(&:value).uniq
    end

    def test_connections_are_refused_until_the_last_request_has_ended
      %w[0 1].each do |processes|
        serve("--processes", processes)
        client = TCPSocket.new(@uri.host, @uri.port)
        client.write("GET /gate HTTP/1.1\r\nhost: a\r\n\r\n")
        ::Process.kill(:TERM, @server.pid)
        wait_until(PROCESS_PATIENCE) { response("/who").nil? }
        File.write(File.join(@dir, "open"), "")
        assert_equal 0, stop(0) # without another signal
        assert_match(/\AHTTP\/1.1 200.*open\z/m, client.read)
        client.close
        File.unlink(File.join(@dir, "open"))
      end
    end

    def test_under_the_supervisor
      serve("--processes", "2")
      found = many(128, "/who").map(&:split)
      assert_equal 2, found.map(&:last).uniq.size
      assert_equal 4, found.map { |ractor, _, pid| [ractor, pid] }.uniq.size
      pid = found.first.last
      ::Process.kill(:KILL, pid.to_i)
      wait_until(PROCESS_PATIENCE) do
        many(64, "/who").compact.map { |answer| answer.split.last }
          .then { |pids| !pids.include?(pid) && pids.uniq.size == 2 }
      end
      before = many(64, "/who").compact.map { |answer| answer.split.last }.uniq
      ::Process.kill(:HUP, @server.pid)
      wait_until(PROCESS_PATIENCE) do
        (many(32, "/who").compact.map { |answer| answer.split.last } & before).empty?
      end
      assert_equal 0, stop
    end

    def https(port)
      http = Net::HTTP.new("127.0.0.1", port)
      http.use_ssl = true
      http.verify_mode = OpenSSL::SSL::VERIFY_NONE
      http.start { yield http }
    end

    # @return [String] the name in the certificate that the server shows to who asks for that one
    def shown(port, name)
      TCPSocket.open("127.0.0.1", port) do |socket|
        ssl = OpenSSL::SSL::SSLSocket.new(socket, OpenSSL::SSL::SSLContext.new)
        ssl.hostname = name
        ssl.connect.peer_cert.subject.to_s[/CN=([^\/]+)/, 1]
      end
    end

    # The only pipe between Ractors carries commands and heartbeats, no requests.
    def test_no_message_is_on_the_way_of_a_request
      files = Dir[File.join(ROOT, "lib/raffia/server/**/*.rb")]
      refute_empty files
      calls = files.flat_map do |path|
        File.readlines(path).grep_v(/^\s*#/)
          .grep(
            Regexp.union(/\bRactor\.(receive|yield|select|receive_if)\b/,
              /@ractor\.(send|take|value|<<)/, /ractor\.(send|take|value)\b/)
          )
      end
      assert_empty calls
    end

    def test_the_numbers_are_those_of_all_ractors
      serve("--processes", "0", "--metrics", "tcp://127.0.0.1:0")
      # A request is counted after its response, so the first one may not be yet.
      before = wait_until(PROCESS_PATIENCE) { number("requests").nonzero? }
      many(16, "/who")
      wait_until(PROCESS_PATIENCE) { number("requests") == before + 16 }
      4.times { get("/compact") }
      found = wait_until(PROCESS_PATIENCE) do
        number("gc_runs").then { |count| count if count >= 4 }
      end
      assert_operator found, :<=, get("/collections").to_i, "each Ractor counts them"
      assert_equal 0, stop
      refute_includes log, "replaced"
    end

    # @return [String] where its metrics are
    def admin = wait_until(PROCESS_PATIENCE) { log[%r{metrics: (http://\S+)/metrics}, 1] }

    # @return [Integer] a counter, as the server shows it
    def number(name)
      Net::HTTP.get(URI("#{admin}/metrics"))[/^raffia_#{name}_total (\d+)/, 1].to_i
    end

    # Each Ractor has the file open for itself. So until all of them have opened it anew there are
    # lines in both.
    def test_the_access_log_is_opened_anew_by_all_ractors
      serve("--processes", "0", "--access-log", "access.log")
      files = [File.join(@dir, "access.log.1"), File.join(@dir, "access.log")]
      get("/mark")
      wait_until(PROCESS_PATIENCE) { File.read(files.last).include?("/mark") }
      lines = File.readlines(files.last).size
      File.rename(*files.reverse)
      ::Process.kill(:USR1, @server.pid)
      wait_until(PROCESS_PATIENCE) { File.exist?(files.last) }
      wait_until(PROCESS_PATIENCE) do
        before = File.readlines(files.first).size
        many(16, "/who")
        lines += 16
        wait_until(PROCESS_PATIENCE) { files.sum { |path| File.readlines(path).size } == lines }
        File.readlines(files.first).size == before
      end
      assert_equal 0, stop
      assert_equal lines, files.sum { |path| File.readlines(path).size }
    end

    # The main Ractor no longer says that all is well, and the supervisor acts on it.
    def test_a_ractor_that_is_stuck_costs_the_process
      serve("--processes", "1", "--worker-timeout", "3", "--drain-timeout", "2")
      pid = get("/who").split.last
      socket = TCPSocket.new(@uri.host, @uri.port)
      socket.write("GET /stuck HTTP/1.1\r\nhost: a\r\n\r\n")
      wait_until(PROCESS_PATIENCE) {
        begin
          (answer = Timeout.timeout(2) { get("/who") }) && answer.split.last != pid
        rescue
          false
        end
      }
      socket.close
      assert_equal 0, stop
    end

    def test_a_spell_of_collections
      serve("--processes", "0")
      work = %w[/stress /garbage /compact /stream /each /who].map do |path|
        Thread.new { Array.new((path == "/stress") ? 1 : 8) { get(path) } }
      end
      assert(work.flat_map(&:value).all?)
      assert_equal 0, stop
    end

    def test_impossible_settings_are_refused
      config = "lock = Mutex.new\nrun ->(env) { lock.synchronize { [200, {}, []] } }"
      ended = raffia("serve", script(config, "config.ru"), "-b", "tcp://127.0.0.1:0", "--ractors",
        "2")
      assert_equal [2, ""], [ended.code, ended.out]
      assert_match(
        Regexp.new("config\\.ru: run > its variable lock \\(Thread::Mutex\\) belongs to one " \
          "Ractor.*raffia doctor --rack.*use more processes", Regexp::MULTILINE), ended.err
      )
    end

    if Server::TLS.in_ractors?
      def test_tls
        certificates = TestSupport::Certificates.new(@dir)
        pairs = [certificates.server("a.test"), certificates.server("b.test")]
        serve("--processes", "0", "-b", "ssl://localhost:0",
          *pairs.flat_map { |cert, key| ["--tls-cert", cert, "--tls-key", key] })
        port = URI(@facts["urls"].last).port
        assert_equal %w[a.test b.test], %w[a.test b.test].map { |name| shown(port, name) }
        assert_equal 2, Array.new(48) { https(port) { |http| http.get("/who").body[/\d+/] } }.uniq
          .size
        assert_equal "x" * 300_000, https(port) { |http| http.post("/echo", "x" * 300_000).body }
        # A renewed certificate is seen by each Ractor for itself.
        serial = certificates.server("a.test")
          .then { |cert, _| OpenSSL::X509::Certificate.load_file(cert).first.serial }
        wait_until(PROCESS_PATIENCE) do
          Array.new(16) { https(port, &:peer_cert).serial }.uniq == [serial]
        end
        assert_equal 0, stop
      end
    else
      def test_tls_is_refused
        ended = raffia("serve", script("run ->(_) { }", "config.ru"), "-b",
          "ssl://127.0.0.1:0?self_signed=1", "--ractors", "2")
        assert_equal 2, ended.code
        assert_match(/no TLS in Ractors, 3\.4 has: let a proxy do it/, ended.err)
      end
    end

    def test_requests_in_flight_are_shown
      serve("--processes", "1", "--metrics", "tcp://127.0.0.1:0", "--slow-request", "0.01",
        ractors: 3)
      hung = Array.new(12) do |n|
        TCPSocket.new(@uri.host, @uri.port)
          .tap { |socket| socket.write("GET /gate?#{n} HTTP/1.1\r\nhost: a\r\n\r\n") }
      end
      at = wait_until(PROCESS_PATIENCE) do
        found = JSON.parse(Net::HTTP.get(URI("#{admin}/stats.json")))["workers"].first["at"]
        # None is slow at once, and none has reached the application at once.
        if found.is_a?(Array) && found.size == 12 &&
            found.any? { |request|
              request["backtrace"]
                  &.any? { |frame| frame.include?("config.ru") }
            }
          found
        end
      end
      assert_equal ["/gate"], at.map { |request| request["path"] }.uniq
      File.write(File.join(@dir, "open"), "")
      assert_equal 12, hung.count { |socket| socket.gets.include?("200") }
      hung.each(&:close)
    end

    def test_auto_goes_without
      serve("--processes", "0", ractors: "auto",
        app: "class Lock\n  LOCK = Mutex.new\n  def call(env) = [200, {}, [LOCK.synchronize { " \
          "\"main #{$$}\" }]]\nend\nrun Lock.new")
      assert_equal 0, @facts["ractors"]
      assert_match(/^main/, get("/who"))
      assert_match(/ractors auto: none.*Lock#call uses LOCK, which holds a Thread::Mutex/, log)
    end
  end
end
