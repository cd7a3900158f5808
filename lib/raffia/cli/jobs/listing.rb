# frozen_string_literal: true

module Raffia
  module CLI
    module Jobs
      # Commands that show jobs.
      # @api private
      class Listing
        def initialize(context)
          @context = context
        end

        def list(set, queue = nil)
          set, queue = @context.set(set, queue)
          found = @context.store.entries(set, queue: queue,
            **@context.options.slice(:offset, :limit, :match))
          @context.answer(found.map { |entry| data(entry) }) do
            if found.empty?
              "There are none."
            else
              @context.table([%w[jid class arguments queue at error],
                *found.map { |entry| row(entry) }])
            end
          end
        end

        def show(jid)
          entry = @context.store.find(jid) ||
            raise(NotFound.new("there is no job #{jid}: it may have been done", name: jid))
          @context.answer(data(entry)) do
            ["#{entry.set} in #{entry.queue}#{", #{@context.time(entry.at)}" if entry.at}",
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
            shorten(JSON.generate(arguments(item)), 40), entry.queue, @context.time(entry.at),
            shorten([item["error_class"], item["error_message"]].compact.join(": "), 60)]
        end

        # Arguments of an Active Job, without its serialization.
        def arguments(item)
          first = Array(item["args"]).first
          (item["wrapped"] && first.is_a?(Hash) && first["arguments"]) || item["args"]
        end

        def shorten(text, size) = (text.size > size) ? "#{text[0, size - 3]}..." : text
      end
    end
  end
end
