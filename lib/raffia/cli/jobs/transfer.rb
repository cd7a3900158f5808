# frozen_string_literal: true

module Raffia
  module CLI
    module Jobs
      # Exports and imports all jobs, a line of JSON each: {"set", "queue", "at", "payload"}.
      # @api private
      class Transfer
        # Jobs in one step, and between two reports of progress.
        SLICE = 1000

        def initialize(context)
          @context = context
          @count = @left_out = 0
        end

        # Pause the workers before. Running jobs are exported as waiting.
        def export(file = nil)
          @store = @context.store
          file ? opened(file, "w") { |io| write(io) } : write(@context.out)
          @context.err.puts "exported #{@count} jobs from #{@store.url}"
          if @left_out.positive?
            @context.err.puts "left out #{@left_out} that cannot be read: `raffia jobs list " \
            "dead` " \
              "shows them"
          end
          OK
        end

        # Leaves out unique jobs that are there already. Batches are not exported: jobs of one that
        # is not here are imported without it.
        def import(file = nil)
          @store = @context.store(new: true)
          file ? opened(file, "r") { |io| read(io) } : read($stdin)
          if @left_out.positive?
            @context.err.puts "left out #{@left_out} that are unique, and there already"
          end
          @context.answer({"imported" => @count}) { "imported #{@count} jobs into #{@store.url}" }
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
          @context.each_entry(set, queue, match: nil) do |entry|
            next @left_out += 1 if entry.item.empty?

            io.puts JSON.generate({"set" => entry.set, "queue" => entry.queue, "at" => entry.at,
              "payload" => entry.payload})
            progress
          end
        end

        def read(io)
          io.each_line.with_index(1).each_slice(SLICE) do |lines|
            rows = lines.map { |line, number| row(line, number) }
            rows = rows.zip(@store.enqueue(rows.map { |row| draft(row) })).select(&:last)
              .map(&:first)
            @left_out += lines.size - rows.size
            bury(rows.select { |row| row["set"] == "dead" })
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

          alone(row.merge("item" => item))
        rescue JSON::ParserError, TypeError, Raffia::Jobs::BadPayload
          raise ConfigError, "line #{number} is not what `raffia jobs export` writes; the " \
            "#{@count} jobs before it were imported"
        end

        # Dead jobs are scheduled far away, so that they cannot start before they are buried.
        NEVER = 4_102_444_800.0 # in 2100
        private_constant :NEVER

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

        def alone(row)
          batch = row["item"].dig(Raffia::Jobs::Payload::OWN, "batch")
          return row if batch.nil? || @store.batch(batch)

          item = {**row["item"],
            Raffia::Jobs::Payload::OWN => row["item"][Raffia::Jobs::Payload::OWN].except("batch")}
          {**row, "item" => item, "payload" => JSON.generate(item)}
        end

        def bury(rows) = @store.kill(rows.filter_map { |row| @store.find(row["item"]["jid"]) })

        def progress
          @count += 1
          @context.err.print "\r#{@count}" if (@count % SLICE).zero? && @context.err.tty?
        end
      end
    end
  end
end
