# frozen_string_literal: true

require_relative "subcommand"
require_relative "../../jobs/bulk_change"

module Raffia
  module CLI
    class Jobs < Command
      # Changes jobs.
      class Change < Subcommand
        # Options that select jobs, by the criterion of a {Raffia::Jobs::JobFilter}.
        FILTERS = {queue: :queue, class: :class_name, error: :error, older_than: :older_than,
                   tenant: :tenant, match: :match}.freeze
        CONSTANT = /\A[A-Z]\w*(?:::[A-Z]\w*)*\z/
        private_constant :FILTERS, :CONSTANT

        def enqueue(name, *json)
          at = @options[:in]&.then { |seconds| Time.now.to_f + seconds }
          jid = Raffia::Jobs.enqueue([item(job_class(name), json.map { |text| value(text) }, at)])
            .first
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

        def move(*jids)
          to = @options[:to] or raise OptionParser::MissingArgument, "--to QUEUE"
          valid_queue(to)
          change(jids, %i[queue scheduled retry dead], "moved to #{to}") do |entries|
            store.move(entries.reject { |entry| entry.queue == to }, to)
          end
        end

        private

        # The job that the program itself would enqueue: all options of a loaded class apply.
        def item(job, args, at)
          queue = @options.slice(:queue)
          if job.is_a?(Class) && job.include?(Raffia::Job)
            return Raffia::Jobs::ConfiguredJob.new(job, queue).item(args, at)
          end

          {"class" => job, "args" => args, "queue" => queue[:queue], "at" => at}.compact
        rescue ArgumentError => error # of a block among the options, such as rate_key
          raise ConfigError, "#{job} does not take these arguments: #{error.message}"
        end

        # The class, for its options, if it is loaded (-r); else its name.
        def job_class(name)
          unless CONSTANT.match?(name)
            raise ConfigError, "#{name.inspect} is no name of a class: write it as in Ruby, such " \
              "as MailJob or Shop::MailJob"
          end

          found = loaded(name) or return missing_class(name)
          return found if found.is_a?(Class) && found.method_defined?(:perform)

          raise ConfigError, "#{name} is no job: it has no method perform"
        end

        def loaded(name)
          Object.const_get(name)
        rescue NameError, TypeError
          nil
        end

        def missing_class(name)
          return name unless @options[:require]

          raise ConfigError, "#{@options[:require].join(", ")} has no class #{name}: check its " \
            "name, or leave out -r, and a worker's class is taken"
        end

        def value(text)
          JSON.parse(text)
        rescue JSON::ParserError
          raise ConfigError, "#{text} is not JSON: a string needs its quotes, as in '\"text\"'"
        end

        def change(jids, sets, done, &)
          filter = filter()
          if jids.any? && (@options[:all] || !filter.empty?)
            raise ConfigError, "name jobs, or give --all and a filter; not both"
          end
          if jids.empty? && @options[:all].nil? && filter.empty?
            raise OptionParser::MissingArgument, "JID, --all SET, or a filter such as --class NAME"
          end
          count = jids.empty? ? change_all(sets, filter, &) : change_named(jids, sets, &)
          return would_change(count) if @options[:dry_run]

          jobs = (count == 1) ? "job is" : "jobs are"
          answer({"changed" => count}) { "#{count} #{jobs} #{done}" }
          count.zero? ? FAILED : OK
        end

        def filter
          criteria = FILTERS.to_h { |option, name| [name, @options[option]] }
          Raffia::Jobs::JobFilter.new(**criteria)
        end

        def would_change(count)
          answer({"would_change" => count}) { "#{count} would be changed; nothing was" }
        end

        def change_named(jids, sets)
          found = jids.map { |jid| find(jid) }
          wrong = found.find { |entry| !sets.include?(entry.set) }
          if wrong
            raise ConfigError, "job #{wrong.jid} is #{wrong.set}: this can be done to those that " \
              "are #{sets.join(", ")}"
          end

          @options[:dry_run] ? found.size : yield(found)
        end

        def change_all(sets, filter, &)
          change = bulk(sets, filter)
          return change.count if @options[:dry_run]

          count = change.call(progress: method(:progress), &)
          @err.print "\r" if @err.tty?
          count
        end

        def bulk(sets, filter)
          return Raffia::Jobs::BulkChange.new(store, sets, filter) unless @options[:all]

          set, queue = set(@options[:all])
          unless sets.include?(set)
            raise ConfigError, "this cannot be done to #{set} jobs, only to those that are " \
              "#{sets.join(", ")}"
          end

          if queue && @options.fetch(:queue, queue) != queue
            raise ConfigError, "two queues are given: #{queue} and #{@options[:queue]}"
          end

          @options[:queue] ||= queue
          Raffia::Jobs::BulkChange.new(store, [set], filter)
        end

        def progress(read, changed)
          @err.print "\r#{changed} of #{read} " if @err.tty?
        end
      end
    end
  end
end
