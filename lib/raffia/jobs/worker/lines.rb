# frozen_string_literal: true

require_relative "../../base/log"

module Raffia
  module Jobs
    class Worker
      # The lines of the log about jobs that are done: all of a turn are written at once, or they
      # would cost more than the jobs. Other loggers than ours get them one by one.
      #
      # @api private
      class Lines
        # Bytes after which they are written whatever comes.
        MOST = 65_536

        # @param log [Logger]
        def initialize(log)
          @log = log
          if log.instance_of?(::Logger) && [Log::Text, Log::Json].include?(log.formatter.class)
            @formatter = log.formatter
          end
          @text = +""
        end

        # @param facts [Hash]
        # @return [void]
        def add(facts)
          return @log.info(facts) unless @formatter

          @text << @formatter.call("INFO", Time.now, @log.progname, facts)
          flush if @text.bytesize > MOST
        end

        # @return [void]
        def flush
          return if @text.empty?

          text = @text
          @text = +""
          @log << text
        end
      end
    end
  end
end
