# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  class Server
    # Blocks of the application that run when the server and its workers start and stop. Blocks of
    # one hook run in the order of their definition.
    #
    # @api private
    class Hooks
      NAMES = {
        before_fork: "in the supervisor, before a worker is forked: its index",
        after_fork: "in a worker that has just been forked: open its own connections here. Gets " \
          "its index",
        actors: "in a worker whose loop has begun: spawns actors that live beside the requests, " \
          "such as a supervisor, and returns its ref. They stop after the last request",
        before_worker_shutdown: "in a worker that has answered its last request: its index",
        on_worker_ready: "in the supervisor, when a worker accepts: its index",
        on_worker_exit: "in the supervisor, when a worker has ended: its index, and how (pid, " \
          "status, signal)",
        on_restart: "in the supervisor, before the workers are replaced",
        on_reopen: "everywhere, when log files are to be opened anew",
        on_stop: "in the supervisor, or the one process, when the server stops",
        client_key: "in a worker, before each request that client_rate limits: the env. Returns " \
          "the key of the client, such as that of an API; nil: its address counts",
        on_error: "in a worker, when the application has raised: the error and the env"
      }.freeze

      def initialize
        @blocks = NAMES.to_h { |name, _| [name, []] }
      end

      def add(name, &block)
        raise ConfigError, "#{name} needs a block: what is to be done" unless block

        @blocks.fetch(name) << block
        nil
      end

      def call(name, *arguments) = @blocks.fetch(name).each { |block| block.call(*arguments) }

      def all(name) = @blocks.fetch(name)

      def any?(name) = @blocks.fetch(name).any?
    end
  end
end
