# frozen_string_literal: true

require_relative "../../service/banner"

module Raffia
  module CLI
    module Serve
      # Prints which application is served, and its addresses.
      #
      # @api private
      class Banner < Service::Banner
        def initialize(server, application, file, listeners, json:)
          super(Engine.best, json: json)
          @options = server.options
          @application = application
          @file = file
          @urls = listeners.map(&:url)
        end

        private

        # It is enabled after the application is loaded, so it may not be yet.
        def yjit? = super || (@options.yjit && !!defined?(::RubyVM::YJIT.enable))

        def facts
          {application: @application.name, environment: @options.environment, config: @file&.path,
           processes: @options.workers, most_processes: @options.most_workers,
           ractors: @options.ractors, urls: @urls}
        end

        def title = "serves #{@application.name} in #{@options.environment}"

        def lines = ["#{workers}#{", set by #{@file.path}" if @file}", *@urls]

        def workers
          [elastic || processes(@options.workers),
            *("#{@options.ractors} Ractors in each" if @options.ractors?),
            "a fiber for each connection",
            *("requests on #{@options.threads} threads" if @options.threaded?)]
            .join(", ")
        end

        def elastic
          range = @options.processes
          "#{range.begin} to #{range.end} worker processes" if @options.elastic?
        end
      end
    end
  end
end
