# frozen_string_literal: true

require "json"
require_relative "../base/error"
require_relative "report/document"

module Raffia
  module Lab
    # A file that --json wrote, read again.
    module ResultFile
      module_function

      # @param data [Hash] of {Report::Document}
      # @return [Hash{Symbol => Object}] as it would be read
      def normal(data) = JSON.parse(JSON.generate(data), symbolize_names: true)

      # @param path [String]
      # @return [Hash{Symbol => Object}] of {Report::Document}
      # @raise [ConfigError] when it is no such file
      def read(path)
        data = JSON.parse(File.read(path), symbolize_names: true)
        unless data.is_a?(Hash) && data[:experiments].is_a?(Array) && data[:environment].is_a?(Hash)
          refuse(path)
        end
        known = Report::Document::SCHEMA
        unless data[:schema] == known
          raise ConfigError, "#{path} has schema #{data[:schema].inspect}; this version of the " \
            "lab reads #{known}: measure again"
        end
        data
      rescue JSON::ParserError
        refuse(path)
      rescue SystemCallError => error
        raise ConfigError, "#{path} cannot be read: #{error.message[/\A[^@]+/].strip}"
      end

      def refuse(path)
        raise(ConfigError, "#{path} is no result of the lab: name a file that raffia lab --json " \
          "wrote")
      end
      private_class_method :refuse
    end
  end
end
