# frozen_string_literal: true

require "json"
require_relative "../base/version"

module Raffia
  module Service
    # Prints what a command has started, for people or as JSON. Subclasses define {#title}, {#lines}
    # and {#facts}.
    #
    # @api private
    class Banner
      def self.versions(back_end, yjit: yjit?)
        "Raffia #{VERSION} (Ruby #{RUBY_VERSION}#{" with YJIT" if yjit}, #{back_end})"
      end

      def self.yjit? = defined?(::RubyVM::YJIT) ? !!::RubyVM::YJIT.enabled? : false

      def initialize(back_end, json:)
        @back_end = back_end
        @json = json
      end

      def print(out)
        out.puts(@json ? JSON.generate({**start, **facts}) : text)
        out.flush # readers may wait at a pipe
      end

      private

      def start
        {event: "start", version: VERSION, ruby: RUBY_VERSION, yjit: yjit?, back_end: @back_end,
         pid: ::Process.pid}
      end

      def text
        ["#{Banner.versions(@back_end, yjit: yjit?)} #{title}", *lines.map { |line| "  #{line}" },
          "Ctrl-C stops it (process #{::Process.pid})"]
      end

      def processes(count)
        count.zero? ? "in this process" : "#{count} worker process#{"es" if count > 1}"
      end

      def yjit? = Banner.yjit?
    end
  end
end
