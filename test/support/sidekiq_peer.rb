# frozen_string_literal: true

require "json"
require "open3"
require "tmpdir"

module TestSupport
  # The real Sidekiq beside us on the same Redis, in processes of its own, because it is a program
  # as much as a library.
  class SidekiqPeer
    # Seconds for a start on a busy machine.
    PATIENCE = 60
    # The job classes of Sidekiq's side. Each run leaves a line in the list `done`.
    JOBS = <<~RUBY
      require "sidekiq"
      Sidekiq.configure_server { |config| config[:poll_interval_average] = 0.2 }
      class EchoJob
        include Sidekiq::Job
        def perform(*args)
          Sidekiq.redis { |redis| redis.lpush("done", JSON.generate([jid, args])) }
        end
      end
      class FailingJob
        include Sidekiq::Job
        sidekiq_options retry: 3, backtrace: 2
        def perform(*) = raise(ArgumentError, "on purpose")
      end
      class HopelessJob < FailingJob
        sidekiq_options retry: 0
      end
    RUBY

    # The program that inspects Sidekiq's side.
    ASKING = <<~RUBY
      require "sidekiq/api"
      require "sidekiq/web"
      require "rack/mock_request"
      Sidekiq.logger.level = 4
      # Its Web, like a browser that is logged in: 8 checks the request's origin, 7 its token.
      def web(method, path, params = {})
        session = {csrf: SecureRandom.base64(32)}
        Rack::MockRequest.new(Sidekiq::Web).request(method, path,
          "rack.session" => session, "HTTP_SEC_FETCH_SITE" => "same-origin",
          :params => {"authenticity_token" => session[:csrf], **params})
      end
    RUBY

    # @param url [String] of the Redis
    # @param more [String] that its side knows of jobs
    def initialize(url, more = "")
      @url = url
      @dir = Dir.mktmpdir("raffia-sidekiq-")
      @jobs = File.join(@dir, "jobs.rb")
      File.write(@jobs, JOBS + more)
    end

    # @return [void]
    def close = FileUtils.rm_rf(@dir)

    # @return [Integer] its main version
    def version = Gem::Specification.find_by_name("sidekiq").version.segments.first

    # @param script [String] runs with Sidekiq's client, API and Web
    # @return [Object] what its value is after JSON
    def ask(script)
      program = "#{ASKING}\nanswer = begin\n#{script}\nend\nputs JSON.generate([answer])"
      output, errors, status = Open3.capture3(environment, RbConfig.ruby, "-W0", "-r", @jobs, "-e",
        program)
      raise "Sidekiq's side failed:\n#{errors}" unless status.success?

      JSON.parse(output.lines.last).first
    end

    # A worker works while the block runs.
    # @param queues [Array<String>]
    def working(queues: %w[default], concurrency: 2)
      log = File.join(@dir, "log")
      command = [RbConfig.ruby, "-W0", Gem.bin_path("sidekiq", "sidekiq"), "-r", @jobs, "-c",
        concurrency.to_s, *queues.flat_map { |queue| ["-q", queue] }]
      pid = Process.spawn(environment, *command, out: log, err: log, chdir: @dir)
      yield pid
    rescue Minitest::Assertion => error
      raise error.class, "#{error.message}\nThe log of Sidekiq:\n#{File.read(log)}", error.backtrace
    ensure
      stop(pid) if pid
    end

    private

    def environment = {"REDIS_URL" => @url, "RAILS_ENV" => nil, "RACK_ENV" => "test"}

    def stop(pid)
      Process.kill(:TERM, pid)
      give_up = TestSupport.now + PATIENCE
      until Process.wait(pid, Process::WNOHANG)
        Process.kill(:KILL, pid) if TestSupport.now > give_up
        sleep(0.02)
      end
    end
  end
end
