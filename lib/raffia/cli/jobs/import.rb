# frozen_string_literal: true

require_relative "subcommand"
require_relative "../../jobs/import"

module Raffia
  module CLI
    class Jobs < Command
      # `raffia jobs import --from FORMAT URL`: moves jobs of another gem into a store.
      class Import < Subcommand
        # Seconds between two reports of progress.
        INTERVAL = 1
        private_constant :INTERVAL

        def import(url = nil)
          unless url
            raise ConfigError, "--from #{@options[:from]} needs the address of its Redis or " \
              "database, such as raffia jobs import --from #{@options[:from]} #{example}"
          end

          import = import_from(url)
          counts = import.source.counts
          @err.puts "#{@options[:from]} at #{import.source.url}: #{words(counts)}"
          report = @options[:dry_run] ? plan(import) : run(import)
          answer({"source" => counts, **report.to_h, "dry_run" => !!@options[:dry_run]}) do
            lines(report, counts)
          end
        ensure
          import&.close
        end

        private

        def example
          (@options[:from] == "resque") ? "redis://localhost:6379/0" : "postgres://localhost/app"
        end

        def import_from(url)
          Raffia::Jobs::Import.new(@options[:from], url, to: store(new: true), map:,
            permitted: @options[:permit] || [])
        end

        # The last value of the file, which has `call`.
        def map
          file = @options[:map] or return
          raise NotFound.new(name: file) unless ::File.file?(file)

          found = attempt { TOPLEVEL_BINDING.eval(::File.read(file), file) }
          return found if found.respond_to?(:call)

          raise ConfigError, "#{file} must end with a lambda, such as ->(job) { job }"
        end

        def plan(import) = import.plan { |report| progress(report) }

        # Interrupted, it goes on where it was: nothing has to be tidied up.
        def run(import)
          import.run(follow: @options[:follow]) { |report| progress(report) }
        rescue Interrupt
          @err.puts
          @err.puts "stopped; run it again to go on" unless @options[:follow]
          import.report
        rescue Raffia::Jobs::StoreUnavailable => error
          raise error.class, "#{error.message} (#{import.report.total} jobs were imported; run " \
            "it again to go on)"
        end

        def progress(report)
          now = Clock.now
          return if @shown && now - @shown < INTERVAL

          @err.puts "#{report.total} jobs" if @shown
          @shown = now
        end

        def words(counts) = counts.map { |name, count| "#{count} #{name}" }.join(", ")

        def lines(report, counts)
          [summary(report),
            *report.classes.sort_by(&:last).reverse.map { |name, count| "  #{count} #{name}" },
            *report.reasons.map { |reason, count| "dead: #{count}, because #{reason}" },
            *("already there: #{report.resumed}" if report.resumed.positive?),
            *("left out: #{report.left_out} that are unique" if report.left_out.positive?),
            *("left: #{counts["running"]} that ran when this began" if counts["running"].to_i > 0),
            *pruned(report)]
        end

        def summary(report)
          done = @options[:dry_run] ? "would import" : "imported"
          sets = report.sets.map { |set, count| "#{count} #{set}" }
          ["#{done} #{report.total} jobs into #{store(new: true).url}",
            *(sets.join(", ") if sets.any?)].join(": ")
        end

        # See {Raffia::Jobs::Store::Maintenance#prune}.
        def pruned(report)
          return [] unless report.sets[:dead] > 10_000

          ["workers keep the newest 10000 dead jobs: look at them before you start one"]
        end
      end
    end
  end
end
