# frozen_string_literal: true

require "json"
require_relative "../../jobs"
require_relative "../program"
require_relative "../text"
require_relative "../user_code"

module Raffia
  module CLI
    class Jobs < Command
      # Superclass of the subcommands: store, options, output.
      class Subcommand
        include UserCode

        def initialize(options, out, err)
          @options = options
          @out = out
          @err = err
          @pid = ::Process.pid
          refuse_memory
          program = Program.new(options[:require] || [], search: [], optional: true)
          attempt { program.load }
          # The command line takes precedence over the program.
          Raffia::Jobs.store = options[:store] if options[:store]
        end

        private

        # Nothing else sees such a store, so the job would be lost with this process.
        def refuse_memory
          return unless @options[:store]&.start_with?("memory:")

          raise ConfigError, "memory: is the store of one process, and ends with this command: " \
            "name the store of the workers, such as sqlite:raffia.db"
        end

        # The part of a list to show.
        def part = {offset: 0, limit: 50}.merge(@options.slice(:offset, :limit))

        # A command that only reads must not create a store; new: whether it may.
        def store(new: false)
          store = Raffia::Jobs.store
          return store if new || store.exist?

          raise NotFound.new("there is no store #{store.url}: name another one by --store or " \
            "RAFFIA_STORE; the first job that is enqueued creates it", name: store.url)
        end

        def find(jid)
          store.find(jid) ||
            raise(NotFound.new("there is no job #{jid}: it may have been done", name: jid))
        end

        # Set and queue (or nil) of a name such as "dead", "queue:mail", or "queue" with a queue.
        def set(name, queue = nil)
          name, queue = name.split(":", 2) if name.start_with?("queue:")
          set = Raffia::Jobs::Store::SETS.find { |one| one.name == name }
          unless set
            raise ConfigError, "there is no set #{name}: use one of " \
              "#{Raffia::Jobs::Store::SETS.join(", ")}"
          end
          if queue && set != :queue
            raise ConfigError, "only `queue` has a name after it: #{set} jobs are of all queues"
          end
          if set == :queue && queue.nil?
            raise ConfigError, "which queue? Say its name, as in queue:default"
          end

          [set, queue && valid_queue(queue)]
        end

        def valid_queue(name)
          Raffia::Jobs::Client::PayloadBuilder.check_queue(name)
          name
        end

        # Prints data for --json, or the block's text for people. Returns {OK}.
        def answer(data)
          @out.puts(@options[:json] ? JSON.pretty_generate(data) : yield)
          OK
        end

        # Lines of rows, titles first. Numbers are aligned to the right.
        def table(rows)
          rows = rows.map { |row| row.map { |cell| cell.is_a?(Numeric) ? cell : Text.plain(cell) } }
          widths = rows.transpose.map { |column| column.map { |cell| cell.to_s.size }.max }
          rows.map do |row|
            row.zip(widths).map { |cell, width|
              cell.is_a?(Numeric) ? cell.to_s.rjust(width) : cell.ljust(width)
            }.join("  ").rstrip
          end
        end

        def time(time) = time ? Time.at(time).utc.strftime("%Y-%m-%d %H:%M:%S UTC") : ""
      end
    end
  end
end
