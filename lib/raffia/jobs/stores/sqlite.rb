# frozen_string_literal: true

require_relative "../../base/fork"
require_relative "../../base/clock"
require_relative "sql"
require_relative "sqlite/address"
require_relative "sqlite/base"
require_relative "sqlite/bells"
require_relative "sqlite/writer"

module Raffia
  module Jobs
    module Stores
      # Jobs in one file, with nothing to install or to start: the store where none is named. All
      # processes of one machine may use it.
      #
      # * Durable: a call returns when what it did is on disk. What fibers and threads do at the
      #   same time shares a transaction and a flush ({Writer}), so that costs a job a small part of
      #   one.
      # * No polling: who waits for jobs has a socket beside the file, and is told by who commits
      #   some ({Bells}).
      # * Leases are measured by the machine's uptime; those of the time before it was started anew
      #   are void.
      #
      # Addresses: `sqlite:jobs.db`, `sqlite:/var/lib/app/jobs.db?synchronous=normal`. See
      # docs/adr/0012.
      class SQLite < SQL
        # Seconds between two looks, where no socket can be had beside the file.
        LOOK = 0.5
        # Whether there is something to do at once.
        NOW = "SELECT 1 FROM {jobs} WHERE state = 'queue' AND queue {names $1} AND priority < " \
        "#{Store::SUSPECTS} " \
          "AND queue NOT IN (SELECT name FROM {queues} WHERE paused = 1) LIMIT 1"

        # @param url [String]
        # @param synchronous [Symbol, String, nil] what a power cut may take of what was
        #   acknowledged: :full nothing; :normal the last moments;
        #   :off those, and it may ruin the file. A kill takes nothing from any of them. Also in the
        #   address
        # @param timeout [Numeric] seconds to wait for another process that writes, see {Writer}
        # @raise [ConfigError]
        # @raise [MissingDependency] without the gem sqlite3
        def initialize(url, synchronous: nil, timeout: 10)
          super()
          @address = Address.parse(url, synchronous)
          @timeout = timeout
          Driver.load
          start_over
          @fork = Fork.after_child { start_over(@base) }
        end

        # @return [String]
        def url = @address.to_s

        # @return [String]
        def inspect = "#<#{self.class} #{url}>"

        # @see Store#there?
        def there? = File.exist?(@address.path)

        # (see Store#wait)
        def wait(queues, timeout: nil)
          give_up = timeout && Clock.now + timeout
          @bells.take do |bell|
            until bell.interrupted? || (due = look(queues)) == 0
              pause = [due, give_up && give_up - Clock.now, (LOOK unless @bells.audible?)].compact
                .min
              break if pause && pause <= 0

              bell.wait(pause)
            end
          end
          nil
        end

        # (see Store#countable)
        def countable = 100_000

        # (see Store#interrupt)
        def interrupt
          @bells.interrupt
          nil
        end

        # (see Store#check)
        def check
          @base.integrity + super
        end

        # (see Store#close)
        def close
          @fork.remove
          @bells.close
          @base.close
          nil
        end

        private

        def reading(&) = @base.read(&)

        def writing(durable: true, &) = @base.write(durable: durable, &)

        # Also in a child, which must not touch what it has inherited.
        def start_over(inherited = nil)
          inherited&.discard
          @bells&.discard
          @bells = Bells.new(@address.bells, @address.path)
          @base = Base.new(@address, @timeout) { @bells.ring }
        end

        # @return [Numeric, nil] seconds until there is something to claim or to promote; nil:
        #   nobody knows
        def look(queues)
          reading { |db| db.rows(NOW, queues).any? ? 0 : next_due(db) }
        end
      end
    end
  end
end
