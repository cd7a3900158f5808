# frozen_string_literal: true

require "json"
require_relative "../../jobs"
require_relative "../program"
require_relative "../text"
require_relative "../user_code"

module Raffia
  module CLI
    module Jobs
      # What the commands share: store, options, output.
      # @api private
      class Context
        include UserCode

        attr_reader :options
        # For progress.
        attr_reader :err
        attr_reader :out

        def initialize(options, out, err)
          @options = options
          @out = out
          @err = err
          @pid = ::Process.pid
          program = Program.new(options[:require] || [], search: [], optional: true)
          attempt { program.load }
          # The command line takes precedence over the program.
          Raffia::Jobs.store = options[:store] if options[:store]
        end

        # A command that only reads must not create a store.
        # @param new [Boolean] whether it may create one
        def store(new: false)
          store = Raffia::Jobs.store
          return store if new || store.exist?

          raise NotFound.new("there is no store #{store.url}: say another one by --store or " \
            "RAFFIA_STORE; the first job that is enqueued makes it", name: store.url)
        end

        # @param name [String] such as "dead", "queue:mail", or "queue" with a queue
        # Set, and queue or nil.
        def set(name, queue = nil)
          name, queue = name.split(":", 2) if name.start_with?("queue:")
          set = Raffia::Jobs::Store::SETS.find { |one| one.name == name }
          unless set
            raise ConfigError, "there is no set #{name}: use one of " \
              "#{Raffia::Jobs::Store::SETS.join(", ")}"
          end
          if set == :queue && queue.nil?
            raise ConfigError, "which queue? Say its name, as in queue:default"
          end

          [set, queue && queue(queue)]
        end

        # @raise [ConfigError] for an invalid name
        def queue(name)
          return name if Raffia::Jobs::Client::PayloadBuilder::QUEUE.match?(name)

          raise ConfigError, "#{name.inspect} cannot be the name of a queue: use letters, digits " \
            "and _ : . -"
        end

        # Entries of a set, read page by page.
        def each_entry(set, queue = nil, match: options[:match], page: 500)
          return enum_for(:each_entry, set, queue, match: match, page: page) unless block_given?

          offset = 0
          until (entries = store.entries(set, queue: queue, offset: offset, limit: page,
            match: match)).empty?
            entries.each { |entry| yield entry }
            offset += entries.size
          end
        end

        # @param data [Object] for --json
        # @yieldreturn [String, Array<String>] for people
        # {OK}.
        def answer(data)
          out.puts(options[:json] ? JSON.pretty_generate(data) : yield)
          OK
        end

        # @param rows [Array<Array>] titles first
        # Lines, numbers aligned to the right.
        def table(rows)
          rows = rows.map { |row| row.map { |cell| cell.is_a?(Numeric) ? cell : Text.plain(cell) } }
          widths = rows.transpose.map { |column| column.map { |cell| cell.to_s.size }.max }
          rows.map do |row|
            row.each_with_index.map { |cell, index|
              cell.is_a?(Numeric) ? cell.to_s.rjust(widths[index]) : cell.ljust(widths[index])
            }.join("  ").rstrip
          end
        end

        def time(time) = time ? Time.at(time).utc.strftime("%Y-%m-%d %H:%M:%S UTC") : ""
      end
    end
  end
end
