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
      # Whether an application can be served from Ractors, and if not why. It is tried in a process
      # of its own, because trying it freezes what it consists of, and may crash a Ruby.
      #
      # @api private
      module CompatibilityCheck
        # Seconds for all of it.
        PATIENCE = 60

        # findings:: what is in the way
        # answers:: what was answered in a Ractor, as {TrialRequest} has it
        # prepared:: what of gems had to be frozen
        Result = Data.define(:findings, :answers, :prepared) do
          # @return [Array<Finding>] none when it can be served
          def obstacles = findings + answers.filter_map(&:finding)
        end

        class << self
          # @param paths [Array<String>] what to ask for
          # @yieldreturn [Blueprint, #call] the application; called in the process that tries it
          # @return [Result]
          def run(paths: ["/"], &load)
            Raffia.map([paths], on: :processes, workers: 1,
              timeout: PATIENCE) { |all| here(load.call, all) }.first
          rescue WorkerDied, TimeoutError => error
            failed("the process that tried it",
              "came to an end of its own (#{error.message.lines.first.chomp})")
          end

          private

          def here(app, paths)
            blueprint = Blueprint.of(app)
            sharing = DeepFreezer.new
            fit = blueprint.share(sharing)
            findings = sharing.findings + code(blueprint)
            # Findings of the code may be in branches that are not taken, so the application has a
            # say.
            return Result.new(findings, [], []) if sharing.findings.any?

            prepared = GemFreezer.new.prepare(fit.classes).prepared
            Result.new(findings, answers(fit, paths), prepared)
          end

          def code(blueprint)
            CodeCheck.new("run").application(blueprint.app).findings +
              blueprint.classes.drop(1).flat_map { |klass|
                CodeCheck.new("use").middleware(klass)
                  .findings
              }
          end

          # Without a path it is built, at least.
          def answers(blueprint, paths)
            paths = [nil] if paths.empty?
            Raffia.map(paths, on: :ractors, workers: 1) { |path| TrialRequest.of(blueprint, path) }
          end

          def failed(what, why)
            Result.new([Finding.new(what, why, "Serve it with processes")], [], [])
          end
        end
      end
    end
  end
end
