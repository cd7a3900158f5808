# frozen_string_literal: true

require "raffia/process/worker"
require "raffia/executor/ractors/portable_block"
require "raffia/server/ractors"

module TestSupport
  # Ractors that serve an app, in a process of their own: they leave their mark on gems, and before
  # Ruby 4.0 they do not go together with the threads of tests.
  class RactorServer
    LANES = 2

    # @return [Raffia::Server::Observability::Metrics::Counters] where they count
    attr_reader :counters
    # @return [Raffia::Server::Listen::Listener]
    attr_reader :listener

    # @param app [Proc] that shares nothing
    # @param lint [Boolean] whether to have Rack::Lint around it
    # @param log [String] path of a file
    def initialize(app, bind, log, lint:, **options)
      @options = Raffia::Server::Options.build({bind: bind, ractors: LANES, processes: 1,
        **options})
      @listening = Raffia::Server::Listen::Listeners.new(@options)
      @listener = @listening.first.first
      @counters = Raffia::Server::Observability::Metrics::Counters.alone
      steps = lint ? [Raffia::Server::Ractors::MiddlewareStep.new(Rack::Lint, [], nil)] : []
      listeners = @listening.by_ractor(@listening.slot(0))
      @process = Raffia::Process::Worker.new do |link|
        serve(link, Raffia::Server::Ractors::BuildPlan.new(app, steps, false), listeners, log)
      end
      word = @process.read
      raise "they do not begin: #{word}\n#{File.read(log)}" unless word == "ready"
    end

    # @return [void]
    def drain
      @process.write("drain")
      ended = @process.exit(Raffia::TestCase::PATIENCE * 3) or raise "they do not end"
      raise "they ended with #{ended.inspect}" unless ended.status == 0
    ensure
      @process.stop
      @listening.close
    end

    private

    # In the child.
    def serve(link, plan, listeners, log)
      $stderr.reopen(log, "a")
      worker = Raffia::Server::WorkerFactory.build(Raffia::Server::Ractors.ready(plan), listeners,
        options: @options, log: Logger.new($stderr), counters: @counters.open)
      Thread.new { link.reader.read && worker.stop }
      worker.run { link.writer.write("ready") }
      exit!(worker.abandoned? ? 1 : 0)
    rescue Exception => error # standard:disable Lint/RescueException
      link.writer.write(error.full_message)
      exit!(1)
    end
  end
end
