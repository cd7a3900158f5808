# frozen_string_literal: true

module Raffia
  module Jobs
    class Worker
      # Registers a starting worker with its store. It may wait for the store: a database can come
      # up later than its workers.
      # @api private
      class Registration
        # Commands of the worker end the wait. The block is called once: when the worker is
        # registered, or begins to wait.
        def initialize(backoff, commands, wait:, &on_start)
          @backoff = backoff
          @commands = commands
          @wait = wait
          @on_start = on_start
        end

        # Yields to register. Returns false when the worker was stopped before.
        def call(worker, &)
          yield
          true
        rescue StoreUnavailable => error
          raise if !@wait || error.is_a?(StoreRefused)

          announce
          try_again(worker, &)
        end

        def announce
          @on_start&.call
          @on_start = nil
        end

        private

        def try_again(worker, &)
          done = @backoff.attempt(-> { worker.stopping? }, sleeper: method(:wait_for_command)) do
            attempt(&)
          end
          raise done if done.is_a?(StoreRefused)

          @commands.push(:quiet) if @quiet
          !done.nil?
        end

        def attempt
          yield
          true
        rescue StoreRefused => error
          error
        end

        # A command to be quiet takes effect after the registration.
        def wait_for_command(seconds)
          @quiet = true if @commands.pop(timeout: seconds) == :quiet
        end
      end
    end
  end
end
