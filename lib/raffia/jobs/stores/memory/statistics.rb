# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        class Statistics < Store::Statistics
          # Minutes and days that are kept.
          MINUTES = 8 * 60
          DAYS = 5 * 365

          attr_reader :processed, :failed

          def initialize(...)
            super
            @processed = @failed = 0
            @days = {}
            @minutes = {}
          end

          def add(tally)
            now = Time.now
            @processed += tally.processed
            @failed += tally.failed
            day = @days[now.getutc.strftime("%F")] ||= {}
            sum(day, {"processed" => tally.processed, "failed" => tally.failed})
            minute = @minutes[now.to_i / 60 * 60] ||= {}
            tally.classes.each { |name, counts| sum(minute[name] ||= {}, counts) }
            prune(now.to_i)
          end

          def history(days = 30)
            @days.sort.reverse.first(days).to_h { |day, counts| [day, counts.dup] }
          end

          def metrics(minutes = 60)
            since = Time.now.to_i - minutes * 60
            recent = @minutes.sort.drop_while { |at, _| at <= since - 60 }
            recent.each_with_object({}) do |(at, classes), found|
              classes.each { |name, counts| (found[name] ||= []) << {"at" => at, **counts} }
            end
          end

          private

          def sum(into, counts)
            into.update(counts) do |_, before, more|
              more.is_a?(Array) ? before.zip(more).map(&:sum) : before + more
            end
          end

          def prune(now)
            @minutes.shift while @minutes.size > 1 && @minutes.first.first < now - MINUTES * 60
            @days.shift while @days.size > DAYS
          end
        end
      end
    end
  end
end
