# frozen_string_literal: true

module Raffia
  module CLI
    class Doctor < Command
      # `raffia doctor --rack config.ru`: whether the application can be served from Ractors.
      class Application
        # paths: of requests to try.
        def initialize(file, paths)
          @file = file
          @paths = paths
        end

        def call
          raise NotFound.new(name: @file) unless ::File.file?(@file)

          require_relative "../../server"
          application = Server::Application.at(@file).tap { |one| one.load_as(:record) }
          result = Server::Ractors::CompatibilityCheck.run(paths: @paths) { application.load }
          [*result.findings.map { |finding| finding(finding) },
            *result.answers.map { |answer| answer(answer) }, *prepared(result)]
        rescue ::ScriptError, ::StandardError, ::SystemExit => error
          raise if error.is_a?(Error)

          [Check.broken("load", "#{error.message.lines.first&.chomp} (#{error.class})",
            "This is an error of the application: #{error.backtrace&.first}")]
        end

        private

        def finding(finding, name = "obstacle")
          Check.broken(name, "#{finding.path} #{finding.why}", "#{finding.remedy}.")
        end

        def answer(answer)
          return finding(answer.finding, "request") if answer.finding
          Check.ok("request", "GET #{answer.path}: #{answer.status}, in a Ractor")
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
