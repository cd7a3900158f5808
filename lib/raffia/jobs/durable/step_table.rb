# frozen_string_literal: true

require_relative "error"

module Raffia
  module Jobs
    module Durable
      # Records of steps in a database of the application: the table `raffia_steps`, which is made
      # on first use. A row has the key of the step, its record, and when it was written.
      #
      # A second attempt waits for the first one's row, because the key is the primary key, and
      # takes the record from there.
      # @api private
      class StepTable
        NAME = "raffia_steps"
        # Seconds that rows are kept: longer than any worker stalls.
        KEPT = 30 * 86_400
        # One of so many steps removes old rows.
        PRUNE = 500

        # @param database [ApplicationDatabase::SQLite] or another one
        def initialize(database)
          @database = database
          @reserved = false
        end

        # Yields unless the key has a record. Returns the record; nil when the block has rolled
        # back.
        def once(key, &)
          prune if rand(PRUNE).zero?
          attempt(key, &)
        rescue => error
          raise error if @reserved || @database.table?(NAME)

          create
          attempt(key, &)
        end

        private

        def attempt(key)
          text = nil
          @database.transaction do
            next text = recorded(key) unless reserve(key)

            @reserved = true
            record = complete { yield }
            write(key, record)
            text = record
          end
          text
        end

        # Returns the block's value. Raises {Error} when a `return`, `break` or `throw` leaves it:
        # Active Record would commit the effect without its record, other connections roll it back.
        def complete
          value = yield
          ended = true
          value
        rescue Exception # standard:disable Lint/RescueException
          ended = true
          raise
        ensure
          unless ended || ::Thread.current.status == "aborting"
            raise Error, "return, break or throw has left the block of a transaction, and its " \
              "effect would have no record: end the block with its value"
          end
        end

        # Whether this attempt is the first one.
        def reserve(key)
          @database.run(@database.insert("INTO #{NAME} (id, written_at) VALUES " \
            "(#{quote(key)}, #{now})")) == 1
        end

        def write(key, text)
          @database.run("UPDATE #{NAME} SET record = #{quote(text)} WHERE id = #{quote(key)}")
        end

        def recorded(key) = @database.value("SELECT record FROM #{NAME} WHERE id = #{quote(key)}")

        def prune
          @database.run("DELETE FROM #{NAME} WHERE written_at < #{now - KEPT}")
        end

        # Another process may make it at the same time.
        def create
          @database.schema(NAME).each { |statement| @database.run(statement) }
        rescue
          raise unless @database.table?(NAME)
        end

        def quote(text) = @database.quote(text)

        def now = Time.now.to_i
      end
    end
  end
end
