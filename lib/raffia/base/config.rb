# frozen_string_literal: true

require_relative "error"

module Raffia
  # Raffia's settings, read from the environment once by an entrance (the command line, Raffia.run) and then handed down
  # constructors. A Config is frozen and shareable, so it may travel into Ractors. This is the only file of lib/ that reads ENV.
  #
  # | variable            | values                                       | default          |
  # |---------------------|----------------------------------------------|------------------|
  # | RAFFIA_BACKEND      | uring epoll kqueue iocp poll select          | the best that works |
  # | RAFFIA_LOG          | debug info warn error fatal off              | warn             |
  # | RAFFIA_LOG_FORMAT   | text json                                    | text             |
  # | RAFFIA_WORKERS      | a positive number                            | one per core     |
  # | RAFFIA_BLOCKING_THREADS | a positive number                        | two per core, at least four |
  # | RAFFIA_COLOR        | always never auto (NO_COLOR means never)     | auto             |
  # | RAFFIA_DUMP_SIGNAL  | the name of a signal, such as USR2; off      | off; `raffia run`: QUIT |
  # | RAFFIA_DEADLOCK     | raise report off                             | raise            |
  #
  # @!attribute [r] backend
  #   @return [Symbol, nil] the forced engine back end
  # @!attribute [r] log_level
  #   @return [Symbol]
  # @!attribute [r] log_format
  #   @return [Symbol] :text or :json
  # @!attribute [r] workers
  #   @return [Integer, nil] how many workers a pool starts when it is not told
  # @!attribute [r] blocking_threads
  #   @return [Integer, nil] how many threads there may be for calls that block, of Ruby's kind and of the engine's each
  # @!attribute [r] color
  #   @return [Symbol] :always, :never or :auto
  # @!attribute [r] dump_signal
  #   @return [Symbol, nil] on which signal to print what all fibers wait for: :USR2, :off; nil when nothing is said
  # @!attribute [r] deadlock
  #   @return [Symbol] what to do when nothing can ever go on: :raise, :report or :off
  Config = Data.define(:backend, :log_level, :log_format, :workers, :blocking_threads, :color, :dump_signal, :deadlock) do
    # @param env [#[]] the environment
    # @return [Config] frozen, shareable
    # @raise [ConfigError] when a variable has a value that means nothing; the message lists what would
    def self.load(env = ENV)
      new(
        backend: choice(env, "RAFFIA_BACKEND", self::BACKENDS, nil),
        log_level: choice(env, "RAFFIA_LOG", self::LOG_LEVELS, :warn),
        log_format: choice(env, "RAFFIA_LOG_FORMAT", self::LOG_FORMATS, :text),
        workers: count(env, "RAFFIA_WORKERS"),
        blocking_threads: count(env, "RAFFIA_BLOCKING_THREADS"),
        color: choice(env, "RAFFIA_COLOR", self::COLORS, env["NO_COLOR"].to_s.empty? ? :auto : :never),
        dump_signal: signal(env["RAFFIA_DUMP_SIGNAL"].to_s),
        deadlock: choice(env, "RAFFIA_DEADLOCK", self::DEADLOCKS, :raise)
      )
    end

    # An empty variable counts as unset: that is how shells and container files clear one.
    def self.choice(env, name, valid, default)
      value = env[name].to_s
      return default if value.empty?

      valid.find { |known| known.name == value } or
        raise ConfigError, "#{name}=#{value} means nothing here: use one of #{valid.join(", ")}, or unset it"
    end
    private_class_method :choice

    # @param name [String] of a signal, with or without SIG; "off"
    # @return [Symbol, nil] nil for an empty one
    # @raise [ConfigError]
    def self.signal(name)
      return if name.empty?
      return :off if name == "off"

      short = name.delete_prefix("SIG")
      return short.to_sym if ::Signal.list.key?(short) && short != "EXIT"

      raise ConfigError, "#{name} is no signal here: use one such as USR2 (`kill -l` lists them), or off"
    end

    def self.count(env, name)
      value = env[name].to_s
      return if value.empty?
      return value.to_i if value.match?(/\A[1-9]\d*\z/)

      raise ConfigError, "#{name}=#{value} is not a count: use a whole number from 1 up, or unset it"
    end
    private_class_method :count
  end

  class Config
    # What RAFFIA_BACKEND may name. Which of them work here is found out at run time.
    BACKENDS = %i[uring epoll kqueue iocp poll select].freeze
    # From the most talkative to silence.
    LOG_LEVELS = %i[debug info warn error fatal off].freeze
    # For people, and for machines.
    LOG_FORMATS = %i[text json].freeze
    # `auto`: when the output is a terminal.
    COLORS = %i[always never auto].freeze
    # `raise`: where it is certain. `report`: on stderr, also where a signal handler might still help.
    DEADLOCKS = %i[raise report off].freeze
  end

  # Reads the environment, afresh on each call: no setting is kept in a global. Entrances call it once and hand the result down.
  # @return [Config]
  # @raise [ConfigError]
  def self.config
    Config.load
  end
end
