# frozen_string_literal: true

require "test_helper"
require "etc"
require "support/daemon"
require_relative "../integration/cli/serve_case"

module Raffia
  # Clients that keep their connections, on workers that compute now and then, so that connections
  # move all the time. Meanwhile workers are replaced and killed. RAFFIA_MOVES says how many
  # requests, `rake test:moves` makes a million.
  class ServerMovesTest < CLIServeCase
    REQUESTS = Integer(ENV.fetch("RAFFIA_MOVES", "3000"))
    CLIENTS = 12

    APP = <<~RUBY
      run(lambda do |env|
        if env["QUERY_STRING"] == "compute"
          finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 0.06
          nil until Process.clock_gettime(Process::CLOCK_MONOTONIC) > finish
        end
        [200, {"content-type" => "text/plain"}, [env["PATH_INFO"]]]
      end)
    RUBY

    # Keeps its connection until the server closes it, and notes answers that never came.
    class Client
      attr_reader :answered, :lost, :strange

      def initialize(port, number)
        @port = port
        @number = number
        @random = Random.new(number)
        @answered = 0
        @lost = []
        @strange = []
        @over = false
        @thread = Thread.new { work }
      end

      def stop
        @over = true
        @thread.join
      end

      private

      def work
        request until @over
      ensure
        @socket&.close
      end

      def request
        path = "/#{@number}-#{@answered}-#{@random.rand(1 << 30)}"
        send(path)
        body = receive
        @strange << [path, body] unless body == path
        @answered += 1
      rescue SystemCallError, IOError => error
        @lost << error.class
        @socket&.close
        @socket = nil
      end

      def send(path)
        @socket ||= TCPSocket.new("127.0.0.1", @port)
        head = "GET #{path}#{"?compute" if @random.rand < 0.02} HTTP/1.1\r\nhost: a\r\n\r\n"
        cut = (@random.rand < 0.1) ? @random.rand(head.bytesize) : 0
        @socket.write(head.byteslice(0, cut)) if cut.positive?
        @socket.write(head.byteslice(cut..))
      end

      def receive
        head = @socket.gets("\r\n\r\n") or raise EOFError, "no answer"
        body = @socket.read(head[/content-length: (\d+)/i, 1].to_i)
        if head.match?(/^connection: close/i)
          @socket.close
          @socket = nil
        end
        body
      end
    end

    def setup
      super
      unless File.exist?("/proc/self/task/#{::Process.pid}/children")
        skip "/proc/PID/task/PID/children: of Linux"
      end
    end

    def test_no_request_is_lost_but_those_of_killed_workers
      served do |server, port|
        before = descriptors(server)
        clients = Array.new(CLIENTS) { |number| Client.new(port, number) }
        kills = disturb(server, clients)
        clients.each(&:stop)
        lost = clients.flat_map(&:lost)
        moved = counts(server)
        assert_empty clients.flat_map(&:strange)
        assert_operator lost.size, :<=, kills * CLIENTS, lost.tally.to_s
        assert_operator moved.values.sum, :>, 0
        wait_until(PROCESS_PATIENCE) { descriptors(server) == before }
        next if REQUESTS <= 10_000

        puts "#{answered(clients)} answers, #{kills} killed workers, #{lost.size} requests lost " \
          "with them, moved: #{moved}"
      end
    end

    def test_restarts_alone_lose_nothing
      served do |server, port|
        clients = Array.new(CLIENTS) { |number| Client.new(port, number) }
        await_answers(clients, REQUESTS / 10)
        restart(server, 2)
        await_answers(clients, REQUESTS / 10)
        clients.each(&:stop)
        assert_empty clients.flat_map(&:lost)
        assert_empty clients.flat_map(&:strange)
      end
    end

    private

    def served
      script(APP, "config.ru")
      @metrics = TestSupport::Daemon.free_port
      serve("--processes", "2", "-p", "0", "--metrics", "tcp://127.0.0.1:#{@metrics}",
        env: {"RAFFIA_LOG" => "info"}) do |server|
        wait_until(PROCESS_PATIENCE) { server.err.include?("2 workers are ready") }
        yield server, URI(server.url).port
      ensure
        server.kill(:TERM)
        assert_equal(0, server.ended.exitstatus, server.err)
      end
    end

    # Returns how many workers were killed.
    def disturb(server, clients)
      kills = 0
      generation = 1
      while answered(clients) < REQUESTS
        await_answers(clients, [REQUESTS / 20, 2_000].min)
        if (kills + generation).odd?
          kill_one(server)
          kills += 1
        else
          restart(server, generation += 1)
        end
      end
      kills
    end

    def answered(clients) = clients.sum(&:answered)

    def await_answers(clients, more)
      goal = answered(clients) + more
      wait_until(600) { answered(clients) >= goal }
    end

    def restart(server, generation)
      server.kill(:HUP)
      wait_until(PROCESS_PATIENCE) { server.err.include?("restarted: generation #{generation}") }
    end

    # One that has served for a second: a slot whose workers die sooner, again and again, has
    # growing pauses.
    def kill_one(server)
      victim = workers_of(server).min_by { |pid| born(pid) }
      wait_until { TestSupport.now - born(victim) > 1.5 }
      ::Process.kill(:KILL, victim)
      wait_until(PROCESS_PATIENCE) do
        !workers_of(server).include?(victim) && workers_of(server).size == 2
      end
    end

    def workers_of(server)
      File.read("/proc/#{server.pid}/task/#{server.pid}/children").split.map(&:to_i).select do |pid|
        File.read("/proc/#{pid}/cmdline").include?(": worker ")
      rescue SystemCallError
        false
      end
    end

    # Field 22 of proc(5): ticks since the machine started, as the monotonic clock counts.
    def born(pid)
      File.read("/proc/#{pid}/stat").rpartition(") ").last.split[19]
        .to_f / Etc.sysconf(Etc::SC_CLK_TCK)
    end

    # How many each process has open.
    def descriptors(server)
      [server.pid, *workers_of(server)].map do |pid|
        Dir.children("/proc/#{pid}/fd").size
      rescue SystemCallError
        nil
      end
    end

    def counts(_server)
      text = Net::HTTP.get(URI("http://127.0.0.1:#{@metrics}/metrics"))
      text.scan(/^raffia_connections_moved_total\{way="(\w+)"\} (\d+)/)
        .to_h { |way, count| [way, count.to_i] }
    end
  end
end
