# frozen_string_literal: true

require "json"
require_relative "../payload"
require_relative "unreadable"

module Raffia
  module Jobs
    class Import
      # Converts a serialized Active Job to the payload of Raffia's adapter.
      # @api private
      module ActiveJobItem
        # Class that runs Active Jobs in workers.
        WRAPPER = "Sidekiq::ActiveJob::Wrapper"

        module_function

        # `fields` are those of the payload. Raises {Unreadable}.
        def build(data, fields = {})
          unless data.is_a?(Hash) && data["job_class"].is_a?(String)
            raise Unreadable, "it is no serialized Active Job"
          end

          {"class" => WRAPPER, "wrapped" => data["job_class"], "args" => [data],
           "queue" => data["queue_name"], **fields}
        end

        # The same of JSON.
        def parse(json, fields = {})
          build(JSON.parse(json), fields)
        rescue JSON::ParserError
          raise Unreadable, "its arguments are no JSON"
        end
      end
    end
  end
end
