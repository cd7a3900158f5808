# frozen_string_literal: true

module Raffia
  module CLI
    # What commands say when they begin.
    #
    # @api private
    module Start
      private

      # @return [String] for people
      def raffia
        "Raffia #{VERSION} (Ruby #{RUBY_VERSION}#{" with YJIT" if yjit?}, #{Engine.best})"
      end

      # @return [Hash] for programs
      def start
        {event: "start", version: VERSION, ruby: RUBY_VERSION, yjit: yjit?, back_end: Engine.best,
         pid: ::Process.pid}
      end

      def processes(count)
        count.zero? ? "in this process" : "#{count} worker process#{"es" if count > 1}"
      end

      def yjit? = defined?(::RubyVM::YJIT) ? !!::RubyVM::YJIT.enabled? : false
    end
  end
end
