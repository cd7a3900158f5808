# frozen_string_literal: true

require_relative "serve_case"

module Raffia
  # Each worker has a socket of its own, with a queue of connections. While a slot has no worker,
  # the others accept its queue.
  class CLIServeSlotsTest < CLIServeCase
    APP = <<~RUBY
      run ->(_env) { [200, {"content-type" => "text/plain"}, [Process.pid.to_s]] }
    RUBY
    # Workers of the second slot do not start while there is a file "broken"; those that start say
    # so.
    CONFIG = <<~RUBY
      after_fork do |index|
        $stderr.puts "begins \#{index}"
        File.exist?("broken") && index == 1 && KIND
      end
    RUBY

    def setup
      super
      skip "SO_REUSEPORT: of Linux" unless RUBY_PLATFORM.include?("linux")
      script APP, "config.ru"
    end

    # @param kind [String] code that keeps a worker from being ready
    def with_slots(kind)
      script CONFIG.sub("KIND", kind), "raffia.rb"
      serve("--processes", "2", "-b", "tcp://127.0.0.1:0") do |server|
        wait_until(PROCESS_PATIENCE) { server.err.include?("2 workers are ready") }
        yield server, URI(server.url).port, workers(server)
        server.kill(:TERM)
        assert_equal 0, server.ended.exitstatus, server.err
      end
    end

    # @return [Hash{Integer => Integer}] pids by slot
    def workers(server)
      pids = File.read("/proc/#{server.pid}/task/#{server.pid}/children").split.map(&:to_i)
      pids.to_h { |pid| [File.read("/proc/#{pid}/cmdline")[/worker (\d)/, 1]&.to_i, pid] }.compact
        .except(nil)
    end

    def clients(port, count)
      Array.new(count) do
        TCPSocket.new("127.0.0.1", port).tap do |client|
          client.timeout = PROCESS_PATIENCE
          client.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        end
      end
    end

    # @return [Array<Integer>] pids of the workers that have answered
    def answers(clients) = clients.map { |client| Integer(client.read[/\d+\z/]) }.uniq

    # It is replaced a minute later, and until then it may go on.
    def test_a_slot_whose_worker_does_not_respond
      with_slots("nil") do |_server, port, pids|
        get = -> { answers(clients(port, 24)) }
        wait_until(PROCESS_PATIENCE) { get.call.size == 2 }
        ::Process.kill(:STOP, pids[1])
        2.times { assert_equal [pids[0]], get.call }
        ::Process.kill(:CONT, pids[1])
        wait_until(PROCESS_PATIENCE) { get.call.size == 2 }
      end
    end

    # A worker that crashes at every start, and one that takes for ever.
    ["raise('a bug of this slot')", "sleep"].each do |kind|
      define_method(:"test_a_slot_whose_worker_is_never_ready: #{kind}") do
        with_slots(kind) do |server, port, pids|
          script "", "broken"
          ::Process.kill(:STOP, pids[1])
          queued = clients(port, 24)
          # both sockets have got some
          wait_until(PROCESS_PATIENCE) { queued.count { |client| client.wait_readable(0) } < 24 }
          begun = server.err.scan("begins 1").size
          ::Process.kill(:KILL, pids[1])
          assert_equal [pids[0]], answers(queued)
          wait_until(PROCESS_PATIENCE) { server.err.scan("begins 1").size > begun }
          3.times { assert_equal [pids[0]], answers(clients(port, 24)) }
          FileUtils.rm(File.join(@dir, "broken"))
          ::Process.kill(:KILL, workers(server)[1]) if kind == "sleep"
          wait_until(PROCESS_PATIENCE) { answers(clients(port, 24)).size == 2 }
        ensure
          queued&.each(&:close)
        end
      end
    end
  end
end
