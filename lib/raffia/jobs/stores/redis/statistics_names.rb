# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Keys of statistics, by the version of Sidekiq's Web.
        # @api private
        module StatisticsNames
          # Seconds that ten minutes are kept, and a minute.
          TEN_MINUTES = 3 * 86_400
          MINUTE = 8 * 3600

          module_function

          # Keys of counts by class, and seconds that they are kept.
          def periods(version, time)
            minute = minute(version, time)
            (version == 7) ? {minute => MINUTE} : {minute[0..-2] => TEN_MINUTES, minute => MINUTE}
          end

          def minute(version, time)
            time.strftime((version == 7) ? "j|%Y%m%d|%-H:%-M" : "j|%y%m%d|%-H:%M")
          end

          def histogram(version, name, time)
            return "#{name}-#{time.strftime("%d-%H:%-M")}" if version == 7

            "h|#{name}-#{time.strftime("%-d-%-H:%-M")}"
          end
        end
      end
    end
  end
end
