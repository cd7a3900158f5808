# frozen_string_literal: true

require "json"

module Raffia
  module CLI
    module Serve
      # `raffia serve --check`: tries everything that can fail before the first request, without
      # listening.
      #
      # @api private
      class Check
        def initialize(settings, application, file, out, json:)
          @options = Server::Options.build(settings)
          @settings = settings
          @application = application
          @file = file
          @out = out
          @json = json
        end

        # Raises the first fault.
        def call
          binds = @options.binds.each { |bind| Server::Listen::Listener.tls(bind, @options) }
          @options.static.each { |root| Server::Static.new(root: root) }
          @application.execution = @options.execution
          @application.load
          @execution = Server::Execution.new(@application, @options) unless @options.ractors?
          @json ? json(binds) : text(binds)
          OK
        end

        private

        def text(binds)
          count = @options.workers
          workers = count.zero? ? "this process" : "#{count} worker process#{"es" if count > 1}"
          workers = "#{count} to #{@options.most_workers} worker processes" if @options.elastic?
          @out.puts "#{@application.name} loads, and would be served in #{@options.environment} " \
            "by #{workers} at"
          binds.each { |bind| @out.puts "  #{bind}" }
          @out.puts @execution if @execution&.reason
          set = @settings.keys.reject { |name| %i[bind environment processes].include?(name) }
          if set.any?
            @out.puts "Set#{" (#{@file.path})" if @file}: " \
              "#{set.map { |name| "#{name} #{@options.public_send(name)}" }.join(", ")}"
          end
        end

        def json(binds)
          @out.puts JSON.generate(application: @application.name, config: @file&.path,
            binds: binds.map(&:to_s), workers: @options.workers,
            execution: @execution&.mode, why: @execution&.reason,
            options: @options.to_h.merge(environment: @options.environment))
        end
      end
    end
  end
end
