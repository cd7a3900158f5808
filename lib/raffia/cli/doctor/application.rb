# frozen_string_literal: true

require_relative "check"

module Raffia
  module CLI
    module Doctor
      # `raffia doctor --rack config.ru`: whether the application can be served from Ractors.
      #
      # @api private
      class Application
        # @param paths [Array<String>] what to ask the application for
        def initialize(file, paths)
          @file = file
          @paths = paths
        end

        def call
          raise NotFound.new(name: @file) unless ::File.file?(@file)

          require_relative "../../server"
          application = Server::Application.at(@file).tap { |one| one.load_to(:record) }
          result = Server::Ractors::CompatibilityCheck.run(paths: @paths) { application.load }
          [*result.findings.map { |finding| finding(finding) },
            *result.answers.map { |answer| answer(answer) }, *prepared(result)]
        rescue ::ScriptError, ::StandardError, ::SystemExit => error
          raise if error.is_a?(Error)

          [Check.broken("load", "#{error.message.lines.first&.chomp} (#{error.class})",
            "This is an error of the application: #{error.backtrace&.first}")]
        end

        private

        def finding(finding)
          Check.broken("obstacle", "#{finding.path} #{finding.why}", "#{finding.remedy}.")
        end

        def answer(answer)
          unless answer.finding
            return Check.ok("request", "GET #{answer.path}: #{answer.status}, in a Ractor")
          end

          Check.broken("request", "#{answer.finding.path} #{answer.finding.why}",
            "#{answer.finding.remedy}.")
        end

        def prepared(result)
          return [] if result.prepared.empty?

          [Check.note("gems", "#{result.prepared.size} of their tables and methods are made " \
            "shareable when the server starts, such as #{result.prepared.last}")]
        end
      end
    end
  end
end
