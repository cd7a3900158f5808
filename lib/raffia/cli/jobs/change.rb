# frozen_string_literal: true

module Raffia
  module CLI
    module Jobs
      # Commands that change jobs.
      # @api private
      class Change
        # Jobs in one step.
        PAGE = 500

        def initialize(context)
          @context = context
        end

        def enqueue(name, *json)
          item = {"class" => known(name), "args" => json.map { |text| value(text) },
                  "queue" => @context.options[:queue],
                  "at" => @context.options[:in]&.then { |seconds| Time.now.to_f + seconds }}.compact
          jid = Raffia::Jobs.enqueue([item]).first
          @context.answer({"jid" => jid}) do
            jid ||
              "It was kept out: a unique job like it is there already, or a middleware refused it."
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
          store.pause(@context.queue(queue))
          @context.answer({"queue" => queue, "paused" => true}) do
            "#{queue} is paused: workers take nothing from it"
          end
        end

        def resume(queue)
          store.resume(@context.queue(queue))
          @context.answer({"queue" => queue, "paused" => false}) { "#{queue} goes on" }
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

          @context.answer({"worker" => worker, "order" => order}) { "#{worker} is told" }
        end

        private

        def store = @context.store

        # The class, for its options, if it is loaded (-r).
        def known(name)
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
          if jids.empty? && @context.options[:all].nil?
            raise OptionParser::MissingArgument, "JID, or --all SET"
          end

          count = jids.empty? ? all(sets, &) : named(jids, sets, &)
          @context.answer({"changed" => count}) do
            "#{count} #{(count == 1) ? "job is" : "jobs are"} #{done}"
          end
          count.zero? ? FAILED : OK
        end

        def named(jids, sets)
          found = jids.map do |jid|
            store.find(jid) ||
              raise(NotFound.new("there is no job #{jid}: it may have been done", name: jid))
          end
          wrong = found.find { |entry| !sets.include?(entry.set) }
          if wrong
            raise ConfigError, "job #{wrong.jid} is #{wrong.set}: this can be done to those that " \
              "are #{sets.join(", ")}"
          end

          yield found
        end

        # Page by page; entries that do not change are passed over.
        def all(sets)
          set, queue = @context.set(@context.options[:all])
          unless sets.include?(set)
            raise ConfigError, "this cannot be done to #{set} jobs, only to those that are " \
              "#{sets.join(", ")}"
          end

          count = passed = 0
          until (page = store.entries(set, queue: queue, offset: passed, limit: PAGE,
            match: @context.options[:match])).empty?
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
