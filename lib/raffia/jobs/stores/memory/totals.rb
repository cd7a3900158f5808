# frozen_string_literal: true

require_relative "../../store/values"

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # How much was done: since ever, by day, and by class and minute.
        #
        # @api private
        class Totals
          # Minutes that are kept, and days.
          MINUTES = 8 * 60
          DAYS = 5 * 365

          attr_reader :processed, :failed

          def initialize
            @processed = @failed = 0
            @days = {}
            @minutes = {}
          end

          # @param tally [Tally]
          def add(tally)
            now = Time.now
            @processed += tally.processed
            @failed += tally.failed
            sum(@days[now.getutc.strftime("%F")] ||= {},
              {"processed" => tally.processed, "failed" => tally.failed})
            minute = @minutes[now.to_i / 60 * 60] ||= {}
            tally.classes.each { |name, counts| sum(minute[name] ||= {}, counts) }
            prune(now.to_i)
          end

          # @return [Hash{String => Hash}]
          def history(days)
            @days.sort.reverse.first(days).to_h { |day, counts| [day, counts.dup] }
          end

          # @return [Hash{String => Array<Hash>}]
          def metrics(minutes)
            since = Time.now.to_i - minutes * 60
            @minutes.sort.each_with_object({}) do |(at, classes), found|
              next if at <= since - 60

              classes.each { |name, counts| (found[name] ||= []) << {"at" => at, **counts} }
            end
          end

          private

          def sum(into, counts)
            counts.each do |key, value|
              if into[key]
                into[key] = value.is_a?(Array) ? (into[key] || []).zip(value).map(&:sum) :
                  into[key].to_i + value
              end
              into[key] ||= value.dup
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
