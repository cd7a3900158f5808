# frozen_string_literal: true

require_relative "error"

module Raffia
  # Raffia's settings, read from the environment once by an entrance (the command line, Raffia.run)
  # and then handed down constructors. A Config is frozen and shareable, so it may travel into
  # Ractors. This is the only file of lib/ that reads ENV.
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
  # | RAFFIA_BIND         | addresses to listen on, with spaces between  | see `raffia serve` |
  # | RAFFIA_PORT, PORT   | a port                                       | 9292             |
  # | RAFFIA_PROCESSES, WEB_CONCURRENCY | a number, auto                 | auto             |
  # | RAFFIA_ENV, RACK_ENV, RAILS_ENV | the environment of an application | development     |
  # | RAFFIA_STORE        | where jobs are kept, such as sqlite:jobs.db  | sqlite:raffia.db |
  # | REDIS_URL           | the store of raffia/compat/sidekiq, if RAFFIA_STORE is not set | |
  # | REDIS_PROVIDER      | the name of the variable that has it instead | |
  # | RAFFIA_WEB_AUTH     | USER:PASSWORD of the jobs' dashboard         |                  |
  # | PARALLEL_PROCESSOR_COUNT | of raffia/compat/parallel, as the gem has it |              |
  # | RAFFIA_COMPAT       | layers of raffia/compat, commas between      | all              |
  # | RAFFIA_TOP          | on (its actors are shown to `raffia top`), off | off            |
  # | XDG_RUNTIME_DIR     | where such sockets are; by the system        | a folder for temporary files |
  # | NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID | by systemd: where to say how we are |      |
  # | RUBY_YJIT_ENABLE    | 0 (the lab measures without YJIT); by Ruby   | YJIT where it is built in |
  # | LISTEN_FDS, LISTEN_PID, LISTEN_FDNAMES | by systemd: sockets handed in |               |
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
  #   @return [Integer, nil] how many threads there may be for calls that block, of Ruby's kind and
  #   of the engine's each
  # @!attribute [r] color
  #   @return [Symbol] :always, :never or :auto
  # @!attribute [r] dump_signal
  #   @return [Symbol, nil] on which signal to print what all fibers wait for: :USR2, :off; nil when
  #   nothing is said
  # @!attribute [r] deadlock
  #   @return [Symbol] what to do when nothing can ever go on: :raise, :report or :off
  # @!attribute [r] bind
  #   @return [Array<String>, nil] where a server is to listen
  # @!attribute [r] port
  #   @return [String, nil] where else
  # @!attribute [r] processes
  #   @return [String, nil] how many a server is to have
  # @!attribute [r] environment
  #   @return [String, nil] that an application runs in
  # @!attribute [r] store
  #   @return [String, nil] where jobs are kept
  # @!attribute [r] redis_url
  #   @return [String, nil] where programs of Sidekiq have their Redis
  # @!attribute [r] web_auth
  #   @return [String, nil] user and password of the jobs' dashboard, with a colon between
  # @!attribute [r] compat
  #   @return [Array<Symbol>, nil] for which gems raffia/compat is to answer
  # @!attribute [r] top
  #   @return [Symbol] whether the actors of this process are shown to `raffia top`: :on or :off
  # @!attribute [r] runtime_dir
  #   @return [String, nil] the user's own folder for sockets
  # @!attribute [r] processors
  #   @return [Integer, nil] how many there are for raffia/compat/parallel
  # @!attribute [r] yjit
  #   @return [Boolean] false when RUBY_YJIT_ENABLE=0 turns it off
  # @!attribute [r] inherited
  #   @return [Hash{Integer => String}] descriptors of sockets that systemd has handed in, and their
  #   names
  # @!attribute [r] notify_socket
  #   @return [String, nil] where systemd wants to be told how a server is
  # @!attribute [r] watchdog
  #   @return [Float, nil] how often at the latest, in seconds
  Config = Data.define(:backend, :log_level, :log_format, :workers, :blocking_threads, :color,
    :dump_signal, :deadlock,
    :bind, :port, :processes, :environment, :store, :redis_url, :web_auth, :compat, :top,
    :runtime_dir, :processors, :yjit, :inherited, :notify_socket, :watchdog) do
    # @param env [#[]] the environment
    # @param log_level [Symbol] where nothing is said
    # @return [Config] frozen, shareable
    # @raise [ConfigError] when a variable has a value that means nothing; the message lists what
    #   would
    def self.load(env = ENV, log_level = :warn)
      new(
        backend: choice(env, "RAFFIA_BACKEND", self::BACKENDS, nil),
        log_level: choice(env, "RAFFIA_LOG", self::LOG_LEVELS, log_level),
        log_format: choice(env, "RAFFIA_LOG_FORMAT", self::LOG_FORMATS, :text),
        workers: count(env, "RAFFIA_WORKERS"),
        blocking_threads: count(env, "RAFFIA_BLOCKING_THREADS"),
        color: choice(env, "RAFFIA_COLOR", self::COLORS,
          env["NO_COLOR"].to_s.empty? ? :auto : :never),
        dump_signal: signal(env["RAFFIA_DUMP_SIGNAL"].to_s),
        deadlock: choice(env, "RAFFIA_DEADLOCK", self::DEADLOCKS, :raise),
        bind: first(env, "RAFFIA_BIND")&.split&.map(&:freeze)&.freeze,
        port: first(env, "RAFFIA_PORT", "PORT"),
        processes: first(env, "RAFFIA_PROCESSES", "WEB_CONCURRENCY"),
        environment: first(env, "RAFFIA_ENV", "RACK_ENV", "RAILS_ENV"),
        store: first(env, "RAFFIA_STORE"),
        redis_url: first(env, env["REDIS_PROVIDER"].to_s, "REDIS_URL"),
        web_auth: first(env, "RAFFIA_WEB_AUTH"),
        compat: first(env, "RAFFIA_COMPAT")&.split(/[,\s]+/)&.map(&:to_sym)&.freeze,
        top: choice(env, "RAFFIA_TOP", self::SWITCH, :off),
        runtime_dir: first(env, "XDG_RUNTIME_DIR"),
        processors: count(env, "PARALLEL_PROCESSOR_COUNT"),
        yjit: env["RUBY_YJIT_ENABLE"] != "0",
        inherited: inherited(env),
        notify_socket: first(env, "NOTIFY_SOCKET"),
        watchdog: watchdog(env)
      )
    end

    # An empty variable counts as unset: that is how shells and container files clear one.
    def self.choice(env, name, valid, default)
      value = env[name].to_s
      return default if value.empty?

      valid.find { |known| known.name == value } or
        raise ConfigError, "#{name}=#{value} means nothing here: use one of #{valid.join(", ")}, " \
          "or unset it"
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

      raise ConfigError, "#{name} is no signal here: use one such as USR2 (`kill -l` lists " \
        "them), or off"
    end

    # What each of them may be is known where it is used.
    # @return [String, nil] of the first that is set
    def self.first(env, *names)
      names.each { |name| (value = env[name].to_s.dup.freeze).empty? or return value }
      nil
    end
    private_class_method :first

    # As sd_watchdog_enabled(3) has it: a pid that is named must be ours.
    def self.watchdog(env)
      microseconds = env["WATCHDOG_USEC"].to_i
      if microseconds.positive? && ["", ::Process.pid.to_s].include?(env["WATCHDOG_PID"].to_s)
        microseconds / 1e6
      end
    end
    private_class_method :watchdog

    # As sd_listen_fds(3) has it: the descriptors begin at 3, and are meant for the process whose
    # pid is named.
    def self.inherited(env)
      return {}.freeze unless env["LISTEN_PID"].to_s == ::Process.pid.to_s

      names = env["LISTEN_FDNAMES"].to_s.split(":")
      Array.new(env["LISTEN_FDS"].to_i) { |index|
        [3 + index,
          (names[index] || "unknown").dup.freeze]
      }.to_h.freeze
    end
    private_class_method :inherited

    def self.count(env, name)
      value = env[name].to_s
      return if value.empty?
      return value.to_i if value.match?(/\A[1-9]\d*\z/)

      raise ConfigError, "#{name}=#{value} is not a count: use a whole number from 1 up, or " \
        "unset it"
    end
    private_class_method :count
  end

  class Config
    # What systemd says to the process that it has started, and to no other.
    SYSTEMD = %w[LISTEN_PID LISTEN_FDS LISTEN_FDNAMES NOTIFY_SOCKET WATCHDOG_USEC
      WATCHDOG_PID].freeze
    # What RAFFIA_BACKEND may name. Which of them work here is found out at run time.
    BACKENDS = %i[uring epoll kqueue iocp poll select].freeze
    # From the most talkative to silence.
    LOG_LEVELS = %i[debug info warn error fatal off].freeze
    # For people, and for machines.
    LOG_FORMATS = %i[text json].freeze
    # What is done or is not.
    SWITCH = %i[on off].freeze
    # `auto`: when the output is a terminal.
    COLORS = %i[always never auto].freeze
    # `raise`: where it is certain. `report`: on stderr, also where a signal handler might still
    # help.
    DEADLOCKS = %i[raise report off].freeze

    # @return [String, nil] the class of Celluloid's tasks: raffia/compat/celluloid alone asks, so
    #   it is no setting of ours
    # @api private
    def self.celluloid_task_class(env = ENV) = first(env, "CELLULOID_TASK_CLASS")

    # Without what is secret: it may get into a log.
    # @return [String]
    def inspect = (web_auth || redis_url) ? with(web_auth: nil, redis_url: nil).inspect : super
  end

  # Tells an application, and the programs that it starts, what it runs in.
  # @param environment [String]
  # @param force [Boolean] whether it counts more than what is set
  # @return [void]
  # @api private
  def self.export_environment(environment, env = ENV, force: false)
    %w[RACK_ENV RAILS_ENV].each { |name| env[name] = environment if force || env[name].to_s.empty? }
    Config::SYSTEMD.each { |name| env.delete(name) } # that was meant for us
    nil
  end

  # Reads the environment, afresh on each call: no setting is kept in a global. Entrances call it
  # once and hand the result down.
  # @param log_level [Symbol] where nothing is said
  # @return [Config]
  # @raise [ConfigError]
  def self.config(log_level = :warn) = Config.load(ENV, log_level)
end
