# frozen_string_literal: true

require "json"
require_relative "../start"

module Raffia
  module CLI
    module Serve
      # What is said when the server starts.
      #
      # @api private
      class Banner
        include Start

        def initialize(server, application, file)
          @server = server
          @application = application
          @file = file
        end

        def text(listeners, out)
          @options = @server.options # when it starts they are final
          out.puts "#{raffia} serves #{@application.name} in #{@options.environment}"
          out.puts "  #{workers}#{", set by #{@file.path}" if @file}"
          listeners.each { |listener| out.puts "  #{listener.url}" }
          out.puts "Ctrl-C stops it (process #{::Process.pid})"
        end

        def json(listeners, out)
          @options = @server.options
          out.puts(JSON.generate(facts(listeners)))
        end

        private

        # It is enabled when the application has been loaded, so it may not be yet.
        def yjit? = super || (@options.yjit && !!defined?(::RubyVM::YJIT.enable))

        def facts(listeners)
          start.merge(application: @application.name, environment: @options.environment,
            config: @file&.path, processes: @options.workers,
            ractors: @options.ractors, urls: listeners.map(&:url))
        end

        def workers
          "#{processes(@options.workers)}#{", #{@options.ractors} Ractors in each" if @options.ractors?}, a fiber for each connection#{", requests on #{@options.threads} threads" if @options.threaded?}"
        end
      end
    end
  end
end
