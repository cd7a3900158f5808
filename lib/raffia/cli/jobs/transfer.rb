# frozen_string_literal: true

require_relative "subcommand"

module Raffia
  module CLI
    class Jobs < Command
      # Exports and imports all jobs, a line of JSON each: {"set", "queue", "at", "payload"}.
      class Transfer < Subcommand
        # Jobs in one step, and between two reports of progress.
        SLICE = 1000
        # Time of dead jobs, so that they cannot start before they are killed: in 2100.
        NEVER = 4_102_444_800.0
        private_constant :NEVER

        def initialize(...)
          super
          @count = @left_out = 0
        end

        # Running jobs are exported as waiting, so pause the workers before.
        def export(file = nil)
          @store = store
          file ? opened(file, "w") { |io| write(io) } : write(@out)
          @err.puts "exported #{@count} jobs from #{@store.url}"
          if @left_out.positive?
            @err.puts "left out #{@left_out} that cannot be read: `raffia jobs list dead` " \
              "shows them"
          end
          OK
        end

        # Leaves out unique jobs that are there already. A job is imported without its batch when
        # this store does not have it.
        def import(file = nil)
          @store = store(new: true)
          file ? opened(file, "r") { |io| read(io) } : read($stdin)
          if @left_out.positive?
            @err.puts "left out #{@left_out} that are unique, and there already"
          end
          answer({"imported" => @count}) { "imported #{@count} jobs into #{@store.url}" }
        end

        private

        def opened(file, mode, &)
          File.open(file, mode, &)
        rescue Errno::ENOENT
          raise NotFound.new(name: file)
        rescue Errno::EACCES, Errno::EISDIR, Errno::ENOTDIR, Errno::EROFS => error
          raise ConfigError, "#{file}: #{Text.reason(error)}"
        end

        def write(io)
          @store.queues.each { |queue| dump(io, :queue, queue["name"]) }
          (Raffia::Jobs::Store::SETS - [:queue]).each { |set| dump(io, set) }
        end

        def dump(io, set, queue = nil)
          each_entry(set, queue) do |entry|
            next @left_out += 1 if entry.item.empty?

            io.puts JSON.generate({"set" => entry.set, "queue" => entry.queue, "at" => entry.at,
              "payload" => entry.payload})
            progress
          end
        end

        def each_entry(set, queue)
          offset = 0
          until (entries = @store.entries(set, queue:, offset:, limit: SLICE)).empty?
            entries.each { |entry| yield entry }
            offset += entries.size
          end
        end

        def read(io)
          io.each_line.with_index(1).each_slice(SLICE) do |lines|
            rows = lines.map { |line, number| row(line, number) }
            rows = rows.zip(@store.enqueue(rows.map { |row| draft(row) })).select(&:last)
              .map(&:first)
            @left_out += lines.size - rows.size
            kill(rows.select { |row| row["set"] == "dead" })
            rows.each { progress }
          end
        end

        def row(line, number)
          row = JSON.parse(line)
          unless row.is_a?(Hash) && row["payload"].is_a?(String) && row["queue"].is_a?(String)
            raise TypeError
          end

          item = Raffia::Jobs::Payload.load(row["payload"])
          unless item["jid"].is_a?(String) &&
              Raffia::Jobs::Client::PayloadBuilder::QUEUE.match?(row["queue"])
            raise TypeError
          end

          without_missing_batch(row.merge("item" => item))
        rescue JSON::ParserError, TypeError, Raffia::Jobs::BadPayload
          raise ConfigError, "line #{number} is not what `raffia jobs export` writes; the " \
            "#{@count} jobs before it were imported"
        end

        def draft(row)
          at = {"scheduled" => row["at"], "retry" => row["at"], "dead" => NEVER}[row["set"]]
          item = row["item"]
          Raffia::Jobs::Draft.new(jid: item["jid"], queue: row["queue"], payload: row["payload"],
            at: at, extras: extras(item))
        end

        # Invalid fields stay in the payload, and stores ignore them.
        def extras(item)
          own = item[Raffia::Jobs::Payload::OWN]
          own unless Raffia::Jobs::Payload::FieldCheck.complaint(own)
        end

        def without_missing_batch(row)
          batch = row["item"].dig(Raffia::Jobs::Payload::OWN, "batch")
          return row if batch.nil? || @store.batch(batch)

          item = {**row["item"],
            Raffia::Jobs::Payload::OWN => row["item"][Raffia::Jobs::Payload::OWN].except("batch")}
          {**row, "item" => item, "payload" => JSON.generate(item)}
        end

        def kill(rows) = @store.kill(rows.filter_map { |row| @store.find(row["item"]["jid"]) })

        def progress
          @count += 1
          @err.print "\r#{@count}" if (@count % SLICE).zero? && @err.tty?
        end
      end
    end
  end
end
