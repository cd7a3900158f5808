# frozen_string_literal: true

module Celluloid
  module Internals
    # Logs to {Celluloid.logger}. Classes that include it get private methods.
    module Logger
      # Adds a backtrace to each line.
      class WithBacktrace
        def initialize(backtrace)
          @backtrace = backtrace
        end

        %i[info warn error].each do |level|
          define_method(level) { |text| Celluloid.logger&.public_send(level, decorate(text)) }
        end

        def debug(text) = Logger.debug(decorate(text))

        private

        def decorate(text) = [text, *@backtrace].join("\n\t")
      end

      module_function

      def info(text) = Celluloid.logger&.info(text)

      def warn(text) = Celluloid.logger&.warn(text)

      def error(text) = Celluloid.logger&.error(text)

      def debug(text)
        Celluloid.logger&.debug(text) if Celluloid.debug?
      end

      def with_backtrace(backtrace)
        yield WithBacktrace.new(backtrace) if Celluloid.logger
      end

      def crash(text, exception)
        if Celluloid.log_actor_crashes
          Logger.error("#{text}\n#{Logger.format_exception(exception)}")
        end
        Celluloid.state.exception_handlers.each do |handler|
          handler.call(exception)
        rescue => failure
          Logger.error("an exception handler failed:\n#{Logger.format_exception(failure)}")
        end
      end

      def deprecate(text) = Logger.warn("DEPRECATION WARNING: #{text}\n\t#{caller.join("\n\t")}")

      def exception_handler(&block)
        Celluloid.state.exception_handlers << block
        nil
      end

      def format_exception(exception)
        "#{exception.class}: #{exception}\n\t#{exception.backtrace&.join("\n\t") || "no backtrace"}"
      end
    end
  end
end
