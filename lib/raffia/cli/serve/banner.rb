# frozen_string_literal: true

require "json"

module Raffia
  module CLI
    module Serve
      # What is said when the server starts.
      #
      # @api private
      class Banner
        # @param server [Server]
        # @param file [Server::ConfigFile, nil]
        def initialize(server, application, file)
          @server = server
          @application = application
          @file = file
        end

        def text(listeners, out)
          @options = @server.options # when it starts they are final
          out.puts "Raffia #{VERSION} (Ruby #{RUBY_VERSION}#{" with YJIT" if yjit?}, #{Engine.best}) serves #{@application.name} in #{@options.environment}"
          out.puts "  #{workers}#{", set by #{@file.path}" if @file}"
          listeners.each { |listener| out.puts "  #{listener.url}" }
          out.puts "Ctrl-C stops it (process #{::Process.pid})"
        end

        def json(listeners, out)
          @options = @server.options
          out.puts(JSON.generate(facts(listeners)))
        end

        private

        def facts(listeners)
          {event: "start", version: VERSION, ruby: RUBY_VERSION, yjit: yjit?, back_end: Engine.best, pid: ::Process.pid, application: @application.name,
           environment: @options.environment, config: @file&.path, processes: @options.workers, ractors: @options.ractors, urls: listeners.map(&:url)}
        end

        def workers
          count = @options.workers
          processes = count.zero? ? "in this process" : "#{count} worker process#{"es" if count > 1}"
          "#{processes}#{", #{@options.ractors} Ractors in each" if @options.ractors?}, a fiber for each connection"
        end

        def yjit? = defined?(::RubyVM::YJIT) ? !!::RubyVM::YJIT.enabled? : false
      end
    end
  end
end
