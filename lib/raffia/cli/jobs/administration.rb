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
        # Waiting jobs, and keys, that are counted at most for a tenant.
        TENANTS = 1_000_000
        private_constant :EVER, :LOOK, :RUNNING, :TENANTS

        def pause(queue = nil)
          return close_rate(EVER, "paused: no job of it starts") unless queue

          pause_queue(valid_queue(queue))
          answer(paused(queue, true)) { "#{named(queue)} is paused: workers take nothing from it" }
        end

        def resume(queue = nil)
          return close_rate(0, "resumed") unless queue

          store.resume(valid_queue(queue), tenant: tenant)
          answer(paused(queue, false)) { "#{named(queue)} is resumed" }
        end

        # Returns when the queue is empty and none of its jobs runs, and pauses it then. The same of
        # a tenant's jobs in it.
        def drain(queue)
          wait_for_end(valid_queue(queue))
          pause_queue(queue)
          answer(paused(queue, true)) { "#{named(queue)} is empty, and paused" }
        rescue Interrupt
          @err.puts "stopped: #{named(queue)} is not paused"
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

        def tenant = @options[:tenant]

        def named(queue) = tenant ? "#{tenant} in #{queue}" : queue

        def paused(queue, paused)
          {"queue" => queue, "tenant" => tenant, "paused" => paused}.compact
        end

        def pause_queue(queue) = store.pause(queue, tenant: tenant)

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
          running = store.entries(:running, limit: RUNNING).count do |entry|
            entry.queue == queue && (tenant.nil? || tenant_of(entry) == tenant)
          end
          running + waiting_in(queue)
        end

        def waiting_in(queue)
          unless tenant
            return store.queues.find { |one| one["name"] == queue }&.fetch("size").to_i
          end

          found = store.tenants(queue, limit: TENANTS, most: TENANTS)
          found.find { |one| one["key"] == tenant }&.fetch("waiting").to_i
        end

        def tenant_of(entry) = entry.item.dig("raffia", "fair", "key")
      end
    end
  end
end
