# frozen_string_literal: true

module Raffia
  module CLI
    module Jobs
      # What changes something.
      # @api private
      class Change
        # How many are changed at once.
        PAGE = 500

        def initialize(desk)
          @desk = desk
        end

        def enqueue(name, *json)
          item = {"class" => known(name), "args" => json.map { |text| value(text) }, "queue" => @desk.options[:queue],
                  "at" => @desk.options[:in]&.then { |seconds| Time.now.to_f + seconds }}.compact
          jid = Raffia::Jobs.enqueue([item]).first
          @desk.answer({"jid" => jid}) { jid || "It was kept out: a unique job like it is there already, or a middleware refused it." }
          jid ? OK : FAILED
        end

        def retry(*jids) = change(jids, %i[scheduled retry blocked dead], "waiting") { |entries| store.requeue(entries) }

        def kill(*jids) = change(jids, %i[queue scheduled retry], "dead") { |entries| store.kill(entries) }

        def delete(*jids) = change(jids, %i[queue scheduled retry blocked dead], "deleted") { |entries| store.delete(entries) }

        def pause(queue)
          store.pause(@desk.queue(queue))
          @desk.answer({"queue" => queue, "paused" => true}) { "#{queue} is paused: workers take nothing from it" }
        end

        def resume(queue)
          store.resume(@desk.queue(queue))
          @desk.answer({"queue" => queue, "paused" => false}) { "#{queue} goes on" }
        end

        def order(worker, order)
          raise ConfigError, "#{order.inspect} is no order: use quiet, stop, dump, \"cancel JID\" or \"trace JID\"" unless order.match?(/\A(?:quiet|stop|dump|(?:cancel|trace) \S+)\z/)
          raise NotFound.new("there is no worker #{worker}: `raffia jobs processes` lists all", name: worker) unless store.order(worker, order)

          @desk.answer({"worker" => worker, "order" => order}) { "#{worker} is told" }
        end

        private

        def store = @desk.store

        # With its class's options, where the class is loaded (-r).
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
          raise OptionParser::MissingArgument, "JID, or --all SET" if jids.empty? && @desk.options[:all].nil?

          count = jids.empty? ? all(sets, &) : named(jids, sets, &)
          @desk.answer({"changed" => count}) { "#{count} #{(count == 1) ? "job is" : "jobs are"} #{done}" }
          count.zero? ? FAILED : OK
        end

        def named(jids, sets)
          found = jids.map { |jid| store.find(jid) || raise(NotFound.new("there is no job #{jid}: it may have been done", name: jid)) }
          wrong = found.find { |entry| !sets.include?(entry.set) }
          raise ConfigError, "job #{wrong.jid} is #{wrong.set}: this can be done to those that are #{sets.join(", ")}" if wrong

          yield found
        end

        # From a snapshot of one page after the other; what changes goes away, what does not is passed over.
        def all(sets)
          set, queue = @desk.set(@desk.options[:all])
          raise ConfigError, "this cannot be done to #{set} jobs, only to those that are #{sets.join(", ")}" unless sets.include?(set)

          count = passed = 0
          until (page = store.entries(set, queue: queue, offset: passed, limit: PAGE, match: @desk.options[:match])).empty?
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
