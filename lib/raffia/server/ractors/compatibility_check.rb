# frozen_string_literal: true

require_relative "deep_freezer"
require_relative "recording_builder"
require_relative "gem_freezer"
require_relative "code_check"
require_relative "trial_request"

module Raffia
  class Server
    module Ractors
      # Tries whether an application can be served from Ractors, in a child process: the check
      # freezes the application's objects, and may crash Ruby.
      #
      # @api private
      module CompatibilityCheck
        # Seconds.
        TIMEOUT = 60

        # findings:: obstacles in the code
        # answers:: outcomes of {TrialRequest}
        # prepared:: objects of gems that had to be frozen
        Result = Data.define(:findings, :answers, :prepared) do
          def obstacles = findings + answers.filter_map(&:finding)
        end

        class << self
          # The block loads the application in the child process.
          def run(paths: ["/"], &load)
            Raffia.map([paths], on: :processes, workers: 1,
              timeout: TIMEOUT) { |all| here(load.call, all) }.first
          rescue WorkerDied, TimeoutError => error
            failed("the process that tried it",
              "came to an end of its own (#{error.message.lines.first.chomp})")
          end

          private

          def here(app, paths)
            plan = BuildPlan.of(app)
            sharing = DeepFreezer.new
            shareable = plan.share(sharing)
            findings = sharing.findings + code(plan)
            # The code may never reach what was found, so it is tried, too.
            return Result.new(findings, [], []) if sharing.findings.any?

            prepared = GemFreezer.new.prepare(shareable.classes).prepared
            Result.new(findings, answers(shareable, paths), prepared)
          end

          def code(plan)
            CodeCheck.new("run").application(plan.app).findings +
              plan.classes.drop(1).flat_map { |klass|
                CodeCheck.new("use").middleware(klass)
                  .findings
              }
          end

          # Without a path the application is only built.
          def answers(plan, paths)
            paths = [nil] if paths.empty?
            Raffia.map(paths, on: :ractors, workers: 1) { |path| TrialRequest.of(plan, path) }
          end

          def failed(what, why)
            Result.new([Finding.new(what, why, "Serve it with processes")], [], [])
          end
        end
      end
    end
  end
end
