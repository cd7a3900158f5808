# frozen_string_literal: true

require_relative "error"
require_relative "variables"

module Raffia
  # Settings of the whole process, from the environment. Each component has such a Config for its
  # own variables (+Engine::Config+, +Jobs::Config+ ...). All are frozen and shareable.
  #
  # | variable            | values                                     | default |
  # |---------------------|--------------------------------------------|---------|
  # | RAFFIA_LOG          | debug info warn error fatal off            | warn    |
  # | RAFFIA_LOG_FORMAT   | text json                                  | text    |
  # | RAFFIA_COLOR        | always never auto (NO_COLOR means never)   | auto    |
  # | RUBY_YJIT_ENABLE    | 0: the lab measures without YJIT; by Ruby  | YJIT where it is built in |
  #
  # @!attribute [r] log_level
  #   @return [Symbol]
  # @!attribute [r] log_format
  #   @return [Symbol] :text or :json
  # @!attribute [r] color
  #   @return [Symbol] :always, :never or :auto
  # @!attribute [r] yjit
  #   @return [Boolean] false when RUBY_YJIT_ENABLE=0 turns it off
  Config = Data.define(:log_level, :log_format, :color, :yjit) do
    # @param env [#[]] the environment
    # @param log_level [Symbol] the default
    # @return [Config]
    # @raise [ConfigError] when a variable has a value that means nothing
    def self.load(env = ENV, log_level = :warn)
      variables = variables(env)
      no_color = variables.string("NO_COLOR")
      new(
        log_level: variables.choice("RAFFIA_LOG", self::LOG_LEVELS, log_level),
        log_format: variables.choice("RAFFIA_LOG_FORMAT", self::LOG_FORMATS, :text),
        color: variables.choice("RAFFIA_COLOR", self::COLORS, no_color ? :never : :auto),
        yjit: variables.string("RUBY_YJIT_ENABLE") != "0"
      )
    end

    # @api private
    def self.environment = ENV

    # @api private
    def self.variables(env = ENV) = Variables.new(env)
  end

  class Config
    # Most verbose first.
    LOG_LEVELS = %i[debug info warn error fatal off].freeze
    # One for people, one for machines.
    LOG_FORMATS = %i[text json].freeze
    # `auto`: when the output is a terminal.
    COLORS = %i[always never auto].freeze
  end

  # @param log_level [Symbol] the default
  # @return [Config]
  # @raise [ConfigError]
  def self.config(log_level = :warn) = Config.load(ENV, log_level)
end
