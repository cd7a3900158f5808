# frozen_string_literal: true

require "json"
require_relative "../../../raffia"

module Raffia
  module Lab
    class Service
      # The other kind of helper process: it keeps something for the run, such as a database server
      # or a file, and takes the same orders as the {Service} does.
      class ResourceServer
        # @param kept [#open, #reset, #report, #close]
        def initialize(kept, input, output)
          @kept = kept
          @input = input
          @output = output
        end

        # It ends with its input, which ends with the lab in any case. A SIGTERM says nothing more,
        # and might come while this cleans up.
        #
        # @return [void]
        def run = Signals.with(TERM: proc {}) { Raffia.run { |scope| keep(scope) } }

        private

        def keep(scope)
          say(@kept.open(scope))
          nil while (line = @input.gets) && command(line.chomp)
        ensure
          @kept.close
          scope.cancel
        end

        def say(event)
          @output.puts(JSON.generate(event))
          @output.flush
        end

        def command(line)
          case line
          when "reset" then @kept.reset
          when "report" then say(@kept.report)
          else return
          end
          true
        end
      end
    end
  end
end
