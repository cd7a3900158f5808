# frozen_string_literal: true

module Raffia
  module Integrations
    module ActiveJob
      # What can be said about an Active Job beyond Active Job's own words.
      #
      #     class ReportJob < ApplicationJob
      #       raffia_options on: :processes, limit: 2, retry: 3
      #     end
      module Options
        # What a recurring job of this class is enqueued as.
        # @param queue [String, nil] nil: that of the class
        # @return [Hash] as {Jobs.enqueue} takes it
        # @api private
        def job_item(*arguments, queue: nil)
          Payload.of(new(*arguments).set({queue: queue}.compact))
        end

        # @param given [Hash] see {Job::Options#options}; the queue and the priority are Active
        #   Job's
        # @return [Hash{Symbol => Object}] all that is set
        # @raise [ConfigError]
        def raffia_options(**given)
          set = @raffia_options ||
            (superclass.respond_to?(:raffia_options) ? superclass.raffia_options : {}.freeze)
          return set if given.empty?

          Job::OptionCheck.options(self, given)
          @raffia_options = set.merge(given).freeze
        end
      end
    end
  end
end
