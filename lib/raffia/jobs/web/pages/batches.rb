# frozen_string_literal: true

require_relative "../page"
require_relative "../pager"

module Raffia
  module Jobs
    class Web
      module Pages
        # State of a batch.
        module BatchProgress
          private

          # Finished share, from 0 to 1.
          def share(batch)
            if batch["total"].to_i.zero?
              0.0
            else
              (batch["total"].to_i - batch["pending"].to_i).fdiv(batch["total"].to_i)
                .clamp(0.0, 1.0)
            end
          end

          def state(batch)
            return "open" unless batch["sealed"]
            return "running" unless batch["completed_at"]

            batch["dead"].to_i.zero? ? "done" : "done, with dead jobs"
          end

          def about(batch) = batch["about"].is_a?(Hash) ? batch["about"] : {}
        end

        # Batches, newest first.
        class Batches < Page
          include BatchProgress

          PAGE = 50

          def data = shown

          private

          def shown = @shown ||= pager.cut(store.batches(offset: pager.offset, limit: PAGE + 1))

          def pager = @pager ||= Pager.new(self, PAGE)
        end

        # One batch.
        class Batch < Page
          include BatchProgress

          def title
            about(data)["description"] ? text(about(data)["description"]) : "Batch #{request["id"]}"
          end

          def data
            @data ||= store.batch(required("id")) ||
              raise(NotFound.new("There is no batch #{request["id"]}: it may have been thrown " \
                "away since it ended.", name: request["id"]))
          end

          def current?(to) = to == "/batches"
        end
      end
    end
  end
end
