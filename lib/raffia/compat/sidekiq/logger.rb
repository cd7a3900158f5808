# frozen_string_literal: true

require "json"
require "logger"
require "time"

module Sidekiq
  # What is said about all that is logged in a block.
  module Context
    KEY = :sidekiq_context
    private_constant :KEY

    # @return [Hash]
    def self.current = Fiber[KEY] || {}

    # @param facts [Hash]
    # @return [Object] the block's value
    def self.with(facts)
      before = Fiber[KEY]
      Fiber[KEY] = {**before.to_h, **facts}
      yield
    ensure
      Fiber[KEY] = before
    end

    # @return [void]
    def self.add(name, value) = Fiber[KEY] = {**current, name => value}
  end

  # The logger of programs. What Raffia says of jobs goes to its own log, see RAFFIA_LOG.
  class Logger < ::Logger
    # How a line looks.
    module Formatters
      # "2026-11-22T01:00:00.000Z pid=1 class=MailJob INFO: text"
      class Pretty < ::Logger::Formatter
        # @return [String]
        def call(severity, time, _program, message)
          "#{time.utc.iso8601(3)} #{self.class.plain(severity, message)}"
        end

        # @return [String] without the time
        def self.plain(severity, message)
          ["pid=#{::Process.pid}", *Context.current.map { |name, value| "#{name}=#{value}" },
            "#{severity}: #{message}\n"].join(" ")
        end
      end

      # For what writes the time itself.
      class WithoutTimestamp < ::Logger::Formatter
        # @return [String]
        def call(severity, _time, _program, message) = Pretty.plain(severity, message)
      end

      # An object for each line.
      class JSON < ::Logger::Formatter
        # @return [String]
        def call(severity, time, _program, message)
          line = {ts: time.utc.iso8601(3), pid: ::Process.pid, lvl: severity, msg: message,
                  ctx: Context.current}
          line.delete(:ctx) if line[:ctx].empty?
          "#{::JSON.generate(line)}\n"
        end
      end
    end

    def initialize(*, **)
      super
      self.formatter ||= Formatters::Pretty.new
    end
  end
end
