# frozen_string_literal: true

require_relative "error"

module Raffia
  # Reads variables of an environment for the Config of a component. An empty variable counts as
  # unset: that is how shells and container files clear one.
  #
  # @api private
  class Variables
    # @param env [#[]]
    def initialize(env)
      @env = env
    end

    # @return [String, nil] of the first that is set
    def string(*names)
      names.each { |name| (value = @env[name].to_s.dup.freeze).empty? or return value }
      nil
    end

    # @param valid [Array<Symbol>]
    # @return [Symbol, nil]
    # @raise [ConfigError] which lists what is valid
    def choice(name, valid, default = nil)
      value = string(name) or return default

      valid.find { |known| known.name == value } or raise ConfigError,
        "#{name}=#{value} means nothing here: use one of #{valid.join(", ")}, or unset it"
    end

    # @return [Integer, nil]
    # @raise [ConfigError]
    def count(name)
      value = string(name) or return
      return value.to_i if value.match?(/\A[1-9]\d*\z/)

      raise ConfigError,
        "#{name}=#{value} is not a count: use a whole number from 1 up, or unset it"
    end

    # @param separator [Regexp]
    # @return [Array<String>, nil]
    def list(name, separator = /\s+/) = string(name)&.split(separator)&.map(&:freeze)&.freeze
  end
end
