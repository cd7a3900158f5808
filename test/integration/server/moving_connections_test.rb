# frozen_string_literal: true

require_relative "server_case"
require "openssl"

# Connections of a worker that is busy are served by an idle one (puma#3892, puma#3961). A busy
# worker stays so until the test has seen the others answer, so that no time matters.
class ServerMovingConnectionsTest < ServerCase
  APP = <<~'RUBY'
    run(lambda do |env|
      release = env["QUERY_STRING"]
      File.write("#{release}.begun", Process.pid.to_s) unless release.empty?
      case env["PATH_INFO"]
      when "/compute" then nil until File.exist?(release)
      when "/sleep" then sleep 0.01 until File.exist?(release)
      end
      [200, {"content-type" => "text/plain"}, ["#{Process.pid} #{env["REMOTE_ADDR"]}"]]
    end)
  RUBY
  # Of a worker that is to be busy: enough to see that all of them move.
  ENOUGH = 4

  # A connection, and who answers on it.
  class Visitor
    PATIENCE = 30

    attr_reader :socket

    def initialize(socket, preface = "")
      @socket = socket
      @socket.to_io.timeout = PATIENCE
      @socket.write(preface)
    end

    def ask(path = "/", **headers)
      lines = headers.map { |name, value| "#{name}: #{value}\r\n" }.join
      @socket.write("GET #{path} HTTP/1.1\r\nhost: test\r\n#{lines}\r\n")
      self
    end

    def answer
      head = +""
      head << (@socket.gets or raise EOFError, "closed after #{head.inspect}") until
        head.end_with?("\r\n\r\n")
      pid, @address = @socket.read(head[/content-length: (\d+)/i, 1].to_i).split
      @closed = head.match?(/^connection: close/i)
      @pid = pid.to_i
    end

    attr_reader :pid, :address, :closed

    def visit(...) = ask(...).answer

    def close = @socket.close
  end

  def setup = need_fork

  def test_while_a_worker_computes_the_other_serves_its_connections
    served do |daemon|
      occupied(daemon, "/compute") do |pid, mine|
        refute_includes mine.map(&:visit), pid
        refute_includes Array.new(ENOUGH) { visitor(daemon).visit }, pid, "new connections"
      end
      moved = metrics(daemon, "raffia_connections_moved_total")
      assert_operator moved['way="idle"'], :>=, ENOUGH
      assert_equal 0, moved['way="waiting"']
    end
  end

  def test_connections_that_were_used_recently_move_before_their_requests
    served do |daemon|
      occupied(daemon, "/compute") do |pid, mine|
        sleep(0.01) until moved_idle(daemon) >= ENOUGH
        refute_includes mine.map(&:visit), pid
        before = moved_idle(daemon)
        refute_includes mine.map(&:visit), pid, "they are at home"
        assert_equal before, moved_idle(daemon)
      end
    end
  end

  def test_while_all_threads_of_a_worker_sleep_the_other_serves_its_connections
    served("execution :threads\nthreads 4") do |daemon|
      occupied(daemon, "/sleep", requests: 4) do |pid, mine|
        refute_includes mine.map(&:visit), pid
      end
      assert_operator metrics(daemon, "raffia_connections_moved_total")['way="waiting"'], :>=,
        ENOUGH
    end
  end

  def test_connections_stay_when_they_must_not_move
    served("rebalance false") do |daemon|
      occupied(daemon, "/compute") do |_pid, mine|
        mine.each(&:ask)
        refute mine.any? { |one| one.socket.wait_readable(0.1) }
      end
      assert_equal [0], metrics(daemon, "raffia_connections_moved_total").values.uniq
    end
  end

  def test_who_the_client_is_moves_along
    served("bind 'tcp://127.0.0.1:PROXY', proxy: '1'\nbind 'unix:socket'\n" \
      "access_log 'access'\nmax_requests_per_connection 3") do |daemon|
      proxied = -> { visitor(daemon, :proxy, preface: "PROXY TCP4 192.0.2.9 192.0.2.1 7 80\r\n") }
      local = -> { Visitor.new(UNIXSocket.new(File.join(daemon.dir, "socket"))) }
      occupied(daemon, "/compute", proxied, local) do |pid, mine|
        refute_includes mine.map(&:visit), pid
        assert_equal %w[127.0.0.1 192.0.2.9], mine.map(&:address).uniq.sort
        mine.each(&:visit)
        assert mine.all?(&:closed), "requests count on both sides"
        assert(mine.all? { |one| one.socket.read.empty? })
      end
      ::Process.kill(:TERM, daemon.pid)
      daemon.wait
      log = File.readlines(File.join(daemon.dir, "access"))
      assert_equal({"192.0.2.9" => true, "127.0.0.1" => true},
        log.to_h { |line| [line[/\A\S+/], true] })
      assert_operator log.count { |line| line.start_with?("192.0.2.9 ") }, :>=, 3 * ENOUGH
    end
  end

  def test_a_new_connection_with_tls_moves_before_its_handshake
    served("bind 'ssl://127.0.0.1:TLS', self_signed: '1'") do |daemon|
      occupied(daemon, "/compute") do |pid, _mine|
        pids = Array.new(ENOUGH) do
          socket = TCPSocket.new("127.0.0.1", daemon.ports[:tls])
          tls = OpenSSL::SSL::SSLSocket.new(socket, OpenSSL::SSL::SSLContext.new)
          tls.sync_close = true
          Visitor.new(tls.connect).tap(&:visit).tap(&:close).pid
        end
        refute_includes pids, pid
      end
    end
  end

  def test_a_worker_that_ends_while_it_computes_loses_no_connection
    served do |daemon|
      occupied(daemon, "/compute") do |pid, mine|
        ::Process.kill(:TERM, pid)
        refute_includes mine.map(&:visit), pid
        refute_includes mine.map(&:visit), pid
      end
    end
  end

  def test_a_killed_worker_takes_none_of_the_moved_connections_with_it
    served do |daemon|
      before = nil
      occupied(daemon, "/compute", answers: false) do |pid, mine|
        before = mine.map(&:visit)
        refute_includes before, pid
        ::Process.kill(:KILL, pid)
        assert_equal before, mine.map(&:visit)
      end
    end
  end

  private

  # A server in a folder, its ports, and how to wait for its end.
  class Folder < TestSupport::Daemon
    attr_accessor :ports

    def wait
      ::Process.wait(@pid)
      @pid = nil
    end
  end

  def served(settings = "")
    ports = %i[plain proxy tls metrics].to_h { |name| [name, TestSupport::Daemon.free_port] }
    config = <<~RUBY
      bind "tcp://127.0.0.1:#{ports[:plain]}"
      metrics "tcp://127.0.0.1:#{ports[:metrics]}"
      processes 2
      environment "production"
      #{settings.gsub("PROXY") { ports[:proxy] }.gsub("TLS") { ports[:tls] }}
    RUBY
    daemon = Folder.new("config.ru" => APP, "raffia.rb" => config)
    daemon.ports = ports
    daemon.start({"RUBYOPT" => nil, "RAFFIA_LOG" => nil}, [RbConfig.ruby, "-W:no-experimental",
      "-I#{ROOT}/lib", "#{ROOT}/exe/raffia", "serve"])
    daemon.await(ports[:metrics]) # it comes after the others
    @visitors = []
    yield daemon
  ensure
    @visitors&.each(&:close)
    daemon&.stop
  end

  def visitor(daemon, port = :plain, preface: "")
    Visitor.new(TCPSocket.new("127.0.0.1", daemon.ports[port]), preface).tap { @visitors << _1 }
  end

  # Occupies one worker, and yields its pid and other connections that it has served. On a slow
  # machine a request may move before it occupies its worker.
  def occupied(daemon, path, *ways, requests: 1, answers: true)
    ways = [-> { visitor(daemon) }] if ways.empty?
    groups = ways.map { |way| by_worker(way) }
    sleep(1.1) if requests > 1 # what has moved may move again then
    pid = busy = files = nil
    until pid
      busy&.each(&:answer)
      busy, files, pids = occupy(daemon, path, groups.first.keys.first, requests)
      pid = pids.first if pids.one?
      release(files) unless pid
    end
    yield pid, groups.flat_map { |group| group.fetch(pid) }
    release(files)
    assert_equal [pid], busy.map(&:answer).uniq if answers
  end

  def release(files) = files.each { |file| File.write(file, "") }

  # The connections and their files, and who computes.
  def occupy(daemon, path, pid, requests)
    busy = Array.new(requests) { visitor_of(daemon, pid) }
    files = busy.map { File.join(daemon.dir, "release#{@files = @files.to_i + 1}") }
    busy.zip(files) { |one, file| one.ask("#{path}?#{file}") }
    begun = files.map { |file| "#{file}.begun" }
    sleep(0.01) until begun.all? { |file| File.size?(file) }
    [busy, files, begun.map { |file| File.read(file).to_i }.uniq]
  end

  def by_worker(way)
    all = Hash.new { |workers, pid| workers[pid] = [] }
    until all.size == 2 && all.values.all? { |some| some.size >= ENOUGH }
      one = way.call
      @visitors << one
      all[one.visit] << one
    end
    all
  end

  def visitor_of(daemon, pid)
    loop do
      one = visitor(daemon)
      return one if one.visit == pid
    end
  end

  def moved_idle(daemon) = metrics(daemon, "raffia_connections_moved_total")['way="idle"']

  # Numbers of a metric, by label.
  def metrics(daemon, name)
    text = Net::HTTP.get(URI("http://127.0.0.1:#{daemon.ports[:metrics]}/metrics"))
    text.scan(/^#{name}\{(.*?)\} (\d+)/).to_h { |label, number| [label, number.to_i] }
  end
end
