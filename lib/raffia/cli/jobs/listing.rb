# frozen_string_literal: true

require_relative "subcommand"

module Raffia
  module CLI
    class Jobs < Command
      # Shows jobs.
      class Listing < Subcommand
        def list(set, queue = nil)
          set, queue = set(set, queue)
          found = store.entries(set, queue:, match: @options[:match], **part)
          answer(found.map { |entry| data(entry) }) do
            next "There are none." if found.empty?
            table([%w[jid class arguments queue at error], *found.map { |entry| row(entry) }])
          end
        end

        def show(jid)
          entry = find(jid)
          data = data(entry)
          answer(data) do
            ["#{entry.set} in #{entry.queue}#{", #{time(entry.at)}" if entry.at}",
              JSON.pretty_generate(data["job"])]
          end
        end

        private

        def data(entry)
          {"set" => entry.set, "queue" => entry.queue, "at" => entry.at, "job" => item(entry)}
        end

        # Hidden arguments are shown on demand only, for `show`.
        def item(entry)
          return Raffia::Jobs::Redaction.item(entry.item) unless @options[:reveal]

          Raffia::Jobs::Encryption.reveal_all(entry.item)
        end

        def row(entry)
          item = Raffia::Jobs::Redaction.item(entry.item)
          [item["jid"], Raffia::Jobs::Payload.class_name(item),
            shorten(JSON.generate(arguments(item)), 40), entry.queue, time(entry.at),
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
