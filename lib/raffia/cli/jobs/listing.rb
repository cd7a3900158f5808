# frozen_string_literal: true

module Raffia
  module CLI
    module Jobs
      # Jobs to look at.
      # @api private
      class Listing
        def initialize(desk)
          @desk = desk
        end

        def list(set, queue = nil)
          set, queue = @desk.set(set, queue)
          found = @desk.store.entries(set, queue: queue,
            **@desk.options.slice(:offset, :limit, :match))
          @desk.answer(found.map { |entry| data(entry) }) do
            if found.empty?
              "There are none."
            else
              @desk.table([%w[jid class arguments queue at error],
                *found.map { |entry| row(entry) }])
            end
          end
        end

        def show(jid)
          entry = @desk.store.find(jid) ||
            raise(NotFound.new("there is no job #{jid}: it may have been done", name: jid))
          @desk.answer(data(entry)) do
            ["#{entry.set} in #{entry.queue}#{", #{@desk.time(entry.at)}" if entry.at}",
              JSON.pretty_generate(entry.item)]
          end
        end

        private

        def data(entry)
          {"set" => entry.set, "queue" => entry.queue, "at" => entry.at, "job" => entry.item}
        end

        def row(entry)
          item = entry.item
          [item["jid"], Raffia::Jobs::Payload.class_name(item),
            shorten(JSON.generate(arguments(item)), 40), entry.queue, @desk.time(entry.at),
            shorten([item["error_class"], item["error_message"]].compact.join(": "), 60)]
        end

        # Of an Active Job its own, and not all that it is serialised to.
        def arguments(item)
          first = Array(item["args"]).first
          (item["wrapped"] && first.is_a?(Hash) && first["arguments"]) || item["args"]
        end

        def shorten(text, size) = (text.size > size) ? "#{text[0, size - 3]}..." : text
      end
    end
  end
end
