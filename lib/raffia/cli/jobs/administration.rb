# frozen_string_literal: true

require_relative "subcommand"

module Raffia
  module CLI
    class Jobs < Command
      # Pauses, resumes and drains queues and rates, and gives workers orders.
      class Administration < Subcommand
        # Seconds for which a rate is closed that nobody opens: a hundred years.
        EVER = 100 * 365 * 86_400
        # Seconds between two looks at a queue that is drained.
        LOOK = 0.5
        # Running jobs that are read at a look.
        RUNNING = 1000
        private_constant :EVER, :LOOK, :RUNNING

        def pause(queue = nil)
          return close_rate(EVER, "paused: no job of it starts") unless queue

          store.pause(valid_queue(queue))
          answer({"queue" => queue, "paused" => true}) do
            "#{queue} is paused: workers take nothing from it"
          end
        end

        def resume(queue = nil)
          return close_rate(0, "resumed") unless queue

          store.resume(valid_queue(queue))
          answer({"queue" => queue, "paused" => false}) { "#{queue} is resumed" }
        end

        # Returns when the queue is empty and none of its jobs runs, and pauses it then.
        def drain(queue)
          wait_for_end(valid_queue(queue))
          store.pause(queue)
          answer({"queue" => queue, "paused" => true}) { "#{queue} is empty, and paused" }
        rescue Interrupt
          @err.puts "stopped: #{queue} is not paused"
          INTERRUPTED
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

        def close_rate(seconds, done)
          key = @options[:rate] or raise OptionParser::MissingArgument, "QUEUE, or --rate KEY"
          if store.rate(key).empty?
            raise NotFound.new("no job has started under a rate #{key}: the dashboard lists all " \
              "rates", name: key)
          end

          store.close_rate(key, seconds)
          answer({"rate" => key, "paused" => seconds.positive?}) { "the rate #{key} is #{done}" }
        end

        def wait_for_end(queue)
          left = left_in(queue)
          @err.puts "waiting for #{left} jobs; Ctrl-C ends this" if left.positive?
          while left.positive?
            @err.print "\r#{left} left " if @err.tty?
            sleep(LOOK)
            left = left_in(queue)
          end
        end

        def left_in(queue)
          waiting = store.queues.find { |one| one["name"] == queue }&.fetch("size").to_i
          waiting + store.entries(:running, limit: RUNNING).count { |entry| entry.queue == queue }
        end
      end
    end
  end
end
