# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Keys of statistics, as a version of Sidekiq's Web reads them.
        #
        # @api private
        module StatisticsNames
          # Seconds that ten minutes are kept, and a minute.
          TEN_MINUTES = 3 * 86_400
          MINUTE = 8 * 3600

          module_function

          # @return [Hash{String => Integer}] keys of the counts by class, and how long they are
          #   kept
          def periods(version, time)
            minute = minute(version, time)
            (version == 7) ? {minute => MINUTE} : {minute[0..-2] => TEN_MINUTES, minute => MINUTE}
          end

          # @return [String] of the counts of a minute
          def minute(version, time)
            time.strftime((version == 7) ? "j|%Y%m%d|%-H:%-M" : "j|%y%m%d|%-H:%M")
          end

          # @return [String] of the histogram of a class in a minute
          def histogram(version, name, time)
            return "#{name}-#{time.strftime("%d-%H:%-M")}" if version == 7

            "h|#{name}-#{time.strftime("%-d-%-H:%-M")}"
          end
        end
      end
    end
  end
end
