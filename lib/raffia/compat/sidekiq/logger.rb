# frozen_string_literal: true

require "json"
require "logger"
require "time"

module Sidekiq
  # Fields of all lines that are logged in a block.
  module Context
    KEY = :sidekiq_context
    private_constant :KEY

    def self.current = Fiber[KEY] || {}

    def self.with(fields)
      before = Fiber[KEY]
      Fiber[KEY] = {**before.to_h, **fields}
      yield
    ensure
      Fiber[KEY] = before
    end

    def self.add(name, value) = Fiber[KEY] = {**current, name => value}
  end

  # The logger of programs. Raffia's own lines about jobs go to its log, see RAFFIA_LOG.
  class Logger < ::Logger
    module Formatters
      # "2026-11-22T01:00:00.000Z pid=1 class=MailJob INFO: text"
      class Pretty < ::Logger::Formatter
        def call(severity, time, _program, message)
          "#{time.utc.iso8601(3)} #{self.class.plain(severity, message)}"
        end

        def self.plain(severity, message)
          ["pid=#{::Process.pid}", *Context.current.map { |name, value| "#{name}=#{value}" },
            "#{severity}: #{message}\n"].join(" ")
        end
      end

      # Without the time, where the receiver of the log adds it.
      class WithoutTimestamp < ::Logger::Formatter
        def call(severity, _time, _program, message) = Pretty.plain(severity, message)
      end

      # One JSON object a line.
      class JSON < ::Logger::Formatter
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
