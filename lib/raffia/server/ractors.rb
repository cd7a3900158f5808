# frozen_string_literal: true

require_relative "ractors/recording_builder"
require_relative "ractors/deep_freezer"
require_relative "ractors/gem_freezer"
require_relative "ractors/choice"

module Raffia
  class Server
    # Serves from several Ractors of one process, each with its own listener, loop and application
    # (docs/ractors.md).
    #
    # @api private
    module Ractors
      # Freezes the plan's objects and its gems' tables. Raises NotShareable that names all
      # obstacles.
      def self.ready(app)
        sharing = DeepFreezer.new
        plan = BuildPlan.of(app).share(sharing)
        raise NotShareable, refusal(sharing.findings) if sharing.findings.any?

        GemFreezer.new.prepare(plan.classes)
        plan
      end

      def self.refusal(findings)
        "the application cannot be served from Ractors: #{findings.join("; ")} (`raffia doctor " \
          "--rack config.ru` says more). Or leave `ractors` out, and use more processes"
      end
    end
  end
end
