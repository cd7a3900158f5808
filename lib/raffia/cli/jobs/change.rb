# frozen_string_literal: true

require_relative "subcommand"

module Raffia
  module CLI
    class Jobs < Command
      # Changes jobs.
      class Change < Subcommand
        # Jobs in one step.
        PAGE = 500

        def enqueue(name, *json)
          item = {"class" => job_class(name), "args" => json.map { |text| value(text) },
                  "queue" => @options[:queue],
                  "at" => @options[:in]&.then { |seconds| Time.now.to_f + seconds }}.compact
          jid = Raffia::Jobs.enqueue([item]).first
          answer({"jid" => jid}) do
            jid || "It was not enqueued: a unique job like it is there, or a middleware refused it."
          end
          jid ? OK : FAILED
        end

        def retry(*jids)
          change(jids, %i[scheduled retry blocked dead], "waiting") do |entries|
            store.requeue(entries)
          end
        end

        def kill(*jids)
          change(jids, %i[queue scheduled retry], "dead") { |entries| store.kill(entries) }
        end

        def delete(*jids)
          change(jids, %i[queue scheduled retry blocked dead], "deleted") do |entries|
            store.delete(entries)
          end
        end

        def pause(queue)
          store.pause(valid_queue(queue))
          answer({"queue" => queue, "paused" => true}) do
            "#{queue} is paused: workers take nothing from it"
          end
        end

        def resume(queue)
          store.resume(valid_queue(queue))
          answer({"queue" => queue, "paused" => false}) { "#{queue} is resumed" }
        end

        def order(worker, order)
          unless order.match?(/\A(?:quiet|stop|dump|(?:cancel|trace) \S+)\z/)
            raise ConfigError, "#{order.inspect} is no order: use quiet, stop, dump, \"cancel " \
              "JID\" or \"trace JID\""
          end
          unless store.order(worker, order)
            raise NotFound.new("there is no worker #{worker}: `raffia jobs processes` lists all",
              name: worker)
          end

          answer({"worker" => worker, "order" => order}) { "#{worker} gets the order" }
        end

        private

        # The class, for its options, if it is loaded (-r).
        def job_class(name)
          Object.const_get(name)
        rescue NameError
          name
        end

        def value(text)
          JSON.parse(text)
        rescue JSON::ParserError
          raise ConfigError, "#{text} is not JSON: a string needs its quotes, as in '\"text\"'"
        end

        def change(jids, sets, done, &)
          if jids.empty? && @options[:all].nil?
            raise OptionParser::MissingArgument, "JID, or --all SET"
          end

          count = jids.empty? ? change_all(sets, &) : change_named(jids, sets, &)
          jobs = (count == 1) ? "job is" : "jobs are"
          answer({"changed" => count}) { "#{count} #{jobs} #{done}" }
          count.zero? ? FAILED : OK
        end

        def change_named(jids, sets)
          found = jids.map { |jid| find(jid) }
          wrong = found.find { |entry| !sets.include?(entry.set) }
          if wrong
            raise ConfigError, "job #{wrong.jid} is #{wrong.set}: this can be done to those that " \
              "are #{sets.join(", ")}"
          end

          yield found
        end

        # Page by page; entries that do not change are passed over.
        def change_all(sets)
          set, queue = set(@options[:all])
          unless sets.include?(set)
            raise ConfigError, "this cannot be done to #{set} jobs, only to those that are " \
              "#{sets.join(", ")}"
          end

          count = passed = 0
          until (page = store.entries(set, queue: queue, offset: passed, limit: PAGE,
            match: @options[:match])).empty?
            changed = yield page
            count += changed
            passed += page.size - changed
          end
          count
        end
      end
    end
  end
end
