# frozen_string_literal: true

require_relative "job_adapter"

module Resque
  # State of the compat layer in this process.
  #
  # @api private
  class Setup
    attr_accessor :inline
    attr_writer :logger

    def initialize
      @inline = false
      @hooks = Hash.new { |all, name| all[name] = [] }
    end

    def logger = @logger ||= Logger.new($stderr, level: Logger::INFO)

    def hooks(name) = @hooks[name]

    def attach
      setup = Raffia::Jobs::Setup.current
      setup.adapters << JobAdapter.new
      setup.at_start << lambda do |_worker, _log|
        started = @hooks.values_at(:before_first_fork, :before_fork, :after_fork)
        started.flatten.each { |block| block.arity.zero? ? block.call : block.call(nil) }
      end
    end

    def redis=(server)
      Raffia::Jobs::Setup.current.default = address(server)
    end

    # Jobs fail once, and are then dead: Resque does not retry.
    def enqueue(queue, name, args, at = nil)
      item = {"class" => name, "args" => args, "queue" => queue.to_s, "retry" => 0, "at" => at}
      Raffia::Jobs.enqueue([item.compact]).first
    end

    private

    # Takes all that Resque takes: a URL, HOST:PORT[:DB][/NAMESPACE], a Hash, or a client.
    def address(server)
      case server
      when %r{\A(?:rediss?|unix)://} then server
      when String
        host, port, database = server.split("/").first.split(":")
        "redis://#{host}:#{port || 6379}/#{database || 0}"
      when Hash then of_hash(server.transform_keys(&:to_sym))
      else
        unless server.respond_to?(:id) && server.id.to_s.start_with?("redis")
          raise ArgumentError, "Resque.redis = takes an address of Redis, such as " \
            "redis://localhost:6379/0, or a client of the gem redis, and not #{server.inspect}"
        end
        server.id
      end
    end

    def of_hash(options)
      options[:url] || "redis://#{options[:host] || "localhost"}:#{options[:port] || 6379}/" \
        "#{options[:db] || 0}"
    end
  end
end
