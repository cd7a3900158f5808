# frozen_string_literal: true

module Raffia
  module CLI
    module Jobs
      # All jobs as lines of JSON, out of a store and into one: {"set", "queue", "at", "payload"}.
      # @api private
      class Transfer
        # How many are written at once, and after how many one hears of it.
        SLICE = 1000

        def initialize(desk)
          @desk = desk
          @store = desk.store
          @count = @left_out = 0
        end

        # Workers should rest meanwhile. What runs is exported as waiting.
        def export(file = nil)
          file ? File.open(file, "w") { |io| write(io) } : write(@desk.out)
          @desk.err.puts "exported #{@count} jobs from #{@store.url}"
          @desk.err.puts "left out #{@left_out} that cannot be read: `raffia jobs list dead` shows them" if @left_out.positive?
          OK
        end

        def import(file = nil)
          file ? File.open(file) { |io| read(io) } : read($stdin)
          @desk.answer({"imported" => @count}) { "imported #{@count} jobs into #{@store.url}" }
        rescue Errno::ENOENT
          raise NotFound.new("#{file} does not exist", name: file)
        end

        private

        def write(io)
          @store.queues.each { |queue| dump(io, :queue, queue["name"]) }
          (Raffia::Jobs::Store::SETS - [:queue]).each { |set| dump(io, set) }
        end

        def dump(io, set, queue = nil)
          @desk.each_entry(set, queue, match: nil) do |entry|
            next @left_out += 1 if entry.item.empty?

            io.puts JSON.generate({"set" => entry.set, "queue" => entry.queue, "at" => entry.at, "payload" => entry.payload})
            progress
          end
        end

        def read(io)
          io.each_line.with_index(1).each_slice(SLICE) do |lines|
            rows = lines.map { |line, number| row(line, number) }
            @store.enqueue(rows.map { |row| draft(row) })
            bury(rows.select { |row| row["set"] == "dead" })
            rows.each { progress }
          end
        end

        def row(line, number)
          row = JSON.parse(line)
          raise TypeError unless row.is_a?(Hash) && row["payload"].is_a?(String) && row["queue"].is_a?(String)

          row.merge("item" => Raffia::Jobs::Payload.load(row["payload"]))
        rescue JSON::ParserError, TypeError, Raffia::Jobs::BadPayload
          raise ConfigError, "line #{number} is not what `raffia jobs export` writes; the #{@count} jobs before it were imported"
        end

        # What is dead must not be begun on its way there.
        NEVER = 4_102_444_800.0 # in 2100
        private_constant :NEVER

        def draft(row)
          at = {"scheduled" => row["at"], "retry" => row["at"], "dead" => NEVER}[row["set"]]
          item = row["item"]
          Raffia::Jobs::Draft.new(jid: item["jid"], queue: row["queue"], payload: row["payload"], at: at, extras: item[Raffia::Jobs::Payload::OWN])
        end

        def bury(rows) = @store.kill(rows.filter_map { |row| @store.find(row["item"]["jid"]) })

        def progress
          @count += 1
          @desk.err.print "\r#{@count}" if (@count % SLICE).zero? && @desk.err.tty?
        end
      end
    end
  end
end
