# frozen_string_literal: true

require_relative "error"

module Raffia
  # Reads variables of an environment. An empty variable counts as unset: shells and container files
  # clear one so.
  #
  # @api private
  class Variables
    def initialize(env)
      @env = env
    end

    # The value of the first that is set, or nil.
    def string(*names)
      names.each { |name| (value = @env[name].to_s.dup.freeze).empty? or return value }
      nil
    end

    # Nil when it is not set and has no default. Raises ConfigError, which lists the valid values.
    def choice(name, valid, default = nil)
      value = string(name) or return default

      valid.find { |known| known.name == value } or raise ConfigError,
        "#{name}=#{value} means nothing here: use one of #{valid.join(", ")}, or unset it"
    end

    # A positive Integer, or nil. Raises ConfigError.
    def count(name)
      value = string(name) or return
      return value.to_i if value.match?(/\A[1-9]\d*\z/)

      raise ConfigError,
        "#{name}=#{value} is not a count: use a whole number from 1 up, or unset it"
    end

    # Nil when it is not set.
    def list(name, separator = /\s+/) = string(name)&.split(separator)&.map(&:freeze)&.freeze
  end
end
