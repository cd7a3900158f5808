# frozen_string_literal: true

require_relative "../../base/error"
require_relative "../../pool"
require_relative "deep_freezer"
require_relative "recording_builder"
require_relative "gem_freezer"
require_relative "code_check"
require_relative "trial_request"

module Raffia
  class Server
    module Ractors
      # Finds out whether an application can be served from Ractors. It tries so in a process of its
      # own, because that freezes the application's objects, and may crash Ruby.
      #
      # @api private
      module CompatibilityCheck
        # Seconds for all of it.
        TIMEOUT = 60

        # findings:: obstacles
        # answers:: responses in a Ractor, see {TrialRequest}
        # prepared:: objects of gems that had to be frozen
        Result = Data.define(:findings, :answers, :prepared) do
          def obstacles = findings + answers.filter_map(&:finding)
        end

        class << self
          # @param paths [Array<String>] to request
          # @yieldreturn [BuildPlan, #call] the application; called in the process that tries it
          # @return [Result]
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
            fit = plan.share(sharing)
            findings = sharing.findings + code(plan)
            # Findings in the code may be in branches that are not taken, so it is tried all the
            # same.
            return Result.new(findings, [], []) if sharing.findings.any?

            prepared = GemFreezer.new.prepare(fit.classes).prepared
            Result.new(findings, answers(fit, paths), prepared)
          end

          def code(plan)
            CodeCheck.new("run").application(plan.app).findings +
              plan.classes.drop(1).flat_map { |klass|
                CodeCheck.new("use").middleware(klass)
                  .findings
              }
          end

          # Without a path it is only built.
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
