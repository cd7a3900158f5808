# frozen_string_literal: true

module Raffia
  module Integrations
    module ActiveJob
      # Raffia's options for Active Jobs.
      #
      #     class ReportJob < ApplicationJob
      #       raffia_options on: :processes, limit: 2, retry: 3
      #     end
      module Options
        # Item of a recurring job, for {Jobs.enqueue}.
        # @api private
        def job_item(*arguments, queue: nil)
          Payload.of(new(*arguments).set({queue:}.compact))
        end

        # Sets options of jobs of this class and its subclasses.
        # @param given [Hash] see {Job::Options#options}, without queue and priority, which Active
        #   Job sets; none: changes nothing
        # @return [Hash] all options
        # @raise [ConfigError]
        def raffia_options(**given)
          set = @raffia_options ||
            (superclass.respond_to?(:raffia_options) ? superclass.raffia_options : {}.freeze)
          return set if given.empty?

          Job::OptionCheck.options(self, given, set)
          @raffia_options = set.merge(given).freeze
          # Active Job would log them.
          self.log_arguments = false if @raffia_options.values_at(:encrypt, :redact).any?
          @raffia_options
        end
      end
    end
  end
end
