# frozen_string_literal: true

# Memory (PSS) of all processes of a server with the Rails application, after the same number of
# requests: Raffia beside Puma, with one process and with four. See docs/performance.md.
#
#     rake bench:rails:memory      # REQUESTS=10000

require "net/http"
require "raffia"
require "raffia/process/memory"
require_relative "application"
require_relative "targets"

module RailsBench
  # One server at a time.
  module Memory
    PORT = "9397"
    CLIENTS = 8
    BOOT = 90
    SERVERS = [
      Targets.puma("puma, 3 threads", 3),
      Targets.raffia("raffia, 1 process", "--processes", "1"),
      Targets.raffia("raffia, 1 process, preload true", "--processes", "1", "--preload"),
      Targets.puma("puma, 4 workers, preload", 3, "-w", "4", "--preload"),
      Targets.raffia("raffia, 4 processes", "--processes", "4")
    ].freeze

    module_function

    # @param requests [Integer]
    # @return [void]
    def call(requests)
      Application.prepare
      puts "PSS in MiB after #{requests} requests:"
      $stdout.sync = true
      SERVERS.each { |server| puts format("%-32s %s", server.name, measure(server, requests)) }
    end

    # @return [String] the sum, and each process
    def measure(server, requests)
      command = server.open.call.map { |word| word.sub("PORT", PORT) }
      pid = spawn(Application.env, *command, chdir: Application.folder, in: File::NULL,
        out: "#{Application.folder}/log/memory.log", err: %i[child out])
      await
      ask(requests)
      parts = tree(pid).map { |one| Raffia::Process::Memory.of(one).pss.fdiv(1 << 20).round }
      "#{parts.sum} = #{parts.join(" + ")}"
    ensure
      finish(pid)
    end

    # A server may wait for connections that nobody ends.
    def finish(pid)
      Process.kill(:TERM, pid)
      100.times { Process.wait(pid, Process::WNOHANG) ? return : sleep(0.1) }
      Process.kill(:KILL, pid)
      Process.wait(pid)
    end

    def await
      limit = Process.clock_gettime(Process::CLOCK_MONOTONIC) + BOOT
      begin
        Net::HTTP.get(URI("http://127.0.0.1:#{PORT}/up"))
      rescue SystemCallError
        raise if Process.clock_gettime(Process::CLOCK_MONOTONIC) > limit

        sleep(0.1)
        retry
      end
    end

    # A connection for each request, so that all workers get some.
    def ask(requests)
      uri = URI("http://127.0.0.1:#{PORT}/articles")
      clients = Array.new(CLIENTS) do
        Thread.new { (requests / CLIENTS).times { expect_ok(Net::HTTP.get_response(uri)) } }
      end
      clients.each(&:value)
    end

    def expect_ok(response)
      raise Bench::Wrong, "it answers #{response.code}" unless response.code == "200"
    end

    # @return [Array<Integer>] the process, and all below it
    def tree(pid)
      children = Dir["/proc/#{pid}/task/*/children"]
        .flat_map { |path| File.read(path).split.map(&:to_i) }
      [pid, *children.flat_map { |child| tree(child) }]
    end
  end
end

RailsBench::Memory.call(Integer(ENV.fetch("REQUESTS", "10000")))
