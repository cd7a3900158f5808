# frozen_string_literal: true

require "json"
require "net/http"
require "openssl"
require "socket"
require "timeout"
require "raffia/server"
require_relative "cli_case"

module Raffia
  # The parent of the tests that start `raffia serve` (or another entrance) as a user does, in a
  # folder of their own.
  class CLIServeCase < CLICase
    PIDS = 'run ->(_env) { [200, {"content-type" => "text/plain"}, [Process.pid.to_s]] }'

    # A server that runs, and what it has said.
    class Running
      attr_reader :pid, :facts

      def initialize(pid, out, err)
        @pid = pid
        @out = out
        @err = err
        @texts = [+"", +""]
        @readers = [[out, @texts[0]], [err, @texts[1]]].map do |io, text|
          Thread.new { io.each_line { |line| text << line } }
        end
      end

      def out = @texts[0]

      def err = @texts[1]

      def url = (@facts ||= JSON.parse(out.lines.first))["urls"].first

      def urls = url && @facts["urls"]

      # Everywhere is here as well.
      def get(path = "/", url: self.url)
        Net::HTTP.get_response(URI(url.sub("[::]", "127.0.0.1") + path))
      end

      def kill(*signals) = signals.each { |signal| ::Process.kill(signal, pid) }

      # @return [Process::Status]
      def ended
        @status ||= Timeout.timeout(CLICase::PROCESS_PATIENCE) {
          ::Process.wait2(pid).last
            .tap { @readers.each(&:join) }
        }
      end

      def running?
        @status.nil? &&
          ::Process.wait2(pid, ::Process::WNOHANG).then { |_, status| @status = status }.nil?
      end

      def finish
        return if @status

        ::Process.kill(:KILL, pid)
        ended
      rescue Errno::ESRCH, Errno::ECHILD
        nil
      end
    end

    def setup
      super
      need_cruby "the server"
      script PIDS, "config.ru"
    end

    private

    # @yieldparam server [Running] one that has said where it listens
    def serve(*argv, env: {}, command: [EXECUTABLE, "serve", "--json"], **options)
      argv = ["-p", "0", *argv] unless argv.any? { |word| %w[-b -p].include?(word) }
      server = start(*command, *argv, env: env, **options)
      wait_until(PROCESS_PATIENCE, "it has not said that it listens") do
        server.out.include?("\n") ||
          (!server.running? && flunk("it ended: #{server.ended.inspect}\n#{server.err}"))
      end
      yield server
    ensure
      server&.finish
    end

    def start(*argv, env: {}, ruby: RbConfig.ruby, **options)
      (out, out_end), (err, err_end) = IO.pipe, IO.pipe
      environment = clean("RACK_ENV" => nil, "RAILS_ENV" => nil, "PORT" => nil,
        "WEB_CONCURRENCY" => nil, **env)
      pid = spawn(environment, ruby, "-W:no-experimental", "-I", File.join(ROOT, "lib"),
        *argv, chdir: @dir, in: File::NULL, out: out_end, err: err_end, **options)
      [out_end, err_end].each(&:close)
      Running.new(pid, out, err)
    end
  end
end
