# frozen_string_literal: true

require "json"
require "time"
require_relative "config"
require_relative "optional"

module Raffia
  # Builds the default logger. Any object with Logger's methods can replace it.
  module Log
    # One line of text per message.
    class Text
      # Values that need no quotes.
      PLAIN = %r{\A[\w.:/@+-]+\z}
      LEVELS = %w[DEBUG INFO WARN ERROR FATAL].to_h { |level| [level, level.ljust(5).freeze] }
        .freeze
      private_constant :PLAIN, :LEVELS

      # Called by Logger; returns the line.
      def call(severity, time, name, message)
        "#{time.utc.iso8601(3)} #{LEVELS[severity] || severity.ljust(5)} " \
          "#{name || "raffia"}[#{::Process.pid}]: #{describe(message)}\n"
      end

      private

      def describe(message)
        case message
        when Exception then Log.full(message)
        when Hash then pairs(message)
        else message.to_s
        end
      end

      # Pairs in logfmt: only values that could be misread are quoted.
      def pairs(hash)
        text = +""
        hash.each do |key, value|
          text << " " unless text.empty?
          text << plain(key) << "=" <<
            ((value.is_a?(String) && !PLAIN.match?(value)) ? value.inspect : plain(value))
        end
        text
      end

      # Symbol#to_s would allocate.
      def plain(value) = value.is_a?(Symbol) ? value.name : value.to_s
    end

    # One JSON object per line. The message may be a Hash, whose members are added, or an exception,
    # which adds its class and backtrace.
    class Json
      # Called by Logger; returns the line.
      def call(severity, time, name, message)
        line = {time: time.utc.iso8601(3), level: severity.downcase, name: name || "raffia",
                pid: ::Process.pid}
        "#{JSON.generate(line.merge(members(message)))}\n"
      end

      private

      def members(message)
        case message
        when Exception
          {message: message.message, error: message.class.name, backtrace: message.backtrace}
        when Hash then message
        else {message: message.to_s}
        end
      end
    end

    # The full message of an exception. It may fail: the message is the program's own code, and
    # error_highlight, which shows the line, reads what only the main Ractor may.
    # @return [String] several lines
    def self.full(error)
      error.full_message(highlight: false)
    rescue => worse
      first, *others = error.backtrace
      ["#{first}: #{message(error)} (#{error.class}; to say more of it raised #{worse.class})",
        *others].join("\n\tfrom ")
    end

    def self.message(error)
      error.message.to_s
    rescue
      "no message"
    end
    private_class_method :message

    # @param config [Config] its `log_level` and `log_format`
    # @param out [IO] for the lines
    # @return [Logger]
    # @raise [MissingDependency] where logger is a gem (from Ruby 4.0) and not installed
    def self.build(config = Config.load, out: $stderr)
      Optional.gem("logger", for: "Raffia's log") unless defined?(::Logger)
      return ::Logger.new(nil, level: 5) if config.log_level == :off # above all but UNKNOWN

      formatter = (config.log_format == :json) ? Json.new : Text.new
      # The number, because Logger looks names up in a table that other Ractors may not read.
      ::Logger.new(out, level: ::Logger.const_get(config.log_level.upcase), progname: "raffia",
        formatter: formatter)
    end
  end
end
